// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What no verdict may depend on: the order of the records, which number a candidate has, the unit
// of time, and for an estimate the trials of other candidates. And what none may contradict: its own
// interval.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/comparison.hpp"
#include "analysis/decision.hpp"
#include "analysis/experiment.hpp"
#include "analysis/fixed_design.hpp"
#include "analysis/recommendation.hpp"
#include "analysis/verdict.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using tests::large_case;

const std::vector<Case>& cases() {
  static const std::vector<Case> two{large_case(16), large_case(64)};
  return two;
}

RunData swept(std::uint64_t seed, double noise = 0.02) {
  const std::vector<double> gains{0, 0.02, 0.05, -0.02, 0, 0.01, 0};
  ScreenConfirm experiment(7, Score(cases()), seed, {});
  return tests::drive(experiment, tests::run_record(7, cases()),
                      tests::Planted(gains, noise, seed));
}

RunData gridded(std::uint64_t seed, int rounds = 6) {
  FixedGrid experiment(5, rounds, seed);
  return tests::drive(experiment, tests::run_record(5, cases()),
                      tests::Planted({0, 0.03, 0, -0.05, 0.01}, 0.01, seed));
}

std::vector<RunData> runs() {
  std::vector<RunData> all;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    all.push_back(swept(seed));
    all.push_back(gridded(seed));
  }
  return all;
}

void expect_same(const Finding& one, const Finding& other) {
  EXPECT_EQ(one.verdict, other.verdict);
  EXPECT_EQ(one.pairs_needed, other.pairs_needed);
  ASSERT_EQ(one.gain.has_value(), other.gain.has_value());
  if (!one.gain) return;
  EXPECT_NEAR(one.gain->ratio, other.gain->ratio, 1e-9);
  EXPECT_NEAR(one.gain->interval.low, other.gain->interval.low, 1e-9);
  EXPECT_NEAR(one.gain->interval.high, other.gain->interval.high, 1e-9);
}

// renamed[c] is the other run's number of candidate c.
void expect_same(const RunData& one, const RunData& other, const std::vector<int>& renamed) {
  const RunFindings a = find(one);
  const RunFindings b = find(other);
  EXPECT_EQ(a.decision, b.decision);
  for (std::size_t c = 0; c < a.candidates.size(); ++c) {
    const auto d = static_cast<std::size_t>(renamed[c]);
    expect_same(a.candidates[c].score, b.candidates[d].score);
    for (int i = 0; i < static_cast<int>(cases().size()); ++i) {
      expect_same(a.point(static_cast<int>(c), i)->finding, b.point(renamed[c], i)->finding);
    }
  }
  EXPECT_EQ(renamed[static_cast<std::size_t>(recommend(one, a).candidate)],
            recommend(other, b).candidate);
}

std::vector<int> as_they_are(const RunData& data) {
  std::vector<int> names;
  for (std::size_t c = 0; c < data.run.candidates.size(); ++c) {
    names.push_back(static_cast<int>(c));
  }
  return names;
}

TEST(VerdictProperties, TheOrderOfTheRecordsDoesNotMatter) {
  std::mt19937_64 random(1);
  for (const RunData& data : runs()) {
    RunData mixed = data;
    std::shuffle(mixed.trials.begin(), mixed.trials.end(), random);
    expect_same(data, mixed, as_they_are(data));
  }
}

void expect_interval_without_one(const Finding& finding, int& claims) {
  if (finding.verdict != Verdict::better && finding.verdict != Verdict::worse) return;
  ++claims;
  const Gain& gain = *finding.gain;
  const bool faster = finding.verdict == Verdict::better;
  EXPECT_TRUE(faster ? gain.interval.low > 1 : gain.interval.high < 1)
      << gain.interval.low << " to " << gain.interval.high;
  const double reach = (gain.interval.high - gain.interval.low) / 2;
  EXPECT_TRUE(gain.is_wide() || reach < std::abs(gain.ratio - 1)) << "+- would read as equal";
}

