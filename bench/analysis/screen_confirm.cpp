// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/experiment.hpp"
#include "analysis/statistics.hpp"

namespace nccl_sweep {
namespace {

constexpr int kFinalField = 4;     // at most so many enter the stage that leaves one
constexpr int kExpectedPairs = 9;  // between the first look (6), where most runs end, and the next
constexpr int kAlarmTrials = 3;    // enough to notice what a wrong prediction would do
constexpr int kToleratedFailures = 1;  // of the finalist while it is being confirmed

int rounded_up(int dividend, int divisor) { return (dividend + divisor - 1) / divisor; }

int screening_trials(const std::vector<ScreenStage>& stages) {
  int trials = 0;
  for (const ScreenStage& stage : stages) trials += stage.entrants * stage.rounds;
  return trials;
}

}  // namespace

std::vector<ScreenStage> screen_stages(int candidates) {
  std::vector<ScreenStage> stages;
  if (candidates <= 2) return stages;
  int entrants = candidates;
  while (entrants > kFinalField) {
    stages.push_back({entrants, 1});
    entrants = std::max(3, rounded_up(2 * entrants, 5));
  }
  stages.push_back({entrants, entrants == kFinalField || stages.empty() ? 2 : 1});
  return stages;
}

PlannedTrials plan_trials(int candidates, int rounds, const ClosingTrials& closing, bool alarm) {
  constexpr int kBurnIn = 1;
  const int contenders = rounds > 0 ? candidates : std::min(candidates, 2);
  int others = kBurnIn;
  for (const ClosingTrials::Whom whom : {closing.evidence, closing.load}) {
    if (whom == ClosingTrials::Whom::contenders) others += contenders;
    if (whom == ClosingTrials::Whom::survivors) others += candidates;
  }
  if (rounds == 0 && candidates <= 1) rounds = ScreenConfirmOptions{}.baseline_rounds;
  if (rounds > 0) {
    const int trials = others + rounds * candidates;
    return {trials, trials, trials, {}};
  }
  const DecisionRule rule;
  const std::vector<ScreenStage> stages = screen_stages(candidates);
  const int fixed = others + screening_trials(stages) + (alarm ? kAlarmTrials : 0);
  return {fixed + 2 * rule.looks.front(), fixed + 2 * kExpectedPairs,
          fixed + 2 * rule.looks.back(), stages};
}

std::string to_string(const PlannedTrials& plan) {
  if (plan.minimum == plan.maximum) return counted(plan.minimum, "trial");
  return fmt::format("about {} trials ({} to {})", plan.expected, plan.minimum, plan.maximum);
}

ScreenConfirm::ScreenConfirm(int candidates, Score score, std::uint64_t seed,
                             ScreenConfirmOptions options)
    : TrialQueue(options.closing),
      score_(std::move(score)),
      options_(std::move(options)),
      random_(seed),
      live_(static_cast<std::size_t>(candidates)),
      stages_(screen_stages(candidates)) {
  std::iota(live_.begin(), live_.end(), 0);
  survivors_ = live_;
  if (candidates == 1) grid_rounds_ = options_.baseline_rounds;
  if (candidates == 2) finalist_ = 1;
  if (options_.twin && candidates > 1) alarms_left_ = kAlarmTrials;
}

void ScreenConfirm::refill() {
  if (grid_rounds_ > 0) {
    if (screen_round_ < grid_rounds_) enqueue(Stage::grid, screen_round_++, kBaseline);
    return;
  }
  while (!finalist_ && challengers_left() > 0) {
    if (rounds_in_stage_ < stages_[stage_].rounds) {
      enqueue_screen_round();
      return;
    }
    finish_screen_stage();
  }
  if (finalist_ && !finalist_out_ && decision() == Decision::go_on) enqueue_pair();
}

void ScreenConfirm::enqueue_screen_round() {
  std::vector<int> order = live_;
  shuffle(order, random_);
  for (const int candidate : order) enqueue(Stage::screen, screen_round_, candidate);
  screened_.emplace_back();
  ++screen_round_;
  ++rounds_in_stage_;
}

// Keeps the fastest challengers; or, where noise would choose them, first measures the stage for
// longer. A middle stage of one round gets two more: with the first stage's round that makes four,
// and the median of an even number averages, which tells apart launches of two kinds.
void ScreenConfirm::finish_screen_stage() {
  const bool last = stage_ + 1 == stages_.size();
  if (!doubled_ && screen_is_noisy()) {
    doubled_ = true;
    stages_[stage_].rounds *= last ? 2 : 3;
    return;
  }
  const std::map<int, double> ranks = screen_ranks();
  std::stable_sort(live_.begin() + 1, live_.end(),
                   [&](int a, int b) { return ranks.at(a) < ranks.at(b); });
  if (last || challengers_left() == 1) {
    finalist_ = live_[1];
    return;
  }
  const auto keep = static_cast<std::size_t>(stages_[stage_ + 1].entrants);
  if (live_.size() > keep) live_.resize(keep);
  std::sort(live_.begin(), live_.end());
  ++stage_;
  rounds_in_stage_ = 0;
  doubled_ = false;
}

// Needs two rounds to be known, so a first stage of one round is never doubled.
bool ScreenConfirm::screen_is_noisy() const {
  std::vector<std::vector<double>> table;
  for (const auto& round : screened_) {
    std::vector<double> row;
    for (const int candidate : live_) {
      if (round.contains(candidate)) row.push_back(round.at(candidate));
    }
    if (row.size() == live_.size()) table.push_back(std::move(row));
  }
  const statistics::ResidualNoise noise = statistics::two_way_noise(table);
  return noise.standard_deviation > std::log1p(options_.rule.smallest_gain) / 2;
}

std::map<int, double> ScreenConfirm::screen_ranks() const {
  std::map<int, std::vector<double>> residuals;
  for (const auto& round : screened_) {
    std::vector<double> scores;
    for (const auto& [candidate, score] : round) scores.push_back(score);
    if (scores.empty()) continue;
    const double middle = statistics::median(std::move(scores));
    for (const auto& [candidate, score] : round) residuals[candidate].push_back(score - middle);
  }
  std::map<int, double> ranks;
  for (auto& [candidate, values] : residuals) {
    ranks[candidate] = statistics::median(std::move(values));
  }
  return ranks;
}

void ScreenConfirm::enqueue_pair() {
  half_pair_.clear();
  pair_open_ = true;
  std::vector<int> order{kBaseline, *finalist_};
  twin_rides_ = alarms_left_ > 0;
  if (twin_rides_) {
    order.push_back(*options_.twin);
    --alarms_left_;
  }
  shuffle(order, random_);
  for (const int candidate : order) {
    const bool rides = candidate != kBaseline && candidate != *finalist_;
    enqueue(rides ? Stage::alarm : Stage::confirm, pair_, candidate);
  }
  ++pair_;
}

void ScreenConfirm::completed(const TrialOutcome& trial) {
  const double score = score_.of(trial).value();
  if (trial.order.stage == Stage::screen) {
    screened_[static_cast<std::size_t>(trial.order.round)][trial.order.candidate] = score;
  } else if (trial.order.stage == Stage::confirm) {
    half_pair_[trial.order.candidate] = score;
    if (half_pair_.size() < 2) return;
    differences_.push_back(half_pair_.at(kBaseline) - half_pair_.at(*finalist_));
    pair_open_ = false;
  }
}

// The twin of a pair that came to nothing rides again, unless it was compared all the same.
void ScreenConfirm::return_alarm(int round) {
  const bool waiting = drop_round(Stage::alarm, round) > 0;
  if (twin_rides_ && (waiting || !half_pair_.contains(kBaseline))) ++alarms_left_;
  twin_rides_ = false;
}

void ScreenConfirm::failed(const TrialOutcome& trial) {
  const TrialOrder& order = trial.order;
  if (order.stage == Stage::confirm) {  // the pair is invalid; refill() starts a fresh one
    drop_round(Stage::confirm, order.round);
    return_alarm(order.round);
    pair_open_ = false;
    if (order.candidate == kBaseline) return;
    ++finalist_failures_;
    finalist_out_ = trial.outcome == Outcome::wrong_data || finalist_failures_ > kToleratedFailures;
    if (finalist_out_) std::erase(survivors_, order.candidate);
  } else if (order.candidate == kBaseline) {
    repeat_next(order);  // screening and grid rounds need the baseline
  } else {
    std::erase(live_, order.candidate);
    std::erase(survivors_, order.candidate);
  }
}

// Until the finalist is known, the first challenger stands for it.
std::vector<int> ScreenConfirm::contenders() const {
  std::vector<int> found{kBaseline};
  if (finalist_ && !finalist_out_) {
    found.push_back(*finalist_);
  } else if (!finalist_ && challengers_left() > 0) {
    found.push_back(live_[1]);
  }
  return found;
}

std::vector<int> ScreenConfirm::survivors() const { return survivors_; }

int ScreenConfirm::screen_rounds_planned() const {
  int rounds = screen_round_;
  for (std::size_t s = stage_; s < stages_.size(); ++s) {
    rounds += stages_[s].rounds - (s == stage_ ? rounds_in_stage_ : 0);
  }
  return rounds;
}

int ScreenConfirm::screen_trials_left() const {
  if (finalist_) return 0;
  int trials = 0;
  for (std::size_t s = stage_; s < stages_.size(); ++s) {
    const int entrants = std::min(stages_[s].entrants, static_cast<int>(live_.size()));
    trials += entrants * (stages_[s].rounds - (s == stage_ ? rounds_in_stage_ : 0));
  }
  return trials;
}

int ScreenConfirm::next_look() const {
  for (const int look : options_.rule.looks) {
    if (static_cast<int>(differences_.size()) < look) return look;
  }
  return options_.rule.looks.back();
}

int ScreenConfirm::planned_trials() const {
  const int known = issued() + queued() + closing_left();
  if (grid_rounds_ > 0) return known + grid_rounds_ - screen_round_;
  if (finalist_out_ || challengers_left() == 0 || baseline_failed()) return known;
  if (pair_ == 0) return known + screen_trials_left() + 2 * kExpectedPairs + alarms_left_;
  if (decision() != Decision::go_on) return known;
  const int pairs_left = next_look() - static_cast<int>(differences_.size());
  return known + 2 * (pairs_left - (pair_open_ ? 1 : 0)) + alarms_left_;
}

std::string ScreenConfirm::label(const TrialOrder& order) const {
  switch (order.stage) {
    case Stage::screen:
      return fmt::format("screen {}/{}", order.round + 1, screen_rounds_planned());
    case Stage::confirm:
      return fmt::format("confirm {}/{}", differences_.size() + 1, next_look());
    case Stage::grid:
      return fmt::format("round {}/{}", order.round + 1, grid_rounds_);
    case Stage::burn_in:
    case Stage::sentinel:
    case Stage::evidence:
    case Stage::load:
    case Stage::alarm:
      break;
  }
  return std::string(to_string(order.stage));
}

}  // namespace nccl_sweep
