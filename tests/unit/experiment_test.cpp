// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/dataset.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using tests::drive;
using tests::large_case;
using tests::Planted;
using tests::run_record;

ScreenConfirm screen_confirm(int candidates, std::uint64_t seed = 1) {
  return {candidates, Score({large_case()}), seed, {}};
}

RunData run(ScreenConfirm& experiment, int candidates, const tests::LogFactor& truth,
            const tests::Fate& fate = tests::always_completes) {
  return drive(experiment, run_record(candidates, {large_case()}), truth, fate);
}

tests::LogFactor planted(int candidates, std::map<int, double> gains, double noise = 0.01,
                         std::uint64_t seed = 5) {
  std::vector<double> all(static_cast<std::size_t>(candidates), 0.0);
  for (const auto& [candidate, gain] : gains) all[static_cast<std::size_t>(candidate)] = gain;
  return Planted(std::move(all), noise, seed);
}

std::map<int, int> trials_per_round(const RunData& data, Stage stage) {
  std::map<int, int> count;
  for (const TrialOutcome& t : data.trials) count[t.order.round] += t.order.stage == stage ? 1 : 0;
  std::erase_if(count, [](const auto& entry) { return entry.second == 0; });
  return count;
}

std::vector<int> counts(const std::map<int, int>& by_round) {
  std::vector<int> result;
  for (const auto& [round, count] : by_round) result.push_back(count);
  return result;
}

int of_stage(const RunData& data, Stage stage) {
  return static_cast<int>(std::count_if(data.trials.begin(), data.trials.end(),
                                        [&](const auto& t) { return t.order.stage == stage; }));
}

TEST(ScreenConfirm, CutsTwentyFourToTenToFourToOne) {
  auto experiment = screen_confirm(24);
  const RunData data = run(experiment, 24, planted(24, {{9, 0.1}}));
  EXPECT_EQ(counts(trials_per_round(data, Stage::screen)), (std::vector<int>{24, 10, 4, 4}));
  EXPECT_EQ(experiment.finalist(), 9);
  EXPECT_EQ(data.trials.size(), 1 + 42 + 12);
}

TEST(ScreenConfirm, CutsSevenToThreeToOneAndSeventeenToSevenToThreeToOne) {
  auto seven = screen_confirm(7);
  EXPECT_EQ(counts(trials_per_round(run(seven, 7, planted(7, {{2, 0.1}})), Stage::screen)),
            (std::vector<int>{7, 3}));
  auto seventeen = screen_confirm(17);
  EXPECT_EQ(counts(trials_per_round(run(seventeen, 17, planted(17, {{2, 0.1}})), Stage::screen)),
            (std::vector<int>{17, 7, 3}));
}

TEST(ScreenConfirm, StagesShrinkToAFinalFieldForEveryCount) {
  for (int candidates = 3; candidates < 300; ++candidates) {
    const auto stages = screen_stages(candidates);
    EXPECT_EQ(stages.front().entrants, candidates);
    EXPECT_LE(stages.back().entrants, 4);
    EXPECT_GE(stages.back().entrants, 3);
    for (std::size_t i = 1; i < stages.size(); ++i) {
      EXPECT_LT(stages[i].entrants, stages[i - 1].entrants);
    }
  }
  EXPECT_TRUE(screen_stages(2).empty());
}

TEST(ScreenConfirm, TheBaselineIsInEveryRoundOnce) {
  auto experiment = screen_confirm(24);
  std::map<int, int> baselines;
  for (const auto& t : run(experiment, 24, planted(24, {{9, 0.1}})).trials) {
    if (t.order.stage == Stage::screen && t.order.candidate == 0) ++baselines[t.order.round];
  }
  EXPECT_EQ(counts(baselines), (std::vector<int>{1, 1, 1, 1}));
}

TEST(ScreenConfirm, BeginsWithABurnInOfTheBaselineAndNumbersTrialsInOrder) {
  auto experiment = screen_confirm(7);
  const RunData data = run(experiment, 7, planted(7, {}));
  EXPECT_EQ(data.trials[0].order, (TrialOrder{0, Stage::burn_in, 0, 0}));
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    EXPECT_EQ(data.trials[i].order.index, static_cast<int>(i));
  }
}

