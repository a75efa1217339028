// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/screen_power.hpp"

#include <cmath>
#include <random>

#include "analysis/experiment.hpp"

namespace nccl_sweep {
namespace {

constexpr int kPlays = 400;  // standard error 1 % where the probability is 95 %
constexpr int kBetter = 1;   // which one is arbitrary: orders are shuffled

TrialOutcome trial_of(const TrialOrder& order, double log_seconds) {
  TrialOutcome trial;
  trial.order = order;
  CaseTiming timing;
  timing.mean_seconds = {std::exp(log_seconds)};
  trial.cases.push_back(std::move(timing));
  return trial;
}

}  // namespace

double screen_keeps_probability(int candidates, double gain, std::span<const double> residuals,
                                std::uint64_t seed, const std::optional<MachineChange>& change) {
  if (candidates <= 2) return 1;
  if (residuals.empty()) return 0;
  std::mt19937_64 random(seed);
  ScreenConfirmOptions options;
  options.rule.smallest_gain = gain;
  int kept = 0;
  for (int play = 0; play < kPlays; ++play) {
    ScreenConfirm experiment(candidates, Score({Case{}}), random(), options);
    while (!experiment.finalist()) {
      const auto order = experiment.next();
      if (!order || order->stage == Stage::confirm) break;
      const double noise = residuals[random() % residuals.size()] +
                           (change ? change->effect(order->index) : 0);
      const double truth = order->candidate == kBetter ? -std::log1p(gain) : 0;
      experiment.record(trial_of(*order, truth + noise));
    }
    kept += experiment.finalist() == kBetter ? 1 : 0;
  }
  return static_cast<double>(kept) / kPlays;
}

}  // namespace nccl_sweep
