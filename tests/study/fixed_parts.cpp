// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Designs without fresh trials: real launches relabelled, grids, and the shell loop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/comparison.hpp"
#include "analysis/experiment.hpp"
#include "analysis/fixed_design.hpp"
#include "parts.hpp"
#include "simulated_sweep.hpp"

namespace nccl_sweep::study {
namespace {

using Settings = std::vector<std::vector<double>>;  // [setting][launch] of ln seconds

std::vector<double> logs_of(const LaunchSeries& series) {
  std::vector<double> logs;
  for (const double seconds : series.seconds) logs.push_back(std::log(seconds));
  return logs;
}

// Launches dealt out at random: whichever setting they are given, the truth is "no difference".
Settings dealt(std::vector<double> logs, std::size_t settings, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t last = logs.size(); last > 1; --last) {
    std::swap(logs[last - 1], logs[random.below(last)]);
  }
  Settings found(settings);
  for (std::size_t i = 0; i < logs.size(); ++i) found[i % settings].push_back(logs[i]);
  return found;
}

std::vector<Finding> judged(const Settings& launches) {
  return FixedDesign(DecisionRule{}, 1).judge_launches(launches);
}

bool has_winner(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.verdict == Verdict::better; });
}

Row false_winners(const LaunchSeries& series, std::size_t settings, const Seeds& seeds) {
  double winners = 0;
  for (std::uint64_t seed = seeds.from; seed <= seeds.to; ++seed) {
    winners += has_winner(judged(dealt(logs_of(series), settings, seed))) / seeds.count();
  }
  return {series.name(), fmt::format("{} pretended settings: a winner", settings), winners,
          Bound::at_most, 0.064};
}

void add_scaled(std::vector<Row>& rows, const LaunchSeries& series, const Seeds& seeds) {
  constexpr std::size_t kSettings = 4;  // of six launches each
  constexpr std::int64_t kLarge = 2 << 20;
  constexpr std::int64_t kSmall = 32 << 10;
  double found = 0;
  double undecided = 0;
  std::vector<double> asked;
  for (std::uint64_t seed = seeds.from; seed <= seeds.to; ++seed) {
    Settings launches = dealt(logs_of(series), kSettings, seed);
    for (double& value : launches[1]) value += std::log(0.97);
    const Finding finding = judged(launches).front();
    found += (finding.verdict == Verdict::better) / seeds.count();
    undecided += (finding.verdict == Verdict::undecided) / seeds.count();
    if (finding.verdict == Verdict::undecided) asked.push_back(finding.pairs_needed);
  }
  const bool large = series.bytes >= kLarge;
  rows.push_back({series.name(), "one of 4 takes 0.97 of the time: found", found,
                  large ? Bound::at_least : Bound::none, 0.95});
  if (series.bytes > kSmall) return;
  rows.push_back({series.name(), "one of 4 takes 0.97 of the time: undecided", undecided,
                  Bound::at_least, 0.85});
  if (asked.empty()) return;
  rows.push_back({series.name(), "launches of each asked for then (median)",
                  statistics::median(std::move(asked)), Bound::none, 0, false});
}

Row halves(const LaunchSeries& series) {
  const std::vector<double> logs = logs_of(series);
  const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(logs.size() / 2);
  const Finding finding = judged({{logs.begin(), middle}, {middle, logs.end()}}).front();
  return {series.name(),
          fmt::format("first half against second: {}, gain", to_string(finding.verdict)),
          finding.gain->ratio - 1, Bound::none};
}

// The trials of a design that does not look at them, with the planted gain.
RunData grid_run(const Truth& truth, const NoiseModel& model, int rounds, std::uint64_t seed) {
  FixedGrid experiment(truth.candidates, rounds, seed);
  return simulate_with(experiment, truth, model, seed);
}

int shell_loop_winner(const Truth& truth, const NoiseModel& model, std::uint64_t seed) {
  const Noise noise = model.start(seed, truth.candidates);
  int fastest = 0;
  double least = HUGE_VAL;
  for (int candidate = 0; candidate < truth.candidates; ++candidate) {
    const double gain = candidate == kPlanted ? std::log1p(truth.gain) : 0;
    const double time = noise(candidate) - gain;
    if (time >= least) continue;
    least = time;
    fastest = candidate;
  }
  return fastest;
}

}  // namespace

std::vector<Row> judge_relabelled(const LaunchSeries& series, const Seeds& seeds) {
  std::vector<Row> rows;
  for (const std::size_t settings : {2, 4, 6}) {
    rows.push_back(false_winners(series, settings, seeds));
  }
  add_scaled(rows, series, seeds);
  rows.push_back(halves(series));
  return rows;
}

std::vector<Row> contrast(const NoiseModel& model, const Seeds& seeds) {
  constexpr int kCandidates = 24;
  constexpr int kRounds = 5;
  double loop_wrong = 0;
  double loop_right = 0;
  double grid_wrong = 0;
  double grid_right = 0;
  double grid_trials = 0;
  double own_wrong = 0;
  double own_right = 0;
  double own_trials = 0;
  for (std::uint64_t seed = seeds.from; seed <= seeds.to; ++seed) {
    const Truth equal{kCandidates, 0};
    const Truth faster{kCandidates, 0.03};
    loop_wrong += (shell_loop_winner(equal, model, seed) != 0) / seeds.count();
    loop_right += (shell_loop_winner(faster, model, seed) == kPlanted) / seeds.count();
    const SweepResult no_gain = judge_run(grid_run(equal, model, kRounds, seed), equal);
    const SweepResult gain = judge_run(grid_run(faster, model, kRounds, seed), faster);
    grid_wrong += no_gain.winner / seeds.count();
    grid_right += gain.found / seeds.count();
    grid_trials += gain.trials / seeds.count();
    const SweepResult own = simulate(faster, model, seed);
    own_wrong += simulate(equal, model, seed).winner / seeds.count();
    own_right += own.found / seeds.count();
    own_trials += own.trials / seeds.count();
  }
  const auto shares = [&](const char* how, double wrong, double right, double trials) {
    return std::vector<Row>{
        {model.name, fmt::format("{}: a winner among 24 equal ones", how), wrong},
        {model.name, fmt::format("{}: one of 24 gains 3 %, found", how), right},
        {model.name, fmt::format("{}: trials", how), trials, Bound::none, 0, false}};
  };
  std::vector<Row> rows = shares("shell loop, one run each", loop_wrong, loop_right, kCandidates);
  for (const auto& more : {shares("grid of 5 rounds", grid_wrong, grid_right, grid_trials),
                           shares("screen and confirm", own_wrong, own_right, own_trials)}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace nccl_sweep::study
