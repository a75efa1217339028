// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/pilot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using tests::large_case;
using tests::run_record;

TrialOutcome launch(int index, Stage stage, int round, int candidate, double log_seconds) {
  TrialOutcome trial;
  trial.order = {index, stage, round, candidate};
  CaseTiming timing;
  timing.mean_seconds = timing.max_seconds = {std::exp(log_seconds)};
  timing.slowest_rank = {0};
  trial.cases = {timing};
  trial.total_seconds = 2;
  return trial;
}

TEST(Pilot, TakesTheNoiseOfPairsWhereThereAreSome) {
  RunData data;
  data.run = run_record(2, {large_case()});
  int index = 0;
  for (const double difference : {0.01, 0.02, 0.03, 0.04}) {
    const int round = index / 2;
    data.trials.push_back(launch(index++, Stage::confirm, round, 0, -6 + difference + round));
    data.trials.push_back(launch(index++, Stage::confirm, round, 1, -6 + round));
  }
  const auto pilot = pilot_of(data);
  ASSERT_TRUE(pilot);
  EXPECT_NEAR(pilot->pair_deviation, 0.012910, 1e-6);  // of 0.01 .. 0.04; the rounds' drift is not in it
  EXPECT_EQ(pilot->launches, 8);
  EXPECT_EQ(pilot->trial_seconds, 2);
}

TEST(Pilot, TakesTheBaselineTimesTheRootOfTwoElse) {
  RunData data;
  data.run = run_record(1, {large_case()});
  int index = 0;
  for (const double score : {-6.0, -6.02, -5.98}) {
    data.trials.push_back(launch(index, Stage::grid, index, 0, score));
    ++index;
  }
  const auto pilot = pilot_of(data);
  ASSERT_TRUE(pilot);
  EXPECT_NEAR(pilot->pair_deviation, 0.02 * std::numbers::sqrt2, 1e-9);
  data.trials.pop_back();
  EXPECT_FALSE(pilot_of(data));
}

TEST(Pilot, AGainCostsPairsByTheSquareOfTheNoise) {
  const DecisionRule rule;
  const Resolution quiet = resolution_of(0.03, 0.01, rule);
  EXPECT_EQ(quiet.look, 6);
  EXPECT_LE(quiet.pairs, 6);
  const Resolution noisy = resolution_of(0.03, 0.1, rule);
  EXPECT_FALSE(noisy.look);
  // (2.13 + 0.84)^2 x (0.1 / ln 1.03)^2 for normal noise
  EXPECT_NEAR(noisy.pairs, 101, 5);
  const double resolved = gain_resolved(24, 0.1, rule);
  EXPECT_LE(resolution_of(resolved, 0.1, rule).pairs, 24);
  EXPECT_GT(resolution_of(resolved - 0.001, 0.1, rule).pairs, 24);
}

}  // namespace
}  // namespace nccl_sweep
