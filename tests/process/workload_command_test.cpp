// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

const std::string kTrace = TEST_DATA "/traces/fsdp2_kineto_rank0.json.gz";

Finished workload(const TemporaryFolder& folder, const std::string& arguments) {
  return run_shell(folder.path(), program() + " workload " + arguments);
}

TEST(WorkloadCommand, PrintsTheTableAndWritesTheFile) {
  const TemporaryFolder folder;
  const Finished finished = workload(folder, kTrace + " -o w.json --name job");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(contains(finished.out, "288.30 MiB  66.7 %")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "calls per iteration, from 2 iterations")) << finished.out;
  EXPECT_TRUE(contains(finished.err, "--workload w.json")) << finished.err;
  const std::string written = read_file(folder.path() / "w.json");
  EXPECT_TRUE(contains(written, "\"name\": \"job\"")) << written;
  EXPECT_TRUE(contains(written, "\"bytes\":25192448")) << written;
}

TEST(WorkloadCommand, WithoutAnOutputFilePrintsOnly) {
  const TemporaryFolder folder;
  const Finished finished = workload(folder, kTrace);
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_TRUE(contains(finished.out, "reduce_scatter")) << finished.out;
  EXPECT_TRUE(finished.err.empty()) << finished.err;
}

TEST(WorkloadCommand, AnOutputThatCannotBeWrittenFailsBeforeTheTraceIsLookedAt) {
  const TemporaryFolder folder;
  const Finished finished = workload(folder, "nowhere.json -o none/w.json");
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  EXPECT_TRUE(contains(finished.err, "none/w.json")) << finished.err;
  EXPECT_TRUE(finished.out.empty());
}

TEST(WorkloadCommand, AnOldFileSurvivesAFailedImport) {
  const TemporaryFolder folder;
  std::filesystem::copy(kTrace, folder.path() / "w.json");
  EXPECT_EQ(workload(folder, "/dev/null -o w.json").exit_code, 1);
  EXPECT_EQ(read_file(folder.path() / "w.json"), read_file(kTrace));
}

}  // namespace
}  // namespace nccl_sweep::test
