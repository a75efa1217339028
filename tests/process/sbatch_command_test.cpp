// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// `nccl-sweep sbatch` as a command: what it takes over from the sweep's options, what it refuses.
// The scripts themselves are in tests/golden and run by tests/slurm.
#include <gtest/gtest.h>

#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

class SbatchCommand : public testing::Test {
 protected:
  Finished sbatch(const std::string& options) const {
    return run_shell(folder_.path(), program() + " sbatch " + options);
  }
  void expect_refused(const std::string& options, const std::string& words) const {
    const Finished refused = sbatch(options);
    EXPECT_EQ(refused.exit_code, 1) << options;
    EXPECT_NE(refused.err.find(words), std::string::npos) << options << ": " << refused.err;
  }

  TemporaryFolder folder_;
};

TEST_F(SbatchCommand, TheJobRunsTheSweepThatTheOptionsSay) {
  const Finished shown = sbatch(
      "--vary NCCL_ALGO=Ring,Tree --vary NCCL_MIN_CTAS=4 --collective all_gather,all_reduce"
      " -b 1M -e 1M --no-prune --nodes 4 --gpus-per-node 8 --time 90m --account physics --dry-run");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  // A login node has no GPU: the backend is said.
  EXPECT_NE(shown.out.find("run --vary NCCL_ALGO=Ring,Tree --vary NCCL_MIN_CTAS=4 --collective "
                           "all_gather,all_reduce --minbytes 1M --maxbytes 1M --no-prune "
                           "--backend nccl --output)"),
            std::string::npos)
      << shown.out;
  for (const char* line : {"#SBATCH --nodes=4\n", "#SBATCH --gpus-per-node=8\n",
                           "#SBATCH --time=01:30:00\n", "#SBATCH --account=physics\n"}) {
    EXPECT_NE(shown.out.find(line), std::string::npos) << line;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "sweep.sbatch"));
}

TEST_F(SbatchCommand, TheLargestNumberOfSwitchesIsSlurmsToKeep) {
  const Finished shown = sbatch("--backend host --vary HOST_CHUNK_BYTES=65536 --nodes 2 "
                                "--switches 1@2:00:00 --dry-run");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "#SBATCH --switches=1@2:00:00\n")) << shown.out;
}

TEST_F(SbatchCommand, WhatHoldsForARunHoldsForItWhenItGoesOn) {
  const std::string sweep = "--backend host --vary HOST_CHUNK_BYTES=65536 --nodes 2 --dry-run ";
  const Finished shown = sbatch(sweep + "--stage always --allow-hidden-gpus");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "--allow-hidden-gpus --stage always --output)")) << shown.out;
  EXPECT_TRUE(contains(shown.out,
                       "run --resume \"$run\" --allow-hidden-gpus --stage always)")) << shown.out;
  const Finished plain = sbatch(sweep);
  EXPECT_TRUE(contains(plain.out, "run --resume \"$run\")\n")) << plain.out;
  expect_refused(sweep + "--stage sometimes", "sometimes not in {auto,always,never}");
}

// An install in /usr/local, made of this build in a mount namespace.
TEST_F(SbatchCommand, AContainerKeepsTheImagesOwnUsrLocal) {
  const std::string apart = "unshare --map-root-user --mount ";
  if (run_shell(folder_.path(), apart + "true").exit_code != 0) GTEST_SKIP() << "no namespaces";
  const auto installed = [&](const std::string& options) {
    return run_shell(folder_.path(), apart + "bash -c 'mount --bind " BINARY_FOLDER
                                     "/.. /usr/local "
                                     "&& /usr/local/bin/nccl-sweep sbatch --backend host --nodes 2 "
                                     "--vary HOST_CHUNK_BYTES=65536 --dry-run " + options + "'");
  };
  const Finished refused = installed("--container-image x");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "/usr/local: this nccl-sweep's prefix")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--program")) << refused.err;
  const Finished of_image = installed("--container-image x --program nccl-sweep");
  EXPECT_EQ(of_image.exit_code, 0) << of_image.err;
  EXPECT_FALSE(contains(of_image.out, "/usr/local")) << of_image.out;
  EXPECT_EQ(installed("").exit_code, 0);
  EXPECT_EQ(sbatch("--backend host --nodes 2 --vary HOST_CHUNK_BYTES=65536 --dry-run "
                   "--container-image x").exit_code, 0);
}

TEST_F(SbatchCommand, AScriptThatIsThereIsNotOverwritten) {
  const std::string options = "--backend host --vary HOST_CHUNK_BYTES=65536 --nodes 2";
  ASSERT_EQ(sbatch(options).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "sweep.sbatch"));
  expect_refused(options, "sweep.sbatch: is there already");
}

TEST_F(SbatchCommand, WhatCannotBeIsRefused) {
  const std::string sweep = "--backend host --vary HOST_CHUNK_BYTES=65536 --dry-run ";
  expect_refused(sweep, "how many nodes?");
  expect_refused(sweep + "--nodes 2 --array-nodes 2,4", "give one of them");
  expect_refused(sweep + "--nodes 2 --array-switches 1,2 --array-partitions a,b",
                 "one array only: --array-nodes, --array-partitions or --array-switches");
  expect_refused(sweep + "--array-nodes 2,4 --array-switches 1,2", "one array only");
  expect_refused(sweep + "--nodes 2 --switches 1 --array-switches 1,2", "give one of them");
  expect_refused(sweep + "--nodes 2 --partition a --array-partitions a,b", "give one of them");
  expect_refused(sweep + "--array-switches 1,2", "how many nodes?");
  expect_refused(sweep + "--nodes 4 --array-switches 1,2,1@5", "--array-switches: 1 is there twice");
  expect_refused(sweep + "--array-nodes 4,2,4", "--array-nodes: 4 is there twice");
  expect_refused(sweep + "--nodes 2 --array-switches 1,4", "4 leaf switches for 2 nodes");
  for (const char* switches : {"0", "-1", "x", "2@", "2@soon", "1,2"}) {
    expect_refused(sweep + "--nodes 2 --switches=" + switches, "is no number of leaf switches");
  }
  expect_refused(sweep + "--nodes 2 --container apptainer", "needs --container-image");
  expect_refused(sweep + "--nodes 2 --container-image x --launcher mpirun", "pyxis container");
  expect_refused(sweep + "--nodes 2 --agents-per-node gpu", "--gpus-per-node");
  expect_refused("--backend nccl --vary NCCL_ALGO=Ring --nodes 2 --dry-run", "needs GPUs");
}

}  // namespace
}  // namespace nccl_sweep::test
