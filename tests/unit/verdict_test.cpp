// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/alarm.hpp"
#include "analysis/comparison.hpp"
#include "analysis/experiment.hpp"
#include "analysis/screen_power.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using tests::drive;
using tests::large_case;
using tests::Planted;
using tests::run_record;

RunData sweep(std::vector<double> gains, double noise, std::uint64_t seed,
              std::vector<Case> cases = {large_case()},
              const tests::Fate& fate = tests::always_completes) {
  const auto candidates = static_cast<int>(gains.size());
  ScreenConfirm experiment(candidates, Score(cases), seed, {});
  return drive(experiment, run_record(candidates, cases), Planted(std::move(gains), noise, seed),
               fate);
}

RunData grid(std::vector<double> gains, double noise, int rounds, std::uint64_t seed) {
  const auto candidates = static_cast<int>(gains.size());
  FixedGrid experiment(candidates, rounds, seed);
  return drive(experiment, run_record(candidates, {large_case()}),
               Planted(std::move(gains), noise, seed));
}

const Finding& score_of(const RunFindings& found, int candidate) {
  return found.candidates.at(static_cast<std::size_t>(candidate)).score;
}

TEST(Verdict, TenPercentAtOnePercentNoiseIsBetterAndTheIntervalHoldsTheTruth) {
  const RunFindings found = find(sweep({0, 0, std::log(1.1), 0, 0, 0, 0}, 0.01, 12));
  ASSERT_EQ(found.finalist, 2);
  EXPECT_EQ(found.decision, Decision::better);
  const Finding& finding = score_of(found, 2);
  EXPECT_EQ(finding.verdict, Verdict::better);
  EXPECT_NEAR(finding.gain->ratio, 1.1, 0.02);
  EXPECT_LT(finding.gain->interval.low, 1.1);
  EXPECT_GT(finding.gain->interval.high, 1.1);
  EXPECT_NEAR(finding.gain->confidence, 1 - 1.5 * 0.05 / 3, 1e-9);
  EXPECT_EQ(found.pairs, 6);
  EXPECT_EQ(score_of(found, 3).verdict, Verdict::not_confirmed);
  EXPECT_EQ(score_of(found, 3).gain->confidence, 0);
  EXPECT_EQ(score_of(found, 0).verdict, Verdict::baseline);
}

TEST(Verdict, EqualSettingsAreNoGainAndSpeakForAllWhereTheScreenIsSharp) {
  const RunFindings found = find(sweep(std::vector<double>(7, 0.0), 0.005, 4));
  EXPECT_EQ(found.decision, Decision::no_gain);
  EXPECT_EQ(score_of(found, *found.finalist).verdict, Verdict::no_gain);
  ASSERT_TRUE(found.screen_kept_probability.has_value());
  EXPECT_GE(*found.screen_kept_probability, 0.95);
}

// Their times are far off on purpose: a verdict that used them would notice.
TEST(Verdict, EvidenceAndLoadTrialsAreNoTimingsAndTheirFailuresAreNobodys) {
  ScreenConfirmOptions options;
  options.closing = {ClosingTrials::Whom::contenders, ClosingTrials::Whom::contenders};
  const auto of_run = [](ScreenConfirmOptions chosen, Outcome fate) {
    ScreenConfirm experiment(3, Score({large_case()}), 2, chosen);
    Planted truth({0, 0.1, 0}, 0.005, 8);
    return drive(
        experiment, run_record(3, {large_case()}),
        [&](const TrialOrder& o, int c) { return truth(o, c) + (is_descriptive(o.stage) ? 3 : 0); },
        [&](const TrialOrder& o) { return is_descriptive(o.stage) ? fate : Outcome::complete; });
  };
  const RunFindings without = find(of_run({}, Outcome::complete));
  for (const Outcome fate : {Outcome::complete, Outcome::crashed, Outcome::wrong_data}) {
    const RunData data = of_run(options, fate);
    ASSERT_EQ(data.trials.back().order.stage, Stage::load);
    const RunFindings found = find(data);
    EXPECT_EQ(score_of(found, 1).verdict, Verdict::better);
    EXPECT_EQ(score_of(found, 1).gain->ratio, score_of(without, 1).gain->ratio);
    EXPECT_EQ(found.candidates[1].failures, 0);
    EXPECT_EQ(found.candidates[1].trials, without.candidates[1].trials);
    EXPECT_EQ(found.points.size(), without.points.size());
    EXPECT_EQ(found.point(1, 0)->median, without.point(1, 0)->median);
  }
}

