// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What `compare` and `baseline show` print, against approved outputs. The record files that the
// process tests compare are approved here too.
#include <gtest/gtest.h>

#include "analysis/baseline_of_run.hpp"
#include "compared_runs.hpp"
#include "golden.hpp"
#include "report/baseline_tables.hpp"
#include "report/comparison_report.hpp"

namespace nccl_sweep {
namespace {

using tests::compared_run;
using tests::expect_approved;
using tests::planted_baseline;
using tests::planted_case;

// Sizes that match, one that the reference lacks, one that is empty; 64 MiB is slow.
RunData mixed_run() {
  RunData data =
      compared_run(0.99, 0.004, 6,
                   {planted_case(Collective::all_gather, DataType::bfloat16, 8, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 1 << 20, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 64 << 20, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 128 << 20, 0),
                    planted_case(Collective::all_gather, DataType::bfloat16, 256 << 20, 0)});
  for (TrialOutcome& trial : data.trials) trial.cases[2].mean_seconds[0] *= 1.08;
  return data;
}

// With a floor that contradicts, a source of another setting and one of another fabric.
BaselineFile mixed_baseline() {
  BaselineFile file = planted_baseline();
  file.fabrics.push_back({"h200-8-nvlink", "", "H200", 1, 8, 8, "NVLink", "", 0, 0, false});
  const auto add = [&](const char* id, FigureClass c, std::size_t fabric, double busbw) {
    BaselineSource source = file.sources[0];
    source.id = id;
    source.title = std::string(id) + "/checks@7654321";
    source.figure_class = c;
    file.sources.push_back(source);
    BaselineSeries series = file.series[0];
    series.source = id;
    series.fabric = file.fabrics[fabric].name;
    series.group_size = file.fabrics[fabric].ranks;
    series.figures = {{FigureKind::peak, {}, Bytes{16 << 20}, {}, busbw}};
    file.series.push_back(series);
  };
  add("site", FigureClass::floor, 0, 800);
  add("ring", FigureClass::published, 0, 150);
  file.sources.back().setting = "Ring";
  add("cloud", FigureClass::published, 1, 480);
  file.contradictions = {{"the floor is above what was measured", {"site", "lab"}}};
  return file;
}

std::string compared(ReportFormat format) {
  const RunData data = mixed_run();
  return render_comparison(data.run, compare_with_baselines(data, {mixed_baseline()}, {}), format,
                           false);
}

TEST(ComparisonGolden, Text) { expect_approved("compare.txt", compared(ReportFormat::text)); }
TEST(ComparisonGolden, Markdown) {
  expect_approved("compare.md", compared(ReportFormat::markdown));
}
TEST(ComparisonGolden, Csv) { expect_approved("compare.csv", compared(ReportFormat::csv)); }
TEST(ComparisonGolden, Json) { expect_approved("compare.json", compared(ReportFormat::json)); }

TEST(ComparisonGolden, TwoRunsOfOneLaunch) {
  RunData before = compared_run(1.0, 0, 1);
  before.run.started = "2026-01-01T03:04:05Z";
  const RunData after = compared_run(0.9, 0, 1);
  const BaselineFile file = baseline_of_run(before, "before");
  expect_approved("compare.two-runs.txt",
                  render_comparison(after.run, compare_with_baselines(after, {file}, {}),
                                    ReportFormat::text, false));
}

TEST(ComparisonGolden, ABaselineWithItsSourcesAndContradictions) {
  const BaselineFile file = mixed_baseline();
  std::string text = to_text(baseline_list({file}), false) + "\n";
  for (const Table& table : baseline_tables(file)) text += to_text(table, false) + "\n";
  for (const std::string& line : contradiction_lines(file)) text += line + "\n";
  expect_approved("baseline.txt", text);
}

TEST(ComparisonGolden, ABaselineMadeOfARun) {
  expect_approved("baseline.json", to_json_text(baseline_of_run(mixed_run(), "made")));
}

}  // namespace
}  // namespace nccl_sweep
