// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "analysis/dataset.hpp"
#include "analysis/statistics.hpp"

namespace nccl_sweep {
namespace {

constexpr double kPower = 0.8;
constexpr std::size_t kFewestLaunches = 3;

// Differences within confirmation pairs, as they will be compared.
std::optional<double> deviation_of_pairs(const Dataset& dataset) {
  std::vector<double> differences;
  for (const SamplePair& pair : dataset.pairs()) {
    differences.push_back(log_time(*pair.baseline, kScore) - log_time(*pair.candidate, kScore));
  }
  if (differences.size() < kFewestLaunches) return std::nullopt;
  return statistics::standard_deviation(differences);
}

// Else two launches of the baseline differ by sqrt(2) times what one varies by. Drift between
// them is in it, so this errs on the side of more pairs.
std::optional<double> deviation_of_baseline(const Dataset& dataset) {
  std::vector<double> scores;
  for (const Stage stage : {Stage::grid, Stage::screen}) {
    for (const Sample* sample : dataset.samples(0, stage)) {
      const double score = log_time(*sample, kScore);
      if (std::isfinite(score)) scores.push_back(score);
    }
  }
  if (scores.size() < kFewestLaunches) return std::nullopt;
  return std::numbers::sqrt2 * statistics::standard_deviation(scores);
}

}  // namespace

std::optional<Pilot> pilot_of(const RunData& data) {
  const Dataset dataset(data);
  std::optional<double> deviation = deviation_of_pairs(dataset);
  if (!deviation) deviation = deviation_of_baseline(dataset);
  if (!deviation) return std::nullopt;
  Pilot pilot{*deviation, 0, 0};
  for (const TrialOutcome& trial : data.trials) {
    if (trial.outcome != Outcome::complete || !is_analysed(trial.order.stage)) continue;
    ++pilot.launches;
    pilot.trial_seconds += trial.total_seconds;
  }
  if (pilot.launches > 0) pilot.trial_seconds /= pilot.launches;
  return pilot;
}

Resolution resolution_of(double gain, double pair_deviation, const DecisionRule& rule) {
  Resolution resolution;
  resolution.pairs = statistics::pairs_needed(pair_deviation, std::log1p(gain), rule.alpha, kPower);
  const auto look = std::lower_bound(rule.looks.begin(), rule.looks.end(), resolution.pairs);
  if (look != rule.looks.end()) resolution.look = *look;
  return resolution;
}

double gain_resolved(int pairs, double pair_deviation, const DecisionRule& rule) {
  constexpr double kStep = 0.001;
  constexpr int kMost = 1000;  // 100 %
  for (int step = 1; step < kMost; ++step) {
    if (resolution_of(step * kStep, pair_deviation, rule).pairs <= pairs) return step * kStep;
  }
  return kMost * kStep;
}

}  // namespace nccl_sweep