RunData with_twin(double gain_of_twin, double gain_of_finalist) {
  ScreenConfirmOptions options;
  options.twin = 2;
  ScreenConfirm experiment(2, Score({large_case()}), 5, options);
  RunRecord run = run_record(2, {large_case()});
  run.collapsed = {{{{{"NCCL_SAME", "1"}}}, 0, "it does nothing"}};
  return drive(experiment, run, Planted({0, gain_of_finalist, gain_of_twin}, 0.002, 9));
}

TEST(Alarm, AnEqualTwinIsQuietAndGivesTheReachOfTheTest) {
  const RunData data = with_twin(0, 0.1);
  const RunFindings found = find(data);
  ASSERT_TRUE(found.alarm);
  EXPECT_EQ(found.alarm->candidate, 2);
  EXPECT_EQ(found.alarm->finding.gain->pairs, 3);
  EXPECT_FALSE(found.untrusted());
  EXPECT_EQ(found.candidates.size(), 2U);  // the twin is no candidate
  EXPECT_EQ(score_of(found, 1).verdict, Verdict::better);
}

TEST(Alarm, ATwinThatDiffersInEitherDirectionIsRaised) {
  EXPECT_TRUE(find(with_twin(0.1, 0.1)).untrusted());
  EXPECT_TRUE(find(with_twin(-0.1, 0.1)).untrusted());
}

// The twin of with_twin in trials that end as `fates` say, pair by pair.
RunData with_fates(const std::vector<Outcome>& fates) {
  RunData data = with_twin(0, 0.1);
  std::size_t next = 0;
  for (TrialOutcome& trial : data.trials) {
    if (trial.order.stage != Stage::alarm) continue;
    trial.outcome = fates.at(next++);
    if (trial.outcome == Outcome::complete) continue;
    trial.failure.emplace().message = "planted";
  }
  EXPECT_EQ(next, fates.size());
  return data;
}

TEST(Alarm, WrongDataOfATwinIsRaisedAndSaid) {
  using enum Outcome;
  const RunData data = with_fates({hung, wrong_data, complete});
  const RunFindings found = find(data);
  EXPECT_TRUE(found.untrusted());
  EXPECT_EQ(alarm_line(data, found),
            "A/A alarm: NCCL_SAME=1 is predicted to equal the default, and yet returned wrong data "
            "(planted): this run's differences are not to be trusted");
}

TEST(Alarm, AFailureIsNamedAndAllOfThemAreRaised) {
  using enum Outcome;
  const RunData once = with_fates({complete, crashed, complete});
  EXPECT_FALSE(find(once).untrusted());
  const std::string line = alarm_line(once, find(once));
  EXPECT_TRUE(line.starts_with("A/A: NCCL_SAME=1 failed 1 of 3 trials (crashed: planted); "
                               "otherwise = default within "))
      << line;
  const RunData twice = with_fates({hung, crashed, complete});
  EXPECT_FALSE(find(twice).untrusted());
  EXPECT_EQ(alarm_line(twice, find(twice)),
            "A/A: NCCL_SAME=1 failed 2 of 3 trials (hung: planted); otherwise too few pairs to tell");
  const RunData always = with_fates({hung, crashed, hung});
  EXPECT_TRUE(find(always).untrusted());
  EXPECT_NE(alarm_line(always, find(always)).find("failed in all of 3 trials (hung: planted)"),
            std::string::npos);
}

TEST(Alarm, OfEqualTwinsFewAreRaised) {
  int raised = 0;
  constexpr int kRuns = 400;
  for (int seed = 0; seed < kRuns; ++seed) {
    ScreenConfirmOptions options;
    options.twin = 2;
    const auto number = static_cast<std::uint64_t>(seed);
    ScreenConfirm experiment(2, Score({large_case()}), number, options);
    RunRecord run = run_record(2, {large_case()});
    run.collapsed = {{{{{"NCCL_SAME", "1"}}}, 0, "it does nothing"}};
    raised += find(drive(experiment, run, Planted({0, 0.1, 0}, 0.01, number))).untrusted() ? 1 : 0;
  }
  EXPECT_LE(raised, kRuns / 20);  // the levels promise 3.3 %
}