TEST(ScreenConfirm, GivesTheSameOrderUntilItsOutcomeIsRecorded) {
  auto experiment = screen_confirm(7);
  const auto first = experiment.next();
  EXPECT_EQ(experiment.next(), first);
  experiment.record(tests::measure(*first, {large_case()}, planted(7, {}), Outcome::complete));
  EXPECT_EQ(experiment.next()->index, 1);
}

TEST(ScreenConfirm, ReplayingRecordedTrialsContinuesWhereTheRunWas) {
  auto first = screen_confirm(17, 42);
  const auto sometimes_crashes = [](const TrialOrder& o) {
    return o.candidate == 5 || o.index == 20 ? Outcome::crashed : Outcome::complete;
  };
  const RunData data = run(first, 17, planted(17, {{3, 0.05}}), sometimes_crashes);
  for (std::size_t cut = 0; cut < data.trials.size(); ++cut) {
    auto resumed = screen_confirm(17, 42);
    for (std::size_t i = 0; i < cut; ++i) {
      ASSERT_EQ(resumed.next(), data.trials[i].order);
      resumed.record(data.trials[i]);
    }
    EXPECT_EQ(resumed.next(), data.trials[cut].order);
  }
}

TEST(ScreenConfirm, OrdersDependOnTheSeed) {
  auto a = screen_confirm(17, 1);
  auto b = screen_confirm(17, 2);
  const RunData one = run(a, 17, planted(17, {}));
  const RunData two = run(b, 17, planted(17, {}));
  EXPECT_FALSE(std::equal(one.trials.begin(), one.trials.begin() + 18, two.trials.begin(),
                          [](const auto& x, const auto& y) { return x.order == y.order; }));
}

// The expected order comes from another implementation of the generator (in Python).
TEST(ScreenConfirm, TheShuffleIsTheSameWithEveryStandardLibrary) {
  std::mt19937_64 random(1);
  std::vector<int> values{0, 1, 2, 3, 4, 5, 6, 7};
  shuffle(values, random);
  EXPECT_EQ(values, (std::vector<int>{4, 6, 3, 5, 1, 7, 2, 0}));
}

TEST(ScreenConfirm, PairsAreAdjacentInRandomOrderAndHaveOneTrialOfEach) {
  auto experiment = screen_confirm(2);
  const RunData data = run(experiment, 2, planted(2, {{1, 0.02}}, 0.5));
  ASSERT_EQ(of_stage(data, Stage::confirm), 48);
  int baseline_first = 0;
  for (std::size_t i = 1; i + 1 < data.trials.size(); i += 2) {
    const TrialOrder& left = data.trials[i].order;
    const TrialOrder& right = data.trials[i + 1].order;
    EXPECT_EQ(left.round, right.round);
    EXPECT_EQ(left.candidate + right.candidate, 1);
    baseline_first += left.candidate == 0 ? 1 : 0;
  }
  EXPECT_GT(baseline_first, 4);
  EXPECT_LT(baseline_first, 20);
}

TEST(ScreenConfirm, StopsOnlyAtItsLooks) {
  std::map<int, int> lengths;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto experiment = screen_confirm(2, seed);
    const RunData data = run(experiment, 2, planted(2, {{1, 0.02}}, 0.02, seed));
    ++lengths[of_stage(data, Stage::confirm)];
  }
  for (const auto& [length, times] : lengths) {
    EXPECT_TRUE(length == 12 || length == 24 || length == 48) << length;
  }
  EXPECT_EQ(lengths.size(), 3U);
}

TEST(ScreenConfirm, AFailedCandidateIsOutAndASentinelFollows) {
  auto experiment = screen_confirm(7);
  const auto third_hangs = [](const TrialOrder& o) {
    return o.candidate == 3 ? Outcome::hung : Outcome::complete;
  };
  const RunData data = run(experiment, 7, planted(7, {{3, 0.5}, {4, 0.1}}), third_hangs);
  EXPECT_EQ(of_stage(data, Stage::sentinel), 1);
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    if (data.trials[i].outcome != Outcome::hung) continue;
    EXPECT_EQ(data.trials[i + 1].order.stage, Stage::sentinel);
    EXPECT_EQ(data.trials[i + 1].order.candidate, 0);
  }
  EXPECT_EQ(experiment.finalist(), 4);
  EXPECT_FALSE(experiment.baseline_failed());
}

