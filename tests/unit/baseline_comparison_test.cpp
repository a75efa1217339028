// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/baseline_match.hpp"
#include "analysis/baseline_of_run.hpp"
#include "core/error.hpp"
#include "golden/compared_runs.hpp"

namespace nccl_sweep {
namespace {

using tests::compared_run;
using tests::planted_baseline;
using tests::planted_case;

constexpr std::int64_t kMiB = 1 << 20;

BaselineComparison compare(const RunData& data, const BaselineFile& file,
                           const CompareOptions& options = {}) {
  return compare_with_baselines(data, {file}, options);
}

std::vector<std::string> reasons(const SourceComparison& source) {
  std::vector<std::string> all;
  for (const LeftOut& one : source.left_out) all.push_back(one.size + ": " + one.reason);
  return all;
}

TEST(Comparison, ExactlyAtTheThresholdPasses) {
  const BaselineComparison c = compare(compared_run(0.95), planted_baseline());
  EXPECT_EQ(c.standing, Standing::pass);
  ASSERT_EQ(c.sources[0].figures.size(), 3U);
  EXPECT_NEAR(c.sources[0].whole.value, 0.95, 1e-9);
  EXPECT_NEAR(c.sources[0].figures[0].busbw, 190, 1e-6);
  for (const ComparedFigure& f : c.sources[0].figures) {
    EXPECT_EQ(f.ratio.standing, Standing::pass);
    EXPECT_FALSE(f.fails_after_holm);
  }
}

TEST(Comparison, OnePercentBelowWithTightLaunchesFails) {
  const BaselineComparison c = compare(compared_run(0.94, 0.002), planted_baseline());
  EXPECT_EQ(c.standing, Standing::fail);
  EXPECT_EQ(c.sources[0].figures[1].ratio.standing, Standing::fail);
  EXPECT_TRUE(c.sources[0].figures[1].fails_after_holm);
  EXPECT_FALSE(c.sources[0].figures[0].fails_after_holm) << "1 MiB does not count alone";
  EXPECT_EQ(c.reason,
            "below 0.95 at all_gather bfloat16 out_of_place world 64 MiB, "
            "all_gather bfloat16 out_of_place world 1 GiB");
}

TEST(Comparison, OnePercentBelowWithWideLaunchesIsUndecided) {
  const BaselineComparison c = compare(compared_run(0.94, 0.05), planted_baseline());
  EXPECT_EQ(c.standing, Standing::undecided);
  ASSERT_TRUE(c.sources[0].whole.interval);
  EXPECT_LT(c.sources[0].whole.interval->low, 0.95);
  EXPECT_GT(c.sources[0].whole.interval->high, 0.95);
  EXPECT_EQ(c.reason, "the interval holds 0.95: more launches would tell");
}

TEST(Comparison, TheIntervalIsStudentsOfTheLaunches) {
  // ln busbw -0.05, 0, 0.05 twice: sd 0.0447214, standard error 0.0182574, t(5) = 2.5705818.
  const BaselineComparison c = compare(compared_run(1.0, 0.05), planted_baseline());
  ASSERT_TRUE(c.sources[0].whole.interval);
  EXPECT_NEAR(c.sources[0].whole.interval->low, std::exp(-0.0469318), 1e-6);
  EXPECT_NEAR(c.sources[0].whole.interval->high, std::exp(0.0469318), 1e-6);
}

TEST(Comparison, TheNoiseOfTheReferenceWidensTheInterval) {
  BaselineFile file = planted_baseline();
  for (Figure& f : file.series[0].figures) {
    // The interval that six launches as noisy as those here give.
    f.low = 200 * std::exp(-0.0469318);
    f.high = 200 * std::exp(0.0469318);
    f.launches = 6;
  }
  const BaselineComparison c = compare(compared_run(1.0, 0.05), file);
  // Twice the variance, twice the degrees of freedom: t(10) = 2.2281389.
  const double reach = 2.2281389 * 0.0182574 * std::sqrt(2.0);
  EXPECT_NEAR(c.sources[0].figures[0].ratio.interval->low, std::exp(-reach), 1e-5);
  EXPECT_NEAR(c.sources[0].figures[0].ratio.interval->high, std::exp(reach), 1e-5);
}

TEST(Comparison, OneSlowLargeSizeFailsAWholeThatPassesOnAverage) {
  RunData data = compared_run(1.0, 0.002);
  for (TrialOutcome& trial : data.trials) trial.cases[2].mean_seconds[0] *= 1.1;
  const BaselineComparison c = compare(data, planted_baseline());
  EXPECT_GT(c.sources[0].whole.value, 0.96);
  EXPECT_EQ(c.standing, Standing::fail);
  EXPECT_EQ(c.reason, "below 0.95 at all_gather bfloat16 out_of_place world 1 GiB");
}

TEST(Comparison, OneSlowSmallSizeDoesNotFailTheWhole) {
  RunData data = compared_run(1.0, 0.002);
  for (TrialOutcome& trial : data.trials) trial.cases[0].mean_seconds[0] *= 1.1;
  const BaselineComparison c = compare(data, planted_baseline());
  EXPECT_EQ(c.sources[0].figures[0].ratio.standing, Standing::fail);
  EXPECT_EQ(c.standing, Standing::pass);
}

TEST(Comparison, HolmLetsOneOfTwentyBorderlineSizesPass) {
  std::vector<Case> cases;
  BaselineFile file = planted_baseline();
  file.series[0].figures.clear();
  for (int i = 0; i < 20; ++i) {
    cases.push_back(planted_case(Collective::all_gather, DataType::bfloat16, (16 + i) * kMiB, 0));
    file.series[0].figures.push_back({FigureKind::at_size, cases.back().size, {}, {}, 200});
  }
  RunData data = compared_run(1.0, 0.01, 6, cases);
  // Two standard errors and a half below: 2.5 % alone, not among twenty.
  const double slow = 0.95 * std::exp(-2.8 * 0.01 * std::sqrt(0.8 / 6));
  for (TrialOutcome& trial : data.trials) trial.cases[7].mean_seconds[0] /= slow;
  const BaselineComparison c = compare(data, file);
  EXPECT_EQ(c.sources[0].figures[7].ratio.standing, Standing::fail);
  EXPECT_FALSE(c.sources[0].figures[7].fails_after_holm);
  EXPECT_EQ(c.standing, Standing::pass);
}

TEST(Comparison, FewerThanThreeLaunchesAreUndecidedUnlessAskedFor) {
  const BaselineComparison c = compare(compared_run(0.99, 0, 1), planted_baseline());
  EXPECT_EQ(c.standing, Standing::undecided);
  EXPECT_FALSE(c.sources[0].whole.interval);
  EXPECT_EQ(c.sources[0].figures[0].notes[0], "one launch here");
  EXPECT_NEAR(c.sources[0].figures[0].ratio.value, 0.99, 1e-9);
  CompareOptions single;
  single.rule.single_launch = true;
  EXPECT_EQ(compare(compared_run(0.95, 0, 1), planted_baseline(), single).standing, Standing::pass);
  EXPECT_EQ(compare(compared_run(0.94, 0, 2), planted_baseline(), single).standing, Standing::fail);
}

TEST(Comparison, AReferenceOfOneLaunchIsMarkedToo) {
  BaselineFile file = planted_baseline();
  for (Figure& f : file.series[0].figures) f.launches = 1;
  const BaselineComparison c = compare(compared_run(1.0), file);
  EXPECT_EQ(c.standing, Standing::undecided);
  EXPECT_EQ(c.sources[0].figures[0].notes[0], "one launch there");
}

TEST(Comparison, AnotherFabricIsNotComparable) {
  RunData data = compared_run(1.0);
  data.run.fabric.device = "NVIDIA H100 80GB HBM3";
  const BaselineComparison c = compare(data, planted_baseline());
  EXPECT_EQ(c.standing, Standing::not_comparable);
  EXPECT_TRUE(c.sources[0].figures.empty());
  EXPECT_EQ(c.sources[0].reason, "GPU: H200 there, NVIDIA H100 80GB HBM3 here");
}

TEST(Comparison, AnotherNcclIsNotComparableUnlessAskedFor) {
  RunData data = compared_run(1.0);
  data.run.fabric.versions["nccl"] = "2.27.7";
  BaselineComparison c = compare(data, planted_baseline());
  EXPECT_EQ(c.standing, Standing::not_comparable);
  EXPECT_EQ(c.sources[0].reason, "NCCL 2.28 there, 2.27 here");
  CompareOptions options;
  options.any_nccl = true;
  EXPECT_EQ(compare(data, planted_baseline(), options).standing, Standing::pass);
  data.run.fabric.versions["nccl"] = "2.28.30";
  EXPECT_EQ(compare(data, planted_baseline()).standing, Standing::pass) << "same major.minor";
}

TEST(Comparison, MissingSizesMoreSizesAndEmptyOnesAreNamed) {
  const RunData data =
      compared_run(1.0, 0, 6,
                   {planted_case(Collective::all_gather, DataType::bfloat16, 64 * kMiB, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 32 * kMiB, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 8, 0),
                    planted_case(Collective::all_reduce, DataType::bfloat16, 64 * kMiB, 0)});
  ASSERT_EQ(data.run.cases[2].size.value, 0) << "below a share of 16 bytes for each of two ranks";
  const BaselineComparison c = compare(data, planted_baseline());
  EXPECT_EQ(c.standing, Standing::pass);
  EXPECT_EQ(c.sources[0].figures.size(), 1U);
  EXPECT_EQ(reasons(c.sources[0]),
            (std::vector<std::string>{"32 MiB: no figure at this size",
                                      "0 B: 0 bytes after nccl-tests' rounding",
                                      "64 MiB: no figure of all_reduce", "1 MiB: not measured here",
                                      "1 GiB: not measured here"}));
}

TEST(Comparison, SizesMatchWhereNcclTestsRunsTheSame) {
  BaselineFile file = planted_baseline();
  Case c = planted_case(Collective::all_gather, DataType::bfloat16, 1000001, 0);
  ASSERT_EQ(c.size.value, 1000000 - 1000000 % 32);
  file.series[0].figures = {{FigureKind::at_size, Bytes{1000001}, {}, {}, 200}};
  EXPECT_EQ(compare(compared_run(1.0, 0, 6, {c}), file).sources[0].figures.size(), 1U);
  file.series[0].figures[0].size = c.size;
  EXPECT_EQ(compare(compared_run(1.0, 0, 6, {c}), file).sources[0].figures.size(), 1U);
  file.series[0].figures[0].size = Bytes{c.size.value - 1};
  EXPECT_EQ(compare(compared_run(1.0, 0, 6, {c}), file).sources[0].figures.size(), 0U);
}

TEST(Comparison, OtherPlacementRanksGroupGraphAndDtypeAreReasons) {
  const auto only_reason = [](auto&& change_case, auto&& change_series) {
    RunData data = compared_run(
        1.0, 0, 6, {planted_case(Collective::all_gather, DataType::bfloat16, kMiB, 0)});
    BaselineFile file = planted_baseline();
    change_case(data.run.cases[0]);
    change_series(file.series[0]);
    const BaselineComparison c = compare(data, file);
    EXPECT_EQ(c.standing, Standing::not_comparable);
    return c.sources[0].left_out.at(0).reason;
  };
  const auto as_it_is = [](auto&) {};
  EXPECT_EQ(only_reason([](Case& c) { c.placement = Placement::in_place; }, as_it_is),
            "placement: out_of_place there, in_place here");
  EXPECT_EQ(only_reason(as_it_is, [](BaselineSeries& s) { s.group_size = 8; }),
            "ranks: 8 there, 2 here");
  EXPECT_EQ(only_reason([](Case& c) { c.graph = true; }, as_it_is),
            "CUDA graph: no there, yes here");
  EXPECT_EQ(only_reason(as_it_is, [](BaselineSeries& s) { s.dtype = DataType::float32; }),
            "dtype: float32 there, bfloat16 here");
}

TEST(Comparison, TheNodeOfAOneNodeRunIsTheWorld) {
  Case c = planted_case(Collective::all_gather, DataType::bfloat16, kMiB, 0);
  c.group = {GroupKind::node, 1, 0};
  EXPECT_EQ(compare(compared_run(1.0, 0, 6, {c}), planted_baseline()).standing, Standing::pass);
}

std::vector<Case> workload_cases() {
  return {planted_case(Collective::all_gather, DataType::bfloat16, 1 * kMiB, 1000),
          planted_case(Collective::all_gather, DataType::bfloat16, 1024 * kMiB, 1)};
}

TEST(Comparison, AWorkloadWeighsByItsTime) {
  RunData data = compared_run(1.0, 0.001, 6, workload_cases());
  // 1000 calls of 1 MiB take 1000 / 1024 of the time of one call of 1 GiB.
  for (TrialOutcome& trial : data.trials) trial.cases[0].mean_seconds[0] *= 1.2;
  const BaselineComparison c = compare(data, planted_baseline());
  EXPECT_NEAR(c.sources[0].whole.value, 2024.0 / 2224.0, 1e-3);
  EXPECT_EQ(c.standing, Standing::fail);
  EXPECT_EQ(c.sources[0].whole_of, "the workload's time, 100 % of its bytes");
}

TEST(Comparison, AWorkloadOfWhichMostHasNoFigureIsUndecided) {
  std::vector<Case> cases = workload_cases();
  cases.push_back(planted_case(Collective::all_gather, DataType::bfloat16, 512 * kMiB, 4));
  const BaselineComparison c = compare(compared_run(1.0, 0, 6, cases), planted_baseline());
  EXPECT_EQ(c.standing, Standing::undecided);
  EXPECT_EQ(c.reason, "less than 90 % of the workload's bytes could be compared");
}

TEST(Comparison, AWorkloadGivenForTheComparisonReplacesTheSizesWeight) {
  RunData data = compared_run(1.0, 0.001);
  for (TrialOutcome& trial : data.trials) trial.cases[0].mean_seconds[0] *= 1.1;
  CompareOptions options;
  WorkloadCase w;
  w.collective = Collective::all_gather;
  w.dtype = DataType::bfloat16;
  w.bytes = Bytes{kMiB};
  w.group_size = 2;
  w.calls = 3;
  options.workload = {w};
  const BaselineComparison c = compare(data, planted_baseline(), options);
  EXPECT_NEAR(c.sources[0].whole.value, 1 / 1.1, 1e-3);
  EXPECT_EQ(c.standing, Standing::fail);
  EXPECT_EQ(compare(data, planted_baseline()).standing, Standing::pass);
}

BaselineFile with_second_source(FigureClass figure_class, double busbw) {
  BaselineFile file = planted_baseline();
  file.sources.push_back(file.sources[0]);
  file.sources[1].id = "other";
  file.sources[1].title = "other/figures@7654321";
  file.sources[1].figure_class = figure_class;
  file.series.push_back(file.series[0]);
  file.series[1].source = "other";
  for (Figure& f : file.series[1].figures) f.busbw = busbw;
  return file;
}

TEST(Comparison, ContradictorySourcesStayApartAndDecideNothing) {
  BaselineFile file = with_second_source(FigureClass::published, 300);
  file.contradictions = {{"one of the two is wrong", {"lab", "other"}}};
  const BaselineComparison c = compare(compared_run(1.0, 0.001), file);
  ASSERT_EQ(c.sources.size(), 2U);
  EXPECT_EQ(c.sources[0].whole.standing, Standing::pass);
  EXPECT_EQ(c.sources[1].whole.standing, Standing::fail);
  EXPECT_EQ(c.standing, Standing::undecided);
  EXPECT_EQ(c.reason, "2 sources do not all say the same");
  ASSERT_EQ(c.contradictions.size(), 1U);
  EXPECT_EQ(c.contradictions[0].sources[1],
            "measured and published, other/figures@7654321: all_gather 1 GiB 300 GB/s");
}

TEST(Comparison, WhatWeMeasuredDecidesBeforeWhatOthersPublished) {
  const BaselineComparison c =
      compare(compared_run(1.0, 0.001), with_second_source(FigureClass::measured, 300));
  EXPECT_EQ(c.standing, Standing::fail);
}

TEST(Comparison, FloorsExpertsAndDerivedFiguresFailNothingUnlessAsked) {
  for (const FigureClass other : {FigureClass::floor, FigureClass::expert, FigureClass::derived}) {
    const BaselineFile file = with_second_source(other, 300);
    const BaselineComparison c = compare(compared_run(1.0, 0.001), file);
    EXPECT_EQ(c.standing, Standing::pass);
    EXPECT_EQ(c.sources[1].whole.standing, Standing::fail);
    CompareOptions options;
    options.all_classes = true;
    EXPECT_EQ(compare(compared_run(1.0, 0.001), file, options).standing, Standing::undecided);
  }
}

TEST(Comparison, FiguresOfAnotherSettingAreShownOnly) {
  BaselineFile file = planted_baseline();
  file.sources[0].setting = "NVLS off";
  const BaselineComparison c = compare(compared_run(0.5), file);
  EXPECT_EQ(c.sources[0].whole.standing, Standing::fail);
  EXPECT_EQ(c.sources[0].only_shown, "measured with NVLS off");
  EXPECT_EQ(c.standing, Standing::not_comparable);
}

TEST(Comparison, AveragesAndPeaksAreOfTheSizesWithinTheirRange) {
  BaselineFile file = planted_baseline();
  file.series[0].figures = {{FigureKind::average, {}, Bytes{64 * kMiB}, {}, 150},
                            {FigureKind::peak, {}, {}, Bytes{64 * kMiB}, 200}};
  RunData data = compared_run(1.0, 0.001);
  for (TrialOutcome& trial : data.trials) trial.cases[2].mean_seconds[0] *= 2;  // 100 GB/s
  const BaselineComparison c = compare(data, file);
  ASSERT_EQ(c.sources[0].figures.size(), 2U);
  EXPECT_NEAR(c.sources[0].figures[0].busbw, 150, 0.1);
  EXPECT_EQ(c.sources[0].figures[0].notes.back(), "over 2 sizes here");
  EXPECT_NEAR(c.sources[0].figures[1].busbw, 200, 0.1);
  EXPECT_EQ(c.standing, Standing::pass);
}

TEST(Comparison, OfManyBaselinesOnlyThoseOfTheFabricAreShown) {
  BaselineFile file = with_second_source(FigureClass::published, 200);
  file.fabrics.push_back(file.fabrics[0]);
  file.fabrics[1].name = "h200-8-nvlink";
  file.fabrics[1].gpus_per_node = 8;
  file.series[1].fabric = "h200-8-nvlink";
  CompareOptions options;
  options.matching_only = true;
  EXPECT_EQ(compare(compared_run(1.0), file, options).sources.size(), 1U);
  EXPECT_EQ(compare(compared_run(1.0), file).sources.size(), 2U);
  RunData other = compared_run(1.0);
  other.run.fabric.ranks_per_node = 4;
  EXPECT_EQ(compare(other, file, options).sources.size(), 2U) << "the same GPU: why not?";
  other.run.fabric.device = "NVIDIA B200";
  EXPECT_EQ(compare(other, file, options).sources.size(), 0U);
}

TEST(BaselineOfRun, ComparesWithItsOwnRunAsOne) {
  const RunData data = compared_run(1.0, 0.01);
  const BaselineFile file = baseline_of_run(data, "own");
  EXPECT_EQ(file.series.size(), 1U);
  EXPECT_EQ(file.series[0].figures.size(), 3U);
  EXPECT_EQ(file.series[0].figures[0].launches, 6);
  const BaselineFile read = parse_baseline(to_json_text(file), "written");
  const BaselineComparison c = compare(data, read);
  EXPECT_EQ(c.standing, Standing::pass);
  EXPECT_NEAR(c.sources[0].whole.value, 1, 1e-5);
  EXPECT_EQ(c.sources[0].notes.at(0),
            "the reference was made of this very run: 1.00x says nothing");
}

TEST(BaselineOfRun, AnotherFingerprintIsAnotherFabric) {
  RunData data = compared_run(1.0);
  const BaselineFile file = baseline_of_run(data, "own");
  data.run.fabric.fingerprint = "ffff";
  EXPECT_EQ(compare(data, file).sources[0].reason,
            "fabric planted-2-nvlink: fingerprint 0123abcd there, ffff here");
  data.run.fabric.name = "planted-4-nvlink";
  EXPECT_EQ(compare(data, file).sources[0].reason,
            "fabric: planted-2-nvlink there, planted-4-nvlink here");
}

TEST(BaselineOfRun, WhatNcclTestsLeavesOutIsNoDifference) {
  RunData data = compared_run(1.0);
  data.run.environment["NCCL_ALGO"] = "Ring";
  const BaselineFile file = baseline_of_run(data, "own");
  data.run.started = "2026-02-02T03:04:05Z";
  data.run.imported = true;
  data.run.environment.clear();
  data.run.fabric.fingerprint = "ffff";
  data.run.fabric.name = "planted-2";
  data.run.fabric.link.clear();
  const BaselineComparison c = compare(data, file);
  EXPECT_EQ(c.standing, Standing::pass) << c.sources[0].reason;
  const std::string link = file.fabrics[0].link;
  EXPECT_EQ(c.sources[0].notes,
            (std::vector<std::string>{
                "link between GPUs: " + link + " there, not told by what was imported here",
                "variables: known there, not told by what was imported here"}));
  const BaselineFile imported = parse_baseline(to_json_text(baseline_of_run(data, "old")), "old");
  EXPECT_TRUE(imported.fabrics[0].imported);
  EXPECT_EQ(compare(compared_run(1.0), imported).standing, Standing::pass);
  data.run.fabric.ranks_per_node = 4;
  EXPECT_EQ(compare(data, file).sources[0].reason, "GPUs of a node: 2 there, 4 here");
}

TEST(BaselineOfRun, WrongDataIsSaidWhereOtherLaunchesPass) {
  RunData data = compared_run(1.0);
  const BaselineFile file = baseline_of_run(data, "own");
  data.run.started = "2026-02-02T03:04:05Z";
  data.trials[1].outcome = Outcome::wrong_data;
  data.trials[1].failure = Failure{};
  EXPECT_EQ(compare(data, file).sources[0].notes,
            std::vector<std::string>{"wrong data in 1 trial here: see nccl-sweep report"});
}

TEST(BaselineOfRun, AnotherRecipeIsNotComparable) {
  RunData data = compared_run(1.0);
  const BaselineFile ours = parse_baseline(to_json_text(baseline_of_run(data, "own")), "own");
  EXPECT_EQ(ours.sources.front().recipe, "nccl-sweep");
  data.run.imported = true;
  data.run.recipe = "nccl-tests as usual";
  EXPECT_EQ(compare(data, ours).standing, Standing::pass);
  const BaselineFile usual = parse_baseline(to_json_text(baseline_of_run(data, "old")), "old");
  data.run.recipe = "nccl-tests with average 2";
  EXPECT_EQ(compare(data, ours).sources[0].reason,
            "recipe: nccl-sweep there, nccl-tests with average 2 here");
  EXPECT_EQ(compare(data, usual).standing, Standing::not_comparable);
  EXPECT_EQ(compare(data, baseline_of_run(data, "same")).standing, Standing::pass);
  data.run.recipe.clear();  // by an earlier version
  EXPECT_EQ(compare(data, usual).standing, Standing::pass);
}

TEST(BaselineOfRun, ADifferentEnvironmentIsSaid) {
  RunData data = compared_run(1.0);
  const BaselineFile file = baseline_of_run(data, "own");
  data.run.started = "2026-02-02T03:04:05Z";
  data.run.environment["NCCL_ALGO"] = "Ring";
  EXPECT_EQ(compare(data, file).sources[0].notes,
            std::vector<std::string>{"differs: NCCL_ALGO: unset there, Ring here"});
}

TEST(BaselineOfRun, FewLaunchesFailuresAndUnverifiedDataAreDoubts) {
  EXPECT_TRUE(doubts_about(compared_run(1.0)).empty());
  EXPECT_EQ(doubts_about(compared_run(1.0, 0, 1)),
            std::vector<std::string>{"one launch of the default; an interval takes 3"});
  RunData data = compared_run(1.0);
  data.trials[1].outcome = Outcome::hung;
  data.trials[1].failure = Failure{};
  data.trials[2].cases[0].wrong_elements = -1;
  EXPECT_EQ(doubts_about(data), (std::vector<std::string>{"the default failed in 1 trial",
                                                          "not all of its data was verified"}));
}

TEST(BaselineOfRun, WithoutALaunchOfTheDefaultThereIsNone) {
  const RunData data = compared_run(1.0, 0, 0);
  EXPECT_THROW(baseline_of_run(data, "own"), Error);
  EXPECT_EQ(compare(data, planted_baseline()).reason,
            "the run has no complete launch of the default");
}

TEST(BaselineMatch, BoardsOfOneChipDiffer) {
  EXPECT_EQ(gpu_key("NVIDIA H200"), gpu_key("H200"));
  EXPECT_EQ(gpu_key("NVIDIA A100-SXM4-80GB"), gpu_key("A100"));
  EXPECT_EQ(gpu_key("NVIDIA H100 80GB HBM3"), gpu_key("H100"));
  EXPECT_EQ(gpu_key("NVIDIA GeForce RTX 5090"), gpu_key("GeForce RTX 5090"));
  EXPECT_EQ(gpu_key("Tesla V100-SXM2-32GB"), gpu_key("Tesla V100"));
  EXPECT_NE(gpu_key("NVIDIA H200 NVL"), gpu_key("H200"));
  EXPECT_NE(gpu_key("NVIDIA H100 PCIe"), gpu_key("H100"));
  EXPECT_NE(gpu_key("NVIDIA GB200"), gpu_key("B200"));
}

RunRecord four_nodes() {
  RunRecord run = compared_run(1.0).run;
  run.fabric.nodes = 4;
  run.fabric.ranks_per_node = 8;
  run.ranks = 32;
  run.fabric.network = "IB";
  for (int i = 0; i < 8; ++i) {
    run.fabric.adapters["mlx5_" + std::to_string(i)] = "IB 400 Gb/s";
  }
  run.fabric.adapters["mlx5_8"] = "RoCE 100 Gb/s";
  return run;
}

TEST(BaselineMatch, TheFabricOfARunNamesItsAdapters) {
  const BaselineFabric here = baseline_fabric(four_nodes());
  EXPECT_EQ(here.adapters, 8);
  EXPECT_EQ(here.network, "IB");
  EXPECT_EQ(here.gbit_per_s, 400);
  EXPECT_EQ(here.ranks, 32);
}

TEST(BaselineMatch, NetworksBetweenNodesMustBeStatedAndAlike) {
  BaselineFabric here = baseline_fabric(four_nodes());
  here.fingerprint.clear();
  const BaselineFabric same = here;
  const auto reason = [&](auto&& change, FigureClass c = FigureClass::published) {
    BaselineFabric there = same;
    change(there);
    return fabric_mismatch(there, here, c);
  };
  EXPECT_EQ(reason([](auto&) {}), "");
  EXPECT_EQ(reason([](auto& f) { f.network = "RoCE"; }), "network: RoCE there, IB here");
  EXPECT_EQ(reason([](auto& f) { f.adapters = 4; }), "adapters of a node: 4 there, 8 here");
  EXPECT_EQ(reason([](auto& f) { f.gbit_per_s = 200; }), "Gb/s of an adapter: 200 there, 400 here");
  EXPECT_EQ(reason([](auto& f) { f.gbit_per_s = 0; }),
            "Gb/s of an adapter not stated by the source");
  EXPECT_EQ(reason([](auto& f) { f.network = ""; }),
            "network between nodes not stated by the source");
  EXPECT_EQ(reason([](auto& f) { f.network = ""; }, FigureClass::floor), "");
  EXPECT_EQ(reason([](auto& f) { f.nodes = 2; }), "nodes: 2 there, 4 here");
  EXPECT_EQ(reason([](auto& f) { f.nodes = 0; }), "nodes not stated by the source");
  EXPECT_EQ(reason([](auto& f) { f.nodes = 0; }, FigureClass::floor), "");
  EXPECT_EQ(reason([](auto& f) { f.simulated = true; }),
            "simulated and real figures are not compared");
  here.network = "AWS Libfabric";
  EXPECT_EQ(reason([](auto& f) { f.network = "EFA"; }), "") << "one network, two names";
}

}  // namespace
}  // namespace nccl_sweep