TEST(Costs, LoadSlowdownIsTheTimeBesideOverTheTimeAlone) {
  RunData data = sweep({0, 0.1}, 0.002, 3);
  TrialOutcome loaded = data.trials.back();
  loaded.order = {static_cast<int>(data.trials.size()), Stage::load, 0, 1};
  loaded.cases[0].load_alone_seconds = 1e-3;
  loaded.cases[0].load_beside_seconds = 1.3e-3;
  data.trials.push_back(loaded);
  const RunFindings found = find(data);
  EXPECT_NEAR(found.point(1, 0)->load_slowdown.value(), 1.3, 1e-9);
  EXPECT_FALSE(found.point(0, 0)->load_slowdown);
}

TEST(Verdict, ANoisyFabricIsUndecidedAndSaysHowManyPairsItWouldTake) {
  const RunFindings found = find(sweep({0, 0.03}, 0.2, 6));
  const Finding& finding = score_of(found, 1);
  EXPECT_EQ(finding.verdict, Verdict::undecided);
  EXPECT_EQ(finding.gain->pairs, 24);
  EXPECT_GT(finding.pairs_needed, 300);
  EXPECT_LT(finding.pairs_needed, 3000);
}

TEST(Verdict, AClearlySlowerFinalistIsWorse) {
  EXPECT_EQ(score_of(find(sweep({0, -0.1}, 0.01, 6)), 1).verdict, Verdict::worse);
}

TEST(Verdict, ARunWithoutNoiseIsDecidedAtTheFirstLook) {
  const RunFindings found = find(sweep({0, 0.05}, 0, 6));
  EXPECT_EQ(score_of(found, 1).verdict, Verdict::better);
  EXPECT_NEAR(score_of(found, 1).gain->ratio, std::exp(0.05), 1e-9);
  EXPECT_EQ(found.pairs, 6);
}

TEST(Verdict, WithOneCaseTheRowHasTheScoresVerdict) {
  const RunFindings found = find(sweep({0, 0.1}, 0.01, 3));
  EXPECT_EQ(found.point(1, 0)->finding.verdict, Verdict::better);
  EXPECT_EQ(found.point(0, 0)->finding.verdict, Verdict::baseline);
  EXPECT_EQ(found.point(1, 0)->trials, 6);  // of the confirmation only
}

TEST(Verdict, WithSixPairsASizeNeedsMoreThanTheScoreDoes) {
  const DecisionRule rule;
  const auto case_of = [](double gain, double noise) {
    std::vector<double> differences;
    for (int pair = 0; pair < 6; ++pair) differences.push_back(gain + noise * (pair % 3 - 1));
    return differences;
  };
  // Clear, clear only by the usual 5 %, and equal.
  const auto found = judge_cases(
      std::vector<std::vector<double>>{case_of(0.05, 0.005), case_of(0.05, 0.03), case_of(0, 0.004)},
      rule);
  EXPECT_EQ(found[0].verdict, Verdict::better);
  EXPECT_EQ(found[1].verdict, Verdict::undecided);
  EXPECT_EQ(found[1].pairs_needed, 10);
  EXPECT_GT(found[1].gain->interval.low, 1.0);
  EXPECT_EQ(found[2].verdict, Verdict::no_gain);
}

TEST(Verdict, FewerThanSixPairsSayNothingOfSizes) {
  const auto found =
      judge_cases(std::vector<std::vector<double>>{{0.05, 0.051, 0.049, 0.05, 0.05}}, {});
  EXPECT_EQ(found[0].verdict, Verdict::undecided);
}