TEST(ScreenConfirm, TheThirdFailedSentinelEndsTheRun) {
  auto experiment = screen_confirm(7);
  const RunData data = run(experiment, 7, planted(7, {}), [](const TrialOrder& o) {
    return o.candidate == 3 || o.stage == Stage::sentinel ? Outcome::crashed : Outcome::complete;
  });
  EXPECT_TRUE(experiment.baseline_failed());
  EXPECT_EQ(of_stage(data, Stage::sentinel), 3);
  for (std::size_t i = data.trials.size() - 3; i < data.trials.size(); ++i) {
    EXPECT_EQ(data.trials[i].order.stage, Stage::sentinel);
  }
}

TEST(ScreenConfirm, ThreeFailedSentinelsEndTheRunAlsoWhereTheMachineRecoversBetweenThem) {
  // Each bad setting leaves the machine ill for one trial.
  for (const int bad : {2, 3}) {
    auto experiment = screen_confirm(7);
    bool ill = false;
    const RunData data = run(experiment, 7, planted(7, {}), [&](const TrialOrder& o) {
      if (o.candidate > 0 && o.candidate <= bad) {
        ill = true;
        return Outcome::crashed;
      }
      return std::exchange(ill, false) ? Outcome::hung : Outcome::complete;
    });
    EXPECT_EQ(experiment.baseline_failed(), bad == 3);
    EXPECT_EQ(of_stage(data, Stage::sentinel), bad == 3 ? 5 : 4);
    EXPECT_EQ(data.trials.back().outcome == Outcome::complete, bad == 2);
  }
}

TEST(ScreenConfirm, OneFailureOfTheBaselineIsRepeatedTwoInARowEndTheRun) {
  auto repeated = screen_confirm(7);
  int failures = 1;
  const auto once = [&](const TrialOrder& o) {
    return o.stage == Stage::screen && o.candidate == 0 && failures-- > 0 ? Outcome::crashed
                                                                          : Outcome::complete;
  };
  const RunData data = run(repeated, 7, planted(7, {}), once);
  EXPECT_FALSE(repeated.baseline_failed());
  EXPECT_EQ(counts(trials_per_round(data, Stage::screen)), (std::vector<int>{8, 3}));

  auto ended = screen_confirm(7);
  const RunData burnt =
      run(ended, 7, planted(7, {}), [](const TrialOrder&) { return Outcome::spawn_failed; });
  EXPECT_TRUE(ended.baseline_failed());
  EXPECT_EQ(burnt.trials.size(), 2U);
}

TEST(ScreenConfirm, AFailureInAPairInvalidatesThePair) {
  auto experiment = screen_confirm(2);
  bool failed = false;
  const RunData data = run(experiment, 2, planted(2, {{1, 0.1}}), [&](const TrialOrder& o) {
    const bool fails = !failed && o.stage == Stage::confirm && o.round == 2 && o.candidate == 1;
    failed = failed || fails;
    return fails ? Outcome::crashed : Outcome::complete;
  });
  EXPECT_TRUE(failed);
  EXPECT_EQ(trials_per_round(data, Stage::confirm).size(), 7U);  // six valid pairs and one not
  EXPECT_EQ(of_stage(data, Stage::sentinel), 1);
  EXPECT_EQ(experiment.decision(), Decision::better);
}

TEST(ScreenConfirm, WrongDataOrASecondFailureOfTheFinalistEndsTheConfirmation) {
  for (const auto& [outcome, failures] :
       {std::pair{Outcome::wrong_data, 1}, std::pair{Outcome::hung, 2}}) {
    auto experiment = screen_confirm(2);
    const RunData data = run(experiment, 2, planted(2, {{1, 0.1}}), [&](const TrialOrder& o) {
      return o.candidate == 1 ? outcome : Outcome::complete;
    });
    EXPECT_EQ(of_stage(data, Stage::sentinel), failures);
    EXPECT_FALSE(experiment.baseline_failed());
    EXPECT_NE(experiment.decision(), Decision::better);
  }
}

TEST(ScreenConfirm, NoChallengerLeftMeansNoConfirmation) {
  auto experiment = screen_confirm(7);
  const RunData data = run(experiment, 7, planted(7, {}), [](const TrialOrder& o) {
    return o.candidate > 0 ? Outcome::unsupported : Outcome::complete;
  });
  EXPECT_EQ(of_stage(data, Stage::confirm), 0);
  EXPECT_FALSE(experiment.finalist());
}

