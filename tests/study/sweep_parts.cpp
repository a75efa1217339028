// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Sweeps under simulated and under resampled noise.
#include <fmt/format.h>

#include "parts.hpp"
#include "simulated_sweep.hpp"

namespace nccl_sweep::study {
namespace {

struct Tally {
  double winners = 0;
  double found = 0;
  double says_nothing_gains = 0;
  double changes = 0;
  double intervals = 0;
  double covered = 0;
  double trials = 0;
};

// Shares of all seeds; `covered` of the intervals; `trials` the mean.
Tally play(const Truth& truth, const NoiseModel& model, const Seeds& seeds) {
  Tally tally;
  for (std::uint64_t seed = seeds.from; seed <= seeds.to; ++seed) {
    const SweepResult result = simulate(truth, model, seed);
    tally.winners += result.winner / seeds.count();
    tally.found += result.found / seeds.count();
    tally.says_nothing_gains += result.says_nothing_gains / seeds.count();
    tally.changes += result.says_machine_changed / seeds.count();
    tally.intervals += result.has_interval;
    tally.covered += result.covered;
    tally.trials += result.trials / seeds.count();
  }
  tally.covered /= tally.intervals;
  return tally;
}

// Binomial counts reach a little further than their mean: 5 % of 1000 may come out as 64.
constexpr double kFalseWinners = 0.064;
constexpr double kWrongClaims = 0.05;
constexpr double kCoverage = 0.93;

class Rows {
 public:
  explicit Rows(std::string model) : model_(std::move(model)) {}

  void add(std::string criterion, double counted, Bound bound = Bound::none, double limit = 0,
           bool is_share = true) {
    rows_.push_back({model_, std::move(criterion), counted, bound, limit, is_share});
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  std::string model_;
  std::vector<Row> rows_;
};

// What must be found, by model; 0: stated only.
double power_at_three_percent(const std::string& model) {
  if (model == "gaussian") return 0.95;
  if (model == "drift") return 0.85;
  return model == "step" ? 0.80 : 0;
}

void add_power(Rows& rows, const std::string& model, int candidates, const Tally& tally) {
  const double limit = candidates == 24 ? power_at_three_percent(model) : 0;
  rows.add(fmt::format("{} candidates, one +3 %: found", candidates), tally.found,
           limit > 0 ? Bound::at_least : Bound::none, limit);
  const bool promised = model == "gaussian" && candidates > 2;
  rows.add(fmt::format("{} candidates, one +3 %: trials", candidates), tally.trials,
           promised ? Bound::at_most : Bound::none, candidates == 24 ? 60 : 24, false);
  rows.add(fmt::format("{} candidates, one +3 %: \"nothing gains 3 %\"", candidates),
           tally.says_nothing_gains, Bound::at_most, kWrongClaims);
}

void add_changes(Rows& rows, const std::string& model, const Tally& tally) {
  constexpr double kNoticed = 0.95;
  const bool changes = model == "drift" || model == "step";
  rows.add("24 candidates: a change of the machine reported", tally.changes,
           changes ? Bound::at_least : Bound::at_most, changes ? kNoticed : kWrongClaims);
}

}  // namespace

std::vector<Row> judge_model(const NoiseModel& model, const Seeds& seeds) {
  Rows rows(model.name);
  for (const int candidates : {24, 7, 2}) {
    const Tally equal = play({candidates, 0}, model, seeds);
    rows.add(fmt::format("{} equal candidates: a winner", candidates), equal.winners,
             Bound::at_most, kFalseWinners);
    rows.add(fmt::format("{} equal candidates: interval holds", candidates), equal.covered,
             Bound::at_least, kCoverage);
    if (candidates == 24) add_changes(rows, model.name, equal);
    const Tally faster = play({candidates, 0.03}, model, seeds);
    add_power(rows, model.name, candidates, faster);
    rows.add(fmt::format("{} candidates, one +3 %: interval holds", candidates), faster.covered,
             Bound::at_least, kCoverage);
  }
  const Tally much = play({24, 0.10}, model, seeds);
  const bool promised = model.name == "two-humped";
  rows.add("24 candidates, one +10 %: found", much.found, promised ? Bound::at_least : Bound::none,
           0.95);
  rows.add("24 candidates, one +10 %: interval holds", much.covered, Bound::at_least, kCoverage);
  return rows.take();
}

std::vector<Row> judge_real_noise(const LaunchSeries& series, const Seeds& seeds) {
  const NoiseModel model = resampled(series);
  Rows rows(model.name);
  const Tally equal = play({24, 0}, model, seeds);
  rows.add("24 equal candidates: a winner", equal.winners, Bound::at_most, kFalseWinners);
  rows.add("24 equal candidates: interval holds", equal.covered, Bound::at_least, kCoverage);
  const Tally faster = play({24, 0.03}, model, seeds);
  add_power(rows, model.name, 24, faster);
  rows.add("24 candidates, one +3 %: interval holds", faster.covered, Bound::at_least, kCoverage);
  return rows.take();
}

}  // namespace nccl_sweep::study