// SIMULATED: equal settings, eight sizes, launches of two kinds 9 % apart and plain noise.
TEST(Verdict, SixPairsOfEqualsSeldomClaimAnything) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.005);
  std::bernoulli_distribution slow(0.5);
  for (const double hump : {0.0, 0.09}) {
    const auto launch = [&] { return noise(random) + (slow(random) ? hump : 0); };
    int claims = 0;
    constexpr int kRuns = 4000;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<std::vector<double>> differences(8, std::vector<double>(6));
      for (auto& of_case : differences) {
        for (double& difference : of_case) difference = launch() - launch();
      }
      const auto found = judge_cases(differences, {});
      claims += std::any_of(found.begin(), found.end(), [](const Finding& f) {
        return f.verdict == Verdict::better || f.verdict == Verdict::worse;
      });
    }
    EXPECT_LE(claims, kRuns / 50) << hump;
  }
}

TEST(Verdict, FromTenPairsOnSizesGetTheirOwnWordByHolm) {
  const DecisionRule rule;
  std::vector<double> faster;
  std::vector<double> equal;
  std::vector<double> slower;
  for (int pair = 0; pair < 12; ++pair) {
    const double wiggle = 0.01 * (pair % 3 - 1);
    faster.push_back(0.05 + wiggle);
    equal.push_back(wiggle);
    slower.push_back(-0.05 + wiggle);
  }
  const auto found = judge_cases(std::vector<std::vector<double>>{faster, equal, slower}, rule);
  EXPECT_EQ(found[0].verdict, Verdict::better);
  EXPECT_EQ(found[1].verdict, Verdict::no_gain);
  EXPECT_EQ(found[2].verdict, Verdict::worse);
}

TEST(Verdict, WrongDataDisqualifiesWhateverTheSpeed) {
  const RunFindings found =
      find(sweep({0, 0.5, 0, 0}, 0.01, 3, {large_case()}, [](const TrialOrder& o) {
        const bool wrong = o.candidate == 1 && o.stage == Stage::confirm && o.round == 3;
        return wrong ? Outcome::wrong_data : Outcome::complete;
      }));
  EXPECT_EQ(score_of(found, 1).verdict, Verdict::wrong_data);
  EXPECT_EQ(found.point(1, 0)->finding.verdict, Verdict::wrong_data);
}

TEST(Verdict, ACandidateThatHungIsFailedAndCounted) {
  const RunFindings found =
      find(sweep({0, 0.1, 0.5, 0}, 0.01, 3, {large_case()}, [](const TrialOrder& o) {
        return o.candidate == 2 ? Outcome::hung : Outcome::complete;
      }));
  EXPECT_EQ(score_of(found, 2).verdict, Verdict::failed);
  EXPECT_EQ(found.candidates[2].failures, 1);
  EXPECT_EQ(score_of(found, 1).verdict, Verdict::better);
}

TEST(Verdict, NoiseFloorIsTheLaunchToLaunchDeviation) {
  const RunFindings found = find(grid({0, 0.1, 0.2, 0, 0}, 0.02, 40, 8));
  EXPECT_NEAR(found.noise_floor.at(0), 0.02, 0.003);
}

TEST(Verdict, AFixedGridNeedsFourRounds) {
  EXPECT_EQ(score_of(find(grid({0, 0.1, 0}, 0.005, 3, 1)), 1).verdict, Verdict::undecided);
  const RunFindings found = find(grid({0, 0.1, 0, -0.1}, 0.005, 8, 1));
  EXPECT_EQ(found.design, Design::grid);
  EXPECT_EQ(score_of(found, 1).verdict, Verdict::better);
  EXPECT_EQ(score_of(found, 2).verdict, Verdict::no_gain);
  EXPECT_EQ(score_of(found, 3).verdict, Verdict::worse);
}

TEST(Verdict, TheBaselineAloneIsComparedWithNothing) {
  FixedGrid experiment(1, 5, 1);
  const RunFindings found =
      find(drive(experiment, run_record(1, {large_case()}), Planted({0}, 0.01, 1)));
  EXPECT_EQ(found.design, Design::baseline_only);
  EXPECT_EQ(found.point(0, 0)->trials, 5);
  EXPECT_FALSE(found.finalist);
}