TEST(ScreenConfirm, AStoppedTrialIsRepeatedUnderANewNumber) {
  auto experiment = screen_confirm(7);
  auto order = *experiment.next();
  experiment.record(tests::measure(order, {large_case()}, planted(7, {}), Outcome::stopped));
  EXPECT_EQ(experiment.next(), (TrialOrder{1, Stage::burn_in, 0, 0}));
}

TEST(ScreenConfirm, ANoisyStageIsMeasuredOnceMore) {
  auto experiment = screen_confirm(7);
  const RunData data = run(experiment, 7, planted(7, {}, 0.1));
  EXPECT_EQ(counts(trials_per_round(data, Stage::screen)), (std::vector<int>{7, 3, 3}));
}

TEST(ScreenConfirm, WithTheBaselineOnlyItMeasuresRoundsOfIt) {
  auto experiment = screen_confirm(1);
  const RunData data = run(experiment, 1, planted(1, {}));
  EXPECT_EQ(of_stage(data, Stage::grid), 5);
  EXPECT_EQ(data.trials.size(), 6U);
}

TEST(ScreenConfirm, ATrialWithoutANeededCaseCountsAsFailed) {
  ScreenConfirm experiment(2, Score({large_case(), large_case(128)}), 1, {});
  const auto order = *experiment.next();
  experiment.record(tests::measure(order, {large_case()}, planted(2, {}), Outcome::complete));
  EXPECT_EQ(experiment.next()->stage, Stage::burn_in);
}

TEST(FixedGrid, GoesThroughShuffledRoundsWithoutFailedCandidates) {
  FixedGrid experiment(4, 5, 3);
  const RunData data = drive(
      experiment, run_record(4, {large_case()}), planted(4, {}),
      [](const TrialOrder& o) { return o.candidate == 2 ? Outcome::crashed : Outcome::complete; });
  EXPECT_EQ(counts(trials_per_round(data, Stage::grid)), (std::vector<int>{4, 3, 3, 3, 3}));
  EXPECT_EQ(of_stage(data, Stage::sentinel), 1);
  EXPECT_EQ(experiment.planned_trials(), static_cast<int>(data.trials.size()));
}

ScreenConfirm closing_with(int candidates, ClosingTrials closing) {
  ScreenConfirmOptions options;
  options.closing = closing;
  return {candidates, Score({large_case()}), 1, options};
}

std::vector<int> candidates_in(const RunData& data, Stage stage) {
  std::vector<int> found;
  for (const TrialOutcome& t : data.trials) {
    if (t.order.stage == stage) found.push_back(t.order.candidate);
  }
  return found;
}

using Whom = ClosingTrials::Whom;

TEST(ClosingTrials, DescribeTheBaselineAndTheFinalistAfterTheDecision) {
  auto experiment = closing_with(7, {Whom::contenders, Whom::contenders});
  const RunData data = run(experiment, 7, planted(7, {{4, 0.1}}));
  EXPECT_EQ(candidates_in(data, Stage::evidence), (std::vector<int>{0, 4}));
  EXPECT_EQ(candidates_in(data, Stage::load), (std::vector<int>{0, 4}));
  EXPECT_EQ(data.trials[data.trials.size() - 5].order.stage, Stage::confirm);
  EXPECT_EQ(experiment.decision(), Decision::better);
}

TEST(ClosingTrials, OfSurvivorsLeaveOutWhoeverFailed) {
  auto experiment = closing_with(5, {Whom::survivors, Whom::nobody});
  const RunData data = run(experiment, 5, planted(5, {{4, 0.1}}), [](const TrialOrder& o) {
    return o.candidate == 2 ? Outcome::hung : Outcome::complete;
  });
  EXPECT_EQ(candidates_in(data, Stage::evidence), (std::vector<int>{0, 1, 3, 4}));
  EXPECT_TRUE(candidates_in(data, Stage::load).empty());
}

TEST(ClosingTrials, LeaveOutAFinalistThatKeepsFailing) {
  auto experiment = closing_with(2, {Whom::survivors, Whom::contenders});
  const RunData data = run(experiment, 2, planted(2, {}), [](const TrialOrder& o) {
    return o.candidate == 1 ? Outcome::crashed : Outcome::complete;
  });
  EXPECT_EQ(candidates_in(data, Stage::evidence), (std::vector<int>{0}));
  EXPECT_EQ(candidates_in(data, Stage::load), (std::vector<int>{0}));
}

