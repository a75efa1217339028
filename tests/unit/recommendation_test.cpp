// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/recommendation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/experiment.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

using tests::drive;
using tests::large_case;
using tests::Planted;
using tests::run_record;

Case workload_case(std::int64_t mebibytes, double calls) {
  Case c = large_case(mebibytes);
  c.calls = calls;
  return c;
}

Recommendation recommend_from(const RunData& data, const RecommendOptions& options = {}) {
  return recommend(data, find(data), options);
}

RunData sweep(std::vector<double> gains, double noise, std::vector<Case> cases = {large_case()},
              const tests::Fate& fate = tests::always_completes, std::uint64_t seed = 3) {
  const auto candidates = static_cast<int>(gains.size());
  ScreenConfirm experiment(candidates, Score(cases), seed, {});
  return drive(experiment, run_record(candidates, cases), Planted(std::move(gains), noise, seed),
               fate);
}

// The finalist makes the first case 20 % faster and the second one 10 % slower.
RunData mixed(double calls_of_the_second) {
  const std::vector<Case> cases{workload_case(64, 10), workload_case(16, calls_of_the_second)};
  ScreenConfirm experiment(2, Score(cases), 3, {});
  Planted noise({0, 0}, 0.005, 3);
  return drive(experiment, run_record(2, cases), [&](const TrialOrder& order, int i) {
    const double gain = order.candidate == 0 ? 0 : i == 0 ? std::log(1.2) : std::log(0.9);
    return noise(order, i) - gain;
  });
}

TEST(Recommendation, AConfirmedFinalistIsRecommended) {
  const Recommendation found = recommend_from(sweep({0, 0.1, 0, 0}, 0.01));
  EXPECT_EQ(found.candidate, 1);
  EXPECT_EQ(found.verdict, Verdict::better);
  EXPECT_EQ(found.reason, "confirmed in 6 fresh pairs");
  EXPECT_FALSE(found.prediction);  // no workload
}

TEST(Recommendation, EqualSettingsKeepTheDefaultAndSayWhy) {
  const Recommendation found = recommend_from(sweep({0, 0, 0, 0}, 0.005));
  EXPECT_TRUE(found.keeps_default());
  EXPECT_TRUE(found.reason.starts_with("nothing gains 3 %")) << found.reason;
}

TEST(Recommendation, ANoisyRunIsUndecidedAndNamesThePairsItWouldTake) {
  RunData data = sweep({0, 0.02}, 0.2, {large_case()}, tests::always_completes, 6);
  for (TrialOutcome& trial : data.trials) trial.total_seconds = 1.5;
  const RunFindings findings = find(data);
  const Recommendation found = recommend(data, findings);
  EXPECT_TRUE(found.keeps_default());
  EXPECT_TRUE(found.reason.starts_with("undecided after 24 pairs")) << found.reason;
  const int pairs = findings.candidates[1].score.pairs_needed;
  const std::string price =
      "about " + std::to_string(pairs) + " pairs (" + std::to_string(2 * pairs) +
      " trials, about " + format_seconds(Seconds{3.0 * pairs}) + ") would settle 3 %";
  EXPECT_NE(found.reason.find(price), std::string::npos) << found.reason << "\n" << price;
}

TEST(Recommendation, PredictsCommunicationTimeAndShares) {
  RunData data = sweep({0, std::log(1.25)}, 0.005, {workload_case(16, 4), workload_case(64, 9)});
  data.run.workload = WorkloadSummary{"job", "kineto", 3};
  const Recommendation found = recommend_from(data);
  ASSERT_TRUE(found.prediction);
  EXPECT_NEAR(found.prediction->before.count(), 4 * 0.25e-3 + 9 * 1e-3, 0.1e-3);
  EXPECT_NEAR(found.prediction->after.count(), found.prediction->before.count() / 1.25, 0.1e-3);
  EXPECT_TRUE(found.prediction->per_iteration);
  ASSERT_EQ(found.prediction->shares.size(), 2U);
  EXPECT_EQ(found.prediction->shares[0].case_index, 1);
  EXPECT_NEAR(found.prediction->shares[0].share, 0.9, 0.01);
}

TEST(Recommendation, RefusesAWinnerThatMakesAnImportantCaseWorse) {
  const RunData data = mixed(8);  // the second case: 2 ms of 12 ms
  const Recommendation found = recommend_from(data);
  EXPECT_EQ(found.verdict, Verdict::better);
  EXPECT_TRUE(found.refused);
  EXPECT_TRUE(found.keeps_default());
  ASSERT_EQ(found.regressions.size(), 1U);
  EXPECT_EQ(found.regressions[0].case_index, 1);
  EXPECT_NEAR(found.regressions[0].gain.ratio, 0.9, 0.01);
  EXPECT_EQ(recommend_from(data, {.allow_regressions = true}).candidate, 1);
}

