// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/trial_queue.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nccl_sweep {
namespace {

std::size_t draw_below(std::size_t bound, std::mt19937_64& random) {
  // Draws above the largest multiple of `bound` are rejected, so all results are equally likely.
  const std::uint64_t width = bound;
  const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % width;
  std::uint64_t drawn = random();
  while (drawn >= limit) drawn = random();
  return static_cast<std::size_t>(drawn % width);
}

}  // namespace

void shuffle(std::vector<int>& values, std::mt19937_64& random) {
  for (std::size_t last = values.size(); last > 1; --last) {
    std::swap(values[last - 1], values[draw_below(last, random)]);
  }
}

TrialQueue::TrialQueue(ClosingTrials closing) : closing_(closing) {
  enqueue(Stage::burn_in, 0, kBaseline);
}

void TrialQueue::enqueue(Stage stage, int round, int candidate) {
  queue_.push_back({0, stage, round, candidate});
}

void TrialQueue::repeat_next(const TrialOrder& order) { queue_.push_front(order); }

int TrialQueue::drop_round(Stage stage, int round) {
  return static_cast<int>(std::erase_if(
      queue_, [&](const TrialOrder& o) { return o.stage == stage && o.round == round; }));
}

std::optional<TrialOrder> TrialQueue::next() {
  if (pending_) return pending_;
  if (baseline_failed_) return std::nullopt;
  if (queue_.empty() && !closing_queued_) refill();
  if (queue_.empty() && !closing_queued_) enqueue_closing();
  if (queue_.empty()) return std::nullopt;
  pending_ = queue_.front();
  queue_.pop_front();
  pending_->index = next_index_++;
  return pending_;
}

void TrialQueue::record(const TrialOutcome& trial) {
  assert(pending_ && trial.order == *pending_);
  const TrialOrder order = *std::exchange(pending_, std::nullopt);
  if (trial.outcome == Outcome::stopped) {
    repeat_next(order);
    return;
  }
  // A descriptive trial that fails leaves its description out; no setting is judged by it.
  if (is_descriptive(order.stage)) return;
  const bool analysed = is_analysed(order.stage);
  if (trial.outcome == Outcome::complete && usable(trial)) {
    if (order.candidate == kBaseline) baseline_failures_in_a_row_ = 0;
    if (analysed) completed(trial);
    return;
  }
  if (!survives_failure(order)) {
    baseline_failed_ = true;
    return;
  }
  if (analysed) {
    failed(trial);
  } else {
    repeat_next(order);  // burn-in and sentinel get another chance
  }
  if (order.candidate != kBaseline) repeat_next({0, Stage::sentinel, order.round, kBaseline});
}

std::vector<int> TrialQueue::described(ClosingTrials::Whom whom) const {
  switch (whom) {
    case ClosingTrials::Whom::nobody:
      break;
    case ClosingTrials::Whom::contenders:
      return contenders();
    case ClosingTrials::Whom::survivors:
      return survivors();
  }
  return {};
}

// In a fixed order: nothing is compared between these trials, and a resumed run must find them.
void TrialQueue::enqueue_closing() {
  closing_queued_ = true;
  for (const int candidate : described(closing_.evidence)) enqueue(Stage::evidence, 0, candidate);
  for (const int candidate : described(closing_.load)) enqueue(Stage::load, 0, candidate);
}

int TrialQueue::closing_left() const {
  if (closing_queued_ || baseline_failed_) return 0;
  return static_cast<int>(described(closing_.evidence).size() + described(closing_.load).size());
}

bool TrialQueue::survives_failure(const TrialOrder& order) {
  if (order.candidate != kBaseline) return true;
  constexpr int kMostFailedSentinels = 3;
  constexpr int kMostFailuresInARow = 2;
  if (order.stage == Stage::sentinel) return ++failed_sentinels_ < kMostFailedSentinels;
  return ++baseline_failures_in_a_row_ < kMostFailuresInARow;
}

}  // namespace nccl_sweep
