// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_of_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/baseline_match.hpp"
#include "analysis/baseline_ratio.hpp"
#include "analysis/launches.hpp"
#include "analysis/verdict.hpp"
#include "core/error.hpp"

namespace nccl_sweep {
namespace {

constexpr const char* kSourceId = "run";

// More than a measurement has; files stay readable.
double six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Figure figure_of(const Case& c, const std::vector<double>& log_busbw) {
  Figure figure;
  figure.size = c.size;
  figure.busbw = six_digits(std::exp(statistics::mean(log_busbw)));
  figure.launches = static_cast<int>(log_busbw.size());
  if (figure.launches < kFewestLaunches) return figure;
  constexpr double kConfidence = 0.95;
  const auto interval =
      statistics::two_sided_interval(statistics::estimate_mean(log_busbw), kConfidence);
  figure.low = six_digits(std::exp(interval.low));
  figure.high = six_digits(std::exp(interval.high));
  return figure;
}

BaselineSeries series_of(const Case& c, const std::string& fabric) {
  BaselineSeries series;
  series.fabric = fabric;
  series.source = kSourceId;
  series.collective = c.collective;
  series.dtype = c.dtype;
  if (reduces(c.collective)) series.op = c.op;
  series.placement = c.placement;
  series.group = to_string(c.group);
  series.group_size = c.group_size;
  series.graph = c.graph;
  return series;
}

bool same_kind(const BaselineSeries& a, const BaselineSeries& b) {
  return a.collective == b.collective && a.dtype == b.dtype && a.op == b.op &&
         a.placement == b.placement && a.group == b.group && a.group_size == b.group_size &&
         a.graph == b.graph;
}

// Of an imported run, in the order of its trials: "a.log:1, b.log:1" stand in a trial's source.
std::vector<std::string> files_of(const RunData& data) {
  std::vector<std::string> files;
  for (const TrialOutcome& trial : data.trials) {
    std::string_view rest = trial.source;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(", "), rest.size());
      const std::string_view place = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::size_t colon = place.rfind(':');
      const bool line = colon != std::string_view::npos &&
                        place.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
      std::string file(line ? place.substr(0, colon) : place);
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
  }
  return files;
}

BaselineSource source_of(const RunData& data) {
  const RunRecord& run = data.run;
  BaselineSource source;
  source.id = kSourceId;
  source.figure_class = run.imported ? FigureClass::imported : FigureClass::measured;
  source.title = run_title(data);
  source.recipe = recipe_of(run);
  source.date = run.started.substr(0, run.started.find('T'));
  const auto nccl = run.fabric.versions.find("nccl");
  if (nccl != run.fabric.versions.end()) source.nccl = nccl->second;
  source.environment = run.environment;
  return source;
}

void add_figure(BaselineFile& file, const Case& c, const Figure& figure) {
  const BaselineSeries wanted = series_of(c, file.fabrics.front().name);
  auto series = std::find_if(file.series.begin(), file.series.end(),
                             [&](const auto& one) { return same_kind(one, wanted); });
  if (series == file.series.end()) series = file.series.insert(series, wanted);
  const bool twice = std::any_of(series->figures.begin(), series->figures.end(),
                                 [&](const Figure& other) { return other.size == figure.size; });
  if (!twice) series->figures.push_back(figure);
}

}  // namespace

std::string run_title(const RunData& data) {
  const RunRecord& run = data.run;
  if (run.imported) {
    const std::vector<std::string> files = files_of(data);
    const auto more = static_cast<std::int64_t>(files.size()) - 1;
    return fmt::format("imported from {}{}, run {}", files.empty() ? "logs" : files.front(),
                       more > 0 ? " and " + counted(more, "more file") : "", run.name);
  }
  return fmt::format("nccl-sweep {}, run {} of {}", run.version, run.name, run.started);
}

BaselineFile baseline_of_run(const RunData& data, const std::string& name) {
  BaselineFile file;
  file.name = name;
  file.fabrics = {baseline_fabric(data.run)};
  file.sources = {source_of(data)};
  const DefaultLaunches launches(data);
  for (std::size_t i = 0; i < data.run.cases.size(); ++i) {
    const Case& c = data.run.cases[i];
    const std::vector<double> log_busbw = launches.log_busbw(static_cast<int>(i));
    // One rank sends nothing over the fabric, and has a busbw of 0.
    const bool counts = c.size.value > 0 && busbw_factor(c.collective, c.group_size) > 0;
    if (counts && !log_busbw.empty()) add_figure(file, c, figure_of(c, log_busbw));
  }
  if (file.series.empty()) {
    throw usage_error("no complete launch of the default: this run cannot be a baseline", name,
                      "nccl-sweep report RUN says what became of it");
  }
  return file;
}

int trials_with_wrong_data(const RunData& data) {
  const auto has_wrong_data = [](const TrialOutcome& trial) {
    if (trial.order.candidate != 0 || is_descriptive(trial.order.stage)) return false;
    return trial.outcome == Outcome::wrong_data ||
           std::any_of(trial.cases.begin(), trial.cases.end(),
                       [](const CaseTiming& timing) { return timing.wrong_elements > 0; });
  };
  return static_cast<int>(std::count_if(data.trials.begin(), data.trials.end(), has_wrong_data));
}

std::vector<std::string> doubts_about(const RunData& data) {
  std::vector<std::string> doubts;
  int failed = 0;
  bool unverified = false;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != 0 || is_descriptive(trial.order.stage)) continue;
    const bool ended_well = trial.outcome == Outcome::complete || trial.outcome == Outcome::stopped;
    failed += ended_well ? 0 : 1;
    unverified = unverified || std::any_of(trial.cases.begin(), trial.cases.end(),
                                           [](auto& timing) { return timing.wrong_elements < 0; });
  }
  if (failed > 0)
    doubts.push_back(fmt::format("the default failed in {}", counted(failed, "trial")));
  const int wrong = trials_with_wrong_data(data);
  if (wrong > 0) doubts.push_back(fmt::format("wrong data in {}", counted(wrong, "trial")));
  if (unverified) doubts.emplace_back("not all of its data was verified");
  const int launches = DefaultLaunches(data).count();
  if (launches < kFewestLaunches) {
    doubts.push_back(fmt::format(
        "{} of the default; an interval takes {}",
        launches == 1 ? "one launch" : fmt::format("{} launches", launches), kFewestLaunches));
  }
  const RunFindings findings = find(data);
  if (findings.untrusted()) {
    doubts.emplace_back("settings that should be alike came out different (A/A)");
  }
  if (findings.machine_change) doubts.emplace_back("the machine changed while it measured");
  return doubts;
}

}  // namespace nccl_sweep