// Differences of every clearness, so that many claims are as close as they get.
TEST(VerdictProperties, WhatIsCalledADifferenceHasAnIntervalWithoutOne) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  std::uniform_real_distribution<double> gain(-0.3, 0.3);
  int by_score = 0;
  int by_case = 0;
  int by_grid = 0;
  for (int run = 0; run < 1000; ++run) {
    for (const std::size_t pairs : {6U, 12U}) {
      std::vector<std::vector<double>> differences(3, std::vector<double>(pairs));
      for (auto& of_case : differences) {
        const double truth = gain(random);
        for (double& difference : of_case) difference = truth + noise(random);
      }
      expect_interval_without_one(judge_score(differences[0], {}), by_score);
      for (const Finding& f : judge_cases(differences, {})) {
        expect_interval_without_one(f, by_case);
      }
      const FixedDesign design({}, 2);
      const auto found = design.judge_launches(
          std::vector<std::vector<double>>{std::vector<double>(pairs, 0), differences[1]});
      for (const Finding& f : found) expect_interval_without_one(f, by_grid);
    }
  }
  EXPECT_GT(by_score, 500);
  EXPECT_GT(by_case, 500);
  EXPECT_GT(by_grid, 500);
}

TEST(VerdictProperties, TheNumbersOfTheCandidatesDoNotMatter) {
  for (const RunData& data : runs()) {
    std::vector<int> renamed = as_they_are(data);
    std::reverse(renamed.begin() + 1, renamed.end());
    RunData other = data;
    for (TrialOutcome& trial : other.trials) {
      trial.order.candidate = renamed[static_cast<std::size_t>(trial.order.candidate)];
    }
    expect_same(data, other, renamed);
  }
}

TEST(VerdictProperties, TheUnitOfTimeDoesNotMatter) {
  for (const RunData& data : runs()) {
    RunData milliseconds = data;
    for (TrialOutcome& trial : milliseconds.trials) {
      for (CaseTiming& timing : trial.cases) {
        for (double& value : timing.mean_seconds) value *= 1000;
        for (double& value : timing.max_seconds) value *= 1000;
      }
    }
    expect_same(data, milliseconds, as_they_are(data));
  }
}

// A run stopped within its last round, and one more trial of that round, which may complete it.
TEST(VerdictProperties, ATrialOfOneCandidateChangesNoOthersEstimate) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const RunData& whole : {gridded(seed), swept(seed)}) {
      for (std::size_t length = whole.trials.size() - 4; length < whole.trials.size(); ++length) {
        RunData less = whole;
        less.trials.resize(length);
        RunData more = less;
        more.trials.push_back(whole.trials[length]);
        const int added = more.trials.back().order.candidate;
        const RunFindings before = find(less);
        const RunFindings after = find(more);
        for (std::size_t c = 1; c < before.candidates.size(); ++c) {
          if (added == 0 || static_cast<int>(c) == added) continue;
          EXPECT_EQ(before.candidates[c].score.gain->ratio, after.candidates[c].score.gain->ratio);
          EXPECT_EQ(before.point(static_cast<int>(c), 0)->median,
                    after.point(static_cast<int>(c), 0)->median);
        }
      }
    }
  }
}

// The sign-flip test needs no normal distribution. Where all its patterns can be counted and it is
// clear of the level by a factor of two, the t test has to say the same.
TEST(VerdictProperties, TheDecisionAgreesWithTheSignFlipOracle) {
  const DecisionRule rule;
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  int decided = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const double gain = 0.005 * (repeat % 5);
    std::vector<double> differences(12);
    for (double& d : differences) d = gain + noise(random);
    const double oracle = statistics::sign_flip_p_value(differences);
    const double t = statistics::p_value_greater(statistics::estimate_mean(differences));
    if (oracle > rule.alpha / 2 && oracle < rule.alpha * 2) continue;
    EXPECT_EQ(oracle <= rule.alpha, t <= rule.alpha) << oracle << " against " << t;
    ++decided;
  }
  EXPECT_GT(decided, 40);
}

}  // namespace
}  // namespace nccl_sweep
