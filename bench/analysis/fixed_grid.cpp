// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "analysis/experiment.hpp"

namespace nccl_sweep {

FixedGrid::FixedGrid(int candidates, int rounds, std::uint64_t seed, ClosingTrials closing)
    : TrialQueue(closing),
      rounds_(rounds),
      random_(seed),
      live_(static_cast<std::size_t>(candidates)) {
  std::iota(live_.begin(), live_.end(), 0);
}

void FixedGrid::refill() {
  if (started_ == rounds_) return;
  std::vector<int> order = live_;
  shuffle(order, random_);
  for (const int candidate : order) enqueue(Stage::grid, started_, candidate);
  ++started_;
}

void FixedGrid::failed(const TrialOutcome& trial) {
  if (trial.order.candidate == kBaseline) {
    repeat_next(trial.order);
  } else {
    std::erase(live_, trial.order.candidate);
  }
}

int FixedGrid::planned_trials() const {
  return issued() + queued() + (rounds_ - started_) * static_cast<int>(live_.size()) +
         closing_left();
}

std::string FixedGrid::label(const TrialOrder& order) const {
  if (order.stage != Stage::grid) return std::string(to_string(order.stage));
  return fmt::format("round {}/{}", order.round + 1, rounds_);
}

}  // namespace nccl_sweep
