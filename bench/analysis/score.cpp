// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/score.hpp"

#include <cmath>
#include <limits>

namespace nccl_sweep {
namespace {

// Below it launch overhead and launch-to-launch noise of 10 % and more hide any setting's effect.
constexpr Bytes kLargeCase{1 << 20};

}  // namespace

std::vector<double> seconds_by_case(const std::vector<Case>& cases, const TrialOutcome& trial) {
  std::vector<double> seconds(cases.size(), std::numeric_limits<double>::quiet_NaN());
  for (const CaseTiming& timing : trial.cases) {
    const auto index = static_cast<std::size_t>(timing.case_index);
    if (timing.case_index < 0 || index >= cases.size() || timing.mean_seconds.empty()) continue;
    seconds[index] = trial_value(timing, rooted(cases[index].collective)).count();
  }
  return seconds;
}

Score::Score(std::vector<Case> cases) : cases_(std::move(cases)) {
  const auto use_where = [&](auto&& condition) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (condition(cases_[i])) used_.push_back(i);
    }
  };
  use_where([](const Case& c) { return c.calls > 0; });
  workload_ = !used_.empty();
  if (used_.empty()) use_where([](const Case& c) { return c.size >= kLargeCase; });
  if (used_.empty()) use_where([](const Case&) { return true; });
}

std::optional<double> Score::of(const TrialOutcome& trial) const {
  if (trial.outcome != Outcome::complete) return std::nullopt;
  return of_seconds(seconds_by_case(cases_, trial));
}

std::optional<double> Score::of_seconds(std::span<const double> seconds) const {
  if (used_.empty()) return std::nullopt;
  double sum = 0;
  for (const std::size_t i : used_) {
    if (!(seconds[i] > 0)) return std::nullopt;  // also NaN
    sum += workload_ ? cases_[i].calls * seconds[i] : std::log(seconds[i]);
  }
  return workload_ ? std::log(sum) : sum / static_cast<double>(used_.size());
}

}  // namespace nccl_sweep