TEST(Recommendation, AnUnimportantCaseMayGetWorse) {
  const Recommendation found = recommend_from(mixed(1));  // 0.25 ms of 10.25 ms
  EXPECT_EQ(found.candidate, 1);
  EXPECT_TRUE(found.regressions.empty());
}

TEST(Recommendation, AWinnerThatFailedOnceIsNotRecommendedUnasked) {
  const RunData data = sweep({0, 0.1}, 0.01, {large_case()}, [](const TrialOrder& o) {
    return o.candidate == 1 && o.round == 2 ? Outcome::hung : Outcome::complete;
  });
  const Recommendation found = recommend_from(data);
  EXPECT_TRUE(found.refused);
  EXPECT_TRUE(found.reason.starts_with("it is faster, but failed in 1 of 7 launches"))
      << found.reason;
  EXPECT_EQ(recommend_from(data, {.allow_regressions = true}).candidate, 1);
}

TEST(Recommendation, OfAGridTheFastestBetterSettingIsTaken) {
  FixedGrid experiment(4, 8, 1);
  const Recommendation found = recommend_from(
      drive(experiment, run_record(4, {large_case()}), Planted({0, 0.05, 0.1, 0}, 0.004, 1)));
  EXPECT_EQ(found.candidate, 2);
  ASSERT_EQ(found.size_winners.size(), 1U);
  EXPECT_EQ(found.size_winners[0].candidate, 2);
}

TEST(Recommendation, WithoutChallengersOrComparisonsTheDefaultStays) {
  FixedGrid alone(1, 5, 1);
  EXPECT_EQ(
      recommend_from(drive(alone, run_record(1, {large_case()}), Planted({0}, 0.01, 1))).reason,
      "nothing was varied");
  const Recommendation failed =
      recommend_from(sweep({0, 0, 0, 0}, 0.01, {large_case()}, [](const TrialOrder& o) {
        return o.candidate > 0 ? Outcome::unsupported : Outcome::complete;
      }));
  EXPECT_TRUE(failed.keeps_default());
  EXPECT_EQ(failed.reason, "no setting got as far as being compared with the default");
}

TEST(Recommendation, AFailedBaselineIsTheReasonThatIsGiven) {
  const RunData data =
      sweep({0, 0, 0, 0}, 0.01, {large_case()}, [](const TrialOrder&) { return Outcome::crashed; });
  EXPECT_EQ(find(data).candidates[0].failures, 2);
  EXPECT_EQ(recommend_from(data).reason, "the default itself failed, so nothing can be compared");
  EXPECT_EQ(why_not_comparable(data, find(data)), recommend_from(data).reason);
}

TEST(Recommendation, NothingIsComparableWithoutAMeasuredDefault) {
  RunData data;
  data.run = run_record(2, {large_case()});
  EXPECT_EQ(why_not_comparable(data, find(data)),
            "the default was not measured, so nothing can be compared");
  data = sweep({0, 0.1}, 0.01);
  EXPECT_EQ(why_not_comparable(data, find(data)), "");
  data.end.emplace();
  data.end->reason = "baseline failed";
  EXPECT_EQ(why_not_comparable(data, find(data)),
            "the default itself failed, so nothing can be compared");
}

TEST(Recommendation, AnAlarmRefusesTheWinnerWhateverIsAllowed) {
  ScreenConfirmOptions experiment_options;
  experiment_options.twin = 2;
  ScreenConfirm experiment(2, Score({large_case()}), 5, experiment_options);
  RunRecord run = run_record(2, {large_case()});
  run.collapsed = {{{{{"NCCL_SAME", "1"}}}, 0, "it does nothing"}};
  const RunData data = drive(experiment, run, Planted({0, 0.2, 0.1}, 0.002, 9));
  const Recommendation found = recommend_from(data, {.allow_regressions = true});
  EXPECT_EQ(found.verdict, Verdict::better);
  EXPECT_TRUE(found.refused);
  EXPECT_TRUE(found.keeps_default());
  EXPECT_TRUE(found.size_winners.empty());
  EXPECT_NE(found.reason.find("NCCL_SAME=1 is predicted to equal the default"), std::string::npos)
      << found.reason;
}

