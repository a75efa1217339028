// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases that are replayed as graphs: workers round n up to whole graphs, and agents must know.
#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

TEST(GraphRun, WholeGraphsAreTakenForTheAskedNumberOfOps) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(),
      program() + " run --backend model --model equal --ranks 4 --workers 2 --vary MODEL_A=1"
                  " --graph off,on -n 20 --rounds 1 --collective all_gather -b 1M -e 64M -f 8"
                  " --output run");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(folder.path() / "run");
  ASSERT_FALSE(data.trials.empty());
  for (const TrialOutcome& trial : data.trials) {
    ASSERT_EQ(trial.outcome, Outcome::complete);
    for (const CaseTiming& timing : trial.cases) {
      const Case& what = data.run.cases.at(static_cast<std::size_t>(timing.case_index));
      const int whole = what.graph ? ops_per_graph(what) : 1;
      EXPECT_EQ(timing.ops_per_block, (20 + whole - 1) / whole * whole) << describe(what);
    }
  }
}

}  // namespace
}  // namespace nccl_sweep::test
