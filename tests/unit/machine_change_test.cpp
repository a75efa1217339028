// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine_change.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/experiment.hpp"
#include "analysis/verdict.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using Kind = MachineChange::Kind;
using OverTime = std::function<double(int trial)>;

RunData run_on(int candidates, const OverTime& machine, std::uint64_t seed = 3) {
  const std::vector<Case> cases{tests::large_case()};
  ScreenConfirm experiment(candidates, Score(cases), seed, {});
  tests::Planted noise(std::vector<double>(static_cast<std::size_t>(candidates), 0.0), 0.01, seed);
  return tests::drive(experiment, tests::run_record(candidates, cases),
                      [&](const TrialOrder& order, int case_index) {
                        return noise(order, case_index) + machine(order.index);
                      });
}

std::optional<MachineChange> change_of(const RunData& data) {
  return find_machine_change(Dataset(data));
}

double step_at_30(int trial) { return trial < 30 ? 0 : 0.1; }

TEST(MachineChange, ASteadyMachineHasNone) {
  EXPECT_FALSE(change_of(run_on(24, [](int) { return 0.0; })));
}

TEST(MachineChange, AStepIsFoundWithItsSizeAndTheRoundThatItDivides) {
  const auto change = change_of(run_on(24, step_at_30));  // trials 25 to 34 are the second round
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::step);
  EXPECT_NEAR(change->size, 0.1, 0.03);
  EXPECT_NEAR(change->from, 30, 2);
  EXPECT_EQ(change->divided, (std::vector<MachineChange::Round>{{Stage::screen, 1}}));
  EXPECT_EQ(change->effect(29 - 5), 0);
  EXPECT_EQ(change->effect(60), change->size);
}

TEST(MachineChange, ADriftIsFoundWithItsSizeOverTheRun) {
  const auto change = change_of(run_on(24, [](int trial) { return -0.002 * trial; }));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::drift);
  EXPECT_NEAR(change->size, -0.002 * (change->to - change->from), 0.03);
  EXPECT_NEAR(change->effect(change->to), change->size, 1e-12);
  EXPECT_TRUE(change->divided.empty());
}

// By chance a step at one of many places fits a weak drift best; that alone must not hide the drift.
TEST(MachineChange, AWeakDriftIsNotLostToAStepThatFitsAlmostAsWell) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    found += change_of(run_on(24, [](int trial) { return 0.0005 * trial; }, seed)) ? 1 : 0;
  }
  EXPECT_GE(found, 24);  // by the better raw fit: 16
}

TEST(MachineChange, AFewWildLaunchesAreNone) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto wild = [](int trial) { return trial % 17 == 0 ? 0.4 : 0.0; };
    alarms += change_of(run_on(24, wild, seed)) ? 1 : 0;
  }
  EXPECT_LE(alarms, 2);
}

// Survivors of a cut looked fast before it by luck: that is no slower machine afterwards.
TEST(MachineChange, SelectionByTheScreeningIsNone) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    alarms += change_of(run_on(
                  24, [](int) { return 0.0; }, seed))
                  ? 1
                  : 0;
  }
  EXPECT_LE(alarms, 4);
}

TEST(MachineChange, TooFewTrialsShowNothing) {
  RunData data = run_on(2, step_at_30);
  data.trials.resize(9);
  EXPECT_FALSE(change_of(data));
}

// The screening would have been misled by it, so it may not speak for all candidates.
TEST(MachineChange, WeakensWhatTheScreeningSaysOfAll) {
  const auto steep = [](int trial) { return 0.004 * trial; };
  const auto kept = [](const RunFindings& found) { return found.screen_kept_probability; };
  const RunFindings steady = find(run_on(24, [](int) { return 0.0; }));
  const RunFindings drifting = find(run_on(24, steep));
  ASSERT_TRUE(drifting.machine_change);
  ASSERT_TRUE(kept(steady) && kept(drifting));
  EXPECT_LT(*kept(drifting), *kept(steady) - 0.1);
}

}  // namespace
}  // namespace nccl_sweep
