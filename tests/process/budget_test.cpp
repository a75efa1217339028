// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A time budget is of a run, however often the run is stopped and gone on with.
#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

TEST(Budget, IsOfTheWholeRunUnlessAResumeGivesMore) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& arguments) {
    return run_shell(folder.path(), program() + " run " + arguments);
  };
  const Finished begun =
      run("--backend host --workers 2 --collective all_gather -b 64K -e 64K --rounds 200"
          " --vary HOST_STREAMS_PER_CONNECTION=2 --budget 2s --output run");
  const std::size_t trials = read_run(folder.path() / "run").trials.size();
  ASSERT_GT(trials, 0U) << begun.err;
  EXPECT_EQ(read_run(folder.path() / "run").end->reason, "budget");

  const Finished used_up = run("--resume run");
  EXPECT_EQ(used_up.exit_code, begun.exit_code);
  EXPECT_NE(used_up.out.find("stopped (budget)"), std::string::npos) << used_up.out;
  EXPECT_EQ(read_run(folder.path() / "run").trials.size(), trials);

  const Finished more = run("--resume run --budget 3s");
  EXPECT_EQ(more.exit_code, begun.exit_code) << more.err;
  EXPECT_GT(read_run(folder.path() / "run").trials.size(), trials);
}

}  // namespace
}  // namespace nccl_sweep::test