bool warned(const Recommendation& found, std::string_view words) {
  return std::ranges::any_of(found.warnings, [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

// A winner with costs; `edit` gets each trial of the candidate.
Recommendation costly(const std::function<void(TrialOutcome&)>& edit) {
  RunData data = sweep({0, 0.1}, 0.002);
  for (TrialOutcome& trial : data.trials) {
    trial.start_up_seconds = 1;
    trial.device_bytes = 400 << 20;
    trial.cases[0].cpu_seconds = 0.5;
    trial.cases[0].wall_seconds = 1;
    if (trial.order.candidate == 1) edit(trial);
  }
  return recommend_from(data);
}

TEST(Recommendation, NamesCostsThatGrewAndNoOthers) {
  EXPECT_TRUE(costly([](TrialOutcome&) {}).warnings.empty());
  EXPECT_TRUE(
      warned(costly([](TrialOutcome& t) { t.cases[0].cpu_seconds = 0.9; }), "host CPU 1.8x"));
  EXPECT_TRUE(costly([](TrialOutcome& t) { t.cases[0].cpu_seconds = 0.58; }).warnings.empty());
  EXPECT_TRUE(warned(costly([](TrialOutcome& t) { t.start_up_seconds = 1.6; }), "start-up 1.6x"));
  EXPECT_TRUE(costly([](TrialOutcome& t) { t.start_up_seconds = 1.4; }).warnings.empty());
  EXPECT_TRUE(
      warned(costly([](TrialOutcome& t) { t.device_bytes = 800 << 20; }), "device memory 2.0x"));
  EXPECT_TRUE(costly([](TrialOutcome& t) { t.device_bytes = 620 << 20; }).warnings.empty());
}

TEST(Recommendation, NamesWhatTheComputeLosesBesideTheSetting) {
  const auto with_load = [](double baseline, double candidate) {
    RunData data = sweep({0, 0.1}, 0.002);
    for (const int c : {0, 1}) {
      TrialOutcome loaded = data.trials.back();
      loaded.order = {static_cast<int>(data.trials.size()), Stage::load, 0, c};
      loaded.cases[0].load_alone_seconds = 1;
      loaded.cases[0].load_beside_seconds = c == 0 ? baseline : candidate;
      data.trials.push_back(loaded);
    }
    return recommend_from(data);
  };
  EXPECT_TRUE(warned(with_load(1.10, 1.25), "takes 1.25x its own time, 1.10x with the default"));
  EXPECT_TRUE(with_load(1.10, 1.13).warnings.empty());
}

TEST(Recommendation, NamesTheNextBestOfAWinnerThatCosts) {
  const auto costly_winner = [](double next) {
    RunData data = sweep({0, 0.1, next}, 0.002);
    for (TrialOutcome& trial : data.trials) {
      trial.start_up_seconds = trial.order.candidate == 1 ? 3 : 1;
    }
    return recommend_from(data);
  };
  EXPECT_TRUE(warned(costly_winner(0.09), "would confirm it and tell its cost"));
  EXPECT_FALSE(warned(costly_winner(0.05), "would confirm it and tell its cost"));
  EXPECT_FALSE(warned(recommend_from(sweep({0, 0.1, 0.09}, 0.002)), "would confirm it"));
}

TEST(Recommendation, SaysWhereAWinnerLoses) {
  ScreenConfirmOptions options;
  options.rule.looks = {12};
  const std::vector<Case> cases{workload_case(64, 100), workload_case(16, 1)};
  ScreenConfirm experiment(2, Score(cases), 3, options);
  Planted noise({0, 0}, 0.002, 3);
  const RunData data = drive(experiment, run_record(2, cases), [&](const TrialOrder& o, int i) {
    return noise(o, i) - (o.candidate == 0 ? 0 : i == 0 ? 0.2 : -0.1);
  });
  const Recommendation found = recommend_from(data);
  EXPECT_EQ(found.candidate, 1);
  EXPECT_TRUE(warned(found, "slower at ")) << found.reason;
}

TEST(Recommendation, AnotherLibraryIsAdviceOnly) {
  RunData data = sweep({0, 0.1}, 0.002);
  data.run.candidates[1].assignments = {{"nccl_library", "/opt/libnccl.so"}};
  const Recommendation found = recommend_from(data);
  EXPECT_TRUE(warned(found, "advisory only"));
  EXPECT_TRUE(environment_assignments(data.run.candidates[1]).empty());
}

TEST(Recommendation, OnlyEnvironmentVariablesGoIntoFiles) {
  const Candidate c{{{"NCCL_ALGO", "Ring"}, {"buffer", "symmetric"}, {"nccl_library", "/x.so"}}};
  EXPECT_EQ(environment_assignments(c), (Assignments{{"NCCL_ALGO", "Ring"}}));
  EXPECT_EQ(other_assignments(c).size(), 2U);
}

}  // namespace
}  // namespace nccl_sweep