TEST(Verdict, MarksUnsteadyAndLaunchBoundRows) {
  RunData data = sweep({0, 0.1}, 0.01, 3, {large_case(64), large_case(2)});
  for (TrialOutcome& trial : data.trials) {
    if (trial.order.candidate == 1) trial.cases[0].mean_seconds[4] *= 2;  // median unchanged
  }
  const RunFindings found = find(data);
  EXPECT_TRUE(found.point(1, 0)->unsteady);
  EXPECT_FALSE(found.point(1, 1)->unsteady);
  EXPECT_FALSE(found.point(1, 0)->launch_bound);
  EXPECT_TRUE(found.point(1, 1)->launch_bound);  // 31 us
}

TEST(Verdict, AnInterruptedRunHasNoClaims) {
  RunData data = sweep({0, 0, 0.1, 0, 0, 0, 0}, 0.01, 11);
  data.trials.resize(data.trials.size() - 3);  // four whole pairs and a half
  const RunFindings pairs_missing = find(data);
  EXPECT_EQ(pairs_missing.pairs, 4);
  EXPECT_EQ(score_of(pairs_missing, 2).verdict, Verdict::undecided);
  data.trials.resize(5);
  for (const CandidateFinding& c : find(data).candidates) {
    EXPECT_TRUE(c.score.verdict != Verdict::better && c.score.verdict != Verdict::no_gain);
  }
}

TEST(Verdict, ScoreOfAWorkloadWeighsCasesByCalls) {
  Case often = large_case(64);
  often.calls = 9;
  Case seldom = large_case(64);
  seldom.calls = 1;
  EXPECT_NEAR(*Score({often, seldom}).of_seconds(std::vector<double>{1e-3, 3e-3}), std::log(12e-3),
              1e-12);
  EXPECT_FALSE(Score({often, seldom}).of_seconds(std::vector<double>{1e-3, std::nan("")}));
}

TEST(Verdict, ScoreWithoutAWorkloadUsesSizesFromOneMebibyteOn) {
  Case small = large_case();
  small.size = Bytes{4096};
  EXPECT_NEAR(*Score({small, large_case(1)}).of_seconds(std::vector<double>{1e-3, 2e-3}),
              std::log(2e-3), 1e-12);
  EXPECT_NEAR(*Score({small, small}).of_seconds(std::vector<double>{1e-3, 4e-3}), std::log(2e-3),
              1e-12);
}

// The promise: at most 5 % of runs of equal settings name a winner. 200 runs, so more than 20
// (10 %) has a chance below 0.2 % if the promise is kept; the shell loop's 96 % always fails it.
TEST(Verdict, EqualSettingsRarelyHaveAWinner) {
  int winners = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ScreenConfirm experiment(24, Score({large_case()}), seed, {});
    drive(experiment, run_record(24, {large_case()}),
          Planted(std::vector<double>(24, 0.0), 0.03, seed));
    winners += experiment.decision() == Decision::better ? 1 : 0;
  }
  EXPECT_LE(winners, 20);
}

TEST(Verdict, FixedGridsOfEqualSettingsRarelyHaveAWinner) {
  int winners = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RunFindings found = find(grid(std::vector<double>(8, 0.0), 0.03, 5, seed));
    for (const CandidateFinding& c : found.candidates) {
      winners += c.score.verdict == Verdict::better ? 1 : 0;
    }
  }
  EXPECT_LE(winners, 20);
}

TEST(Verdict, AGainOfThreePercentAtOnePercentNoiseIsMostlyFound) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<double> gains(24, 0.0);
    gains[7] = std::log(1.03);
    const RunFindings findings = find(sweep(gains, 0.01, seed));
    found += findings.finalist == 7 && findings.decision == Decision::better ? 1 : 0;
  }
  EXPECT_GE(found, 80);
}

TEST(ScreenPower, FallsWithNoise) {
  const std::vector<double> quiet{-0.001, 0.001, 0.0005, -0.0005};
  const std::vector<double> loud{-0.2, 0.2, 0.1, -0.1};
  EXPECT_EQ(screen_keeps_probability(2, 0.03, loud, 1), 1);
  EXPECT_GE(screen_keeps_probability(24, 0.03, quiet, 1), 0.99);
  EXPECT_LE(screen_keeps_probability(24, 0.03, loud, 1), 0.5);
}

}  // namespace
}  // namespace nccl_sweep
