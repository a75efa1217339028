// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace nccl_sweep {

double log_time(const Sample& sample, int case_index) {
  return case_index == kScore ? sample.score
                              : std::log(sample.seconds[static_cast<std::size_t>(case_index)]);
}

std::vector<std::vector<double>> log_table(const std::vector<SampleRow>& rows, int case_index) {
  std::vector<std::vector<double>> table;
  for (const SampleRow& row : rows) {
    std::vector<double> values;
    for (const Sample* sample : row) values.push_back(log_time(*sample, case_index));
    if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      table.push_back(std::move(values));
    }
  }
  return table;
}

Dataset::Dataset(const RunData& data) : score_(data.run.cases) {
  bool screened = false;
  for (const TrialOutcome& trial : data.trials) {
    const TrialOrder& order = trial.order;
    screened = screened || order.stage == Stage::screen || order.stage == Stage::confirm;
    if (order.stage == Stage::confirm && order.candidate != 0) finalist_ = order.candidate;
    const bool compared = is_analysed(order.stage) || order.stage == Stage::alarm;
    if (!compared || trial.outcome != Outcome::complete) continue;
    std::vector<double> seconds = seconds_by_case(data.run.cases, trial);
    const double score =
        score_.of_seconds(seconds).value_or(std::numeric_limits<double>::quiet_NaN());
    samples_.push_back({order, std::move(seconds), score});
  }
  if (screened) {
    design_ = Design::screen_confirm;
  } else if (data.run.imported && data.run.candidates.size() > 1) {
    design_ = Design::launches;
  } else if (data.run.candidates.size() > 1) {
    design_ = Design::grid;
  }
}

std::vector<const Sample*> Dataset::samples(int candidate, Stage stage) const {
  std::vector<const Sample*> found;
  for (const Sample& sample : samples_) {
    if (sample.order.candidate == candidate && sample.order.stage == stage) {
      found.push_back(&sample);
    }
  }
  return found;
}

std::vector<SamplePair> Dataset::pairs() const {
  std::vector<SamplePair> found;
  if (!finalist_) return found;
  for (const SampleRow& row : complete_rounds(Stage::confirm, {0, *finalist_})) {
    found.push_back({row[0], row[1]});
  }
  return found;
}

std::vector<SamplePair> Dataset::alarm_pairs() const {
  std::vector<SamplePair> found;
  for (const Sample& twin : samples_) {
    if (twin.order.stage != Stage::alarm) continue;
    for (const Sample* baseline : samples(0, Stage::confirm)) {
      if (baseline->order.round == twin.order.round) found.push_back({baseline, &twin});
    }
  }
  return found;
}

std::vector<SampleRow> Dataset::complete_rounds(Stage stage,
                                                const std::vector<int>& candidates) const {
  std::map<int, std::map<int, const Sample*>> rounds;
  for (const Sample& sample : samples_) {
    if (sample.order.stage == stage) rounds[sample.order.round][sample.order.candidate] = &sample;
  }
  std::vector<SampleRow> found;
  for (const auto& [round, by_candidate] : rounds) {
    SampleRow row;
    for (const int candidate : candidates) {
      const auto sample = by_candidate.find(candidate);
      if (sample != by_candidate.end()) row.push_back(sample->second);
    }
    if (row.size() == candidates.size()) found.push_back(std::move(row));
  }
  return found;
}

std::vector<std::vector<double>> Dataset::launches(const std::vector<int>& candidates,
                                                   int case_index) const {
  std::vector<std::vector<double>> found;
  for (const int candidate : candidates) {
    found.emplace_back();
    for (const Sample* sample : samples(candidate, Stage::grid)) {
      const double value = log_time(*sample, case_index);
      if (std::isfinite(value)) found.back().push_back(value);
    }
  }
  return found;
}

Stage Dataset::evidence_stage(int candidate) const {
  if (design_ != Design::screen_confirm) return Stage::grid;
  const bool confirmed = finalist_ && (candidate == 0 || candidate == *finalist_);
  return confirmed && !samples(candidate, Stage::confirm).empty() ? Stage::confirm : Stage::screen;
}

}  // namespace nccl_sweep