TEST(ClosingTrials, ThatFailAreNotRepeatedAndCallNoSentinel) {
  auto experiment = closing_with(2, {Whom::contenders, Whom::contenders});
  const RunData data = run(experiment, 2, planted(2, {{1, 0.1}}), [](const TrialOrder& o) {
    return is_descriptive(o.stage) ? Outcome::crashed : Outcome::complete;
  });
  EXPECT_EQ(of_stage(data, Stage::evidence), 2);
  EXPECT_EQ(of_stage(data, Stage::load), 2);
  EXPECT_EQ(of_stage(data, Stage::sentinel), 0);
  EXPECT_FALSE(experiment.baseline_failed());
}

TEST(ClosingTrials, ThatAreStoppedComeAgain) {
  auto experiment = closing_with(1, {Whom::contenders, Whom::nobody});
  int stops = 1;
  const RunData data = run(experiment, 1, planted(1, {}), [&](const TrialOrder& o) {
    return o.stage == Stage::evidence && stops-- > 0 ? Outcome::stopped : Outcome::complete;
  });
  EXPECT_EQ(candidates_in(data, Stage::evidence), (std::vector<int>{0, 0}));
}

TEST(ClosingTrials, OfAFixedGridDescribeEveryCandidateLeft) {
  FixedGrid experiment(4, 2, 3, {Whom::contenders, Whom::contenders});
  const RunData data = drive(
      experiment, run_record(4, {large_case()}), planted(4, {}),
      [](const TrialOrder& o) { return o.candidate == 2 ? Outcome::crashed : Outcome::complete; });
  EXPECT_EQ(candidates_in(data, Stage::evidence), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(candidates_in(data, Stage::load), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(data.trials.back().order.stage, Stage::load);
}

TEST(ClosingTrials, AreNotThereWhereTheBaselineFailed) {
  auto experiment = closing_with(2, {Whom::contenders, Whom::contenders});
  const RunData data = run(experiment, 2, planted(2, {}), [](const TrialOrder& o) {
    return o.candidate == 0 && o.stage != Stage::burn_in ? Outcome::crashed : Outcome::complete;
  });
  EXPECT_TRUE(experiment.baseline_failed());
  EXPECT_EQ(of_stage(data, Stage::evidence), 0);
  EXPECT_EQ(of_stage(data, Stage::load), 0);
}

TEST(ClosingTrials, AreFoundAgainByAResumedRun) {
  auto first = closing_with(7, {Whom::survivors, Whom::contenders});
  const RunData data = run(first, 7, planted(7, {{3, 0.1}}));
  for (std::size_t cut = 0; cut < data.trials.size(); ++cut) {
    auto resumed = closing_with(7, {Whom::survivors, Whom::contenders});
    for (std::size_t i = 0; i < cut; ++i) {
      ASSERT_EQ(resumed.next(), data.trials[i].order);
      resumed.record(data.trials[i]);
    }
    EXPECT_EQ(resumed.next(), data.trials[cut].order);
  }
}

TEST(ClosingTrials, ArePlannedFromTheStart) {
  const ClosingTrials closing{Whom::survivors, Whom::contenders};
  for (const int candidates : {1, 2, 5, 17}) {
    auto experiment = closing_with(candidates, closing);
    EXPECT_EQ(experiment.planned_trials(), plan_trials(candidates, 0, closing).expected)
        << candidates;
    const RunData data = run(experiment, candidates, planted(candidates, {}));
    EXPECT_EQ(experiment.planned_trials(), static_cast<int>(data.trials.size()));
  }
  FixedGrid grid(4, 2, 3, closing);
  EXPECT_EQ(grid.planned_trials(), plan_trials(4, 2, closing).expected);
}

// Candidate 7 of seven is the twin: it comes after the candidates.
ScreenConfirm with_twin(std::uint64_t seed = 1) {
  ScreenConfirmOptions options;
  options.twin = 7;
  return {7, Score({large_case()}), seed, options};
}

TEST(Alarm, ATwinJoinsTheFirstThreePairs) {
  auto experiment = with_twin();
  EXPECT_EQ(experiment.planned_trials(), plan_trials(7, 0, {}, true).expected);
  const RunData data = run(experiment, 7, planted(8, {{2, 0.1}}));
  EXPECT_EQ(counts(trials_per_round(data, Stage::alarm)), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(of_stage(data, Stage::confirm), 12);
  EXPECT_EQ(plan_trials(7, 0, {}, true).minimum, plan_trials(7, 0).minimum + 3);
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    const TrialOrder& order = data.trials[i].order;
    if (order.stage != Stage::alarm) continue;
    EXPECT_EQ(order.candidate, 7);
    EXPECT_LT(order.round, 3);
  }
  EXPECT_EQ(experiment.planned_trials(), static_cast<int>(data.trials.size()));
}

TEST(Alarm, TheTwinsPlaceInTheTripleIsRandom) {
  std::set<int> places;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    auto experiment = with_twin(seed);
    const RunData data = run(experiment, 7, planted(8, {}));
    std::map<int, int> seen;  // trials of the pair so far
    for (const TrialOutcome& t : data.trials) {
      if (t.order.stage == Stage::alarm) places.insert(seen[t.order.round]);
      if (t.order.stage == Stage::confirm) ++seen[t.order.round];
    }
  }
  EXPECT_EQ(places, (std::set<int>{0, 1, 2}));
}

TEST(Alarm, AFailedTwinSpoilsNoPair) {
  auto experiment = with_twin();
  const RunData data = run(experiment, 7, planted(8, {{2, 0.1}}), [](const TrialOrder& o) {
    return o.stage == Stage::alarm ? Outcome::hung : Outcome::complete;
  });
  EXPECT_EQ(of_stage(data, Stage::alarm), 3);
  EXPECT_EQ(of_stage(data, Stage::confirm), 12);
  EXPECT_EQ(of_stage(data, Stage::sentinel), 0);
  EXPECT_EQ(experiment.decision(), Decision::better);
}

// In the first pair one side fails, whichever place it has in the triple.
TEST(Alarm, APairThatFailsUsesUpNoComparisonOfTheTwin) {
  for (const bool baseline_fails : {false, true}) {
    for (std::uint64_t seed = 1; seed < 12; ++seed) {
      auto experiment = with_twin(seed);
      const RunData data =
          run(experiment, 7, planted(8, {{2, 0.1}}), [&](const TrialOrder& o) {
            const bool fails = o.stage == Stage::confirm && o.round == 0 &&
                               (o.candidate == 0) == baseline_fails;
            return fails ? Outcome::hung : Outcome::complete;
          });
      EXPECT_EQ(Dataset(data).alarm_pairs().size(), 3U) << seed;
      EXPECT_EQ(experiment.planned_trials(), static_cast<int>(data.trials.size()));
    }
  }
}

TEST(Alarm, NobodyRidesWithoutATwinOrAnotherCandidate) {
  ScreenConfirmOptions options;
  options.twin = 1;
  ScreenConfirm alone(1, Score({large_case()}), 1, options);
  EXPECT_EQ(of_stage(run(alone, 1, planted(2, {})), Stage::alarm), 0);
}

TEST(Plan, SaysHowManyTrialsToExpect) {
  const PlannedTrials plan = plan_trials(17, 0);
  EXPECT_EQ(plan.minimum, 40);
  EXPECT_EQ(plan.expected, 46);
  EXPECT_EQ(plan.maximum, 76);
  EXPECT_EQ(to_string(plan), "about 46 trials (40 to 76)");
  EXPECT_EQ(to_string(plan_trials(4, 10)), "41 trials");
  EXPECT_EQ(plan_trials(1, 0).expected, 6);
}

TEST(Plan, PlannedTrialsEndAtTheTrialsRun) {
  for (const int candidates : {1, 2, 5, 17}) {
    auto experiment = screen_confirm(candidates);
    EXPECT_EQ(experiment.planned_trials(), plan_trials(candidates, 0).expected) << candidates;
    const RunData data = run(experiment, candidates, planted(candidates, {}));
    EXPECT_EQ(experiment.planned_trials(), static_cast<int>(data.trials.size()));
  }
}

TEST(Plan, LabelsSayWhereTheRunIs) {
  auto experiment = screen_confirm(7);
  std::vector<std::string> labels;
  while (const auto order = experiment.next()) {
    labels.push_back(experiment.label(*order));
    experiment.record(
        tests::measure(*order, {large_case()}, planted(7, {{2, 0.1}}), Outcome::complete));
  }
  EXPECT_EQ(labels.front(), "burn-in");
  EXPECT_EQ(labels[1], "screen 1/2");
  EXPECT_EQ(labels[8], "screen 2/2");
  EXPECT_EQ(labels[11], "confirm 1/6");
  EXPECT_EQ(labels.back(), "confirm 6/6");
}

}  // namespace
}  // namespace nccl_sweep
