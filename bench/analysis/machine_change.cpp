// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine_change.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/statistics.hpp"

namespace nccl_sweep {
namespace {

using Values = std::vector<double>;

constexpr double kLevel = 0.01;       // false alarms would make good runs look bad
constexpr double kNamed = 0.01;       // smaller changes are nobody's business
constexpr std::size_t kFewest = 12;   // trials: below, nothing could be told from noise
constexpr std::size_t kEachSide = 3;  // trials before and after a step

// Trials that are comparable over time: of the default all, of others those of one stage. A
// candidate that survived a cut looked fast before it, so its later trials look slow by selection.
// In a stage of one round all are one group: their order was drawn by lot, so what they differ by
// is noise here.
struct Group {
  int candidate = 0;
  Stage stage = Stage::screen;
  std::size_t entrants = 0;  // of the round: tells the screening's stages apart
  auto operator<=>(const Group&) const = default;
};

using Round = std::pair<Stage, int>;

Round round_of(const Sample& sample) { return {sample.order.stage, sample.order.round}; }

std::map<Group, std::vector<const Sample*>> grouped(const Dataset& dataset) {
  constexpr int kDefault = 0;
  constexpr int kEverybody = -1;
  std::map<Round, std::size_t> entrants;
  for (const Sample& s : dataset.all()) ++entrants[round_of(s)];
  std::map<std::size_t, int> rounds;  // of the screening, by entrants
  for (const auto& [round, count] : entrants) rounds[count] += round.first == Stage::screen ? 1 : 0;
  std::map<Group, std::vector<const Sample*>> groups;
  for (const Sample& s : dataset.all()) {
    if (!std::isfinite(s.score)) continue;
    Group group{s.order.candidate, s.order.stage, entrants[round_of(s)]};
    if (group.candidate == kDefault) {
      group = {};
    } else if (group.stage == Stage::screen && rounds[group.entrants] == 1) {
      group.candidate = kEverybody;
    }
    groups[group].push_back(&s);
  }
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  return groups;
}

struct Series {  // trials in the order of time
  std::vector<const Sample*> samples;
  std::vector<std::size_t> group;  // 0, 1, 2 ...
  std::size_t groups = 0;
};

Series series_of(const Dataset& dataset) {
  std::map<int, std::pair<const Sample*, std::size_t>> by_time;
  Series series;
  for (const auto& [group, samples] : grouped(dataset)) {
    for (const Sample* s : samples) by_time[s->order.index] = {s, series.groups};
    ++series.groups;
  }
  for (const auto& [trial, entry] : by_time) {
    series.samples.push_back(entry.first);
    series.group.push_back(entry.second);
  }
  return series;
}

Values without_means(const Series& series, Values values) {
  Values sum(series.groups, 0.0);
  Values count(series.groups, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum[series.group[i]] += values[i];
    count[series.group[i]] += 1;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] -= sum[series.group[i]] / count[series.group[i]];
  }
  return values;
}

// Scores about the median of their group, and how far those of the group usually are from it: but
// no less than all together, as two launches may be alike by chance.
struct Residuals {
  Values scores;
  Values deviation;  // of the group, per score
};

Residuals residuals_of(const Series& series) {
  constexpr double kNormal = 1.4826;  // deviation / median distance of a normal distribution
  constexpr double kLeast = 1e-6;     // noise below it is a model's rounding
  std::vector<Values> of_group(series.groups);
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    of_group[series.group[i]].push_back(series.samples[i]->score);
  }
  Values middle;
  for (const Values& values : of_group) middle.push_back(statistics::median(values));
  Residuals found;
  Values distances;
  std::vector<Values> distances_of_group(series.groups);
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    const std::size_t group = series.group[i];
    found.scores.push_back(series.samples[i]->score - middle[group]);
    distances.push_back(std::abs(found.scores.back()));
    distances_of_group[group].push_back(distances.back());
  }
  const double usual = std::max(kLeast, kNormal * statistics::median(std::move(distances)));
  Values deviation;
  for (Values& own : distances_of_group) {
    deviation.push_back(std::max(usual, kNormal * statistics::median(std::move(own))));
  }
  for (const std::size_t group : series.group) found.deviation.push_back(deviation[group]);
  return found;
}

// Wild ones pulled in to four deviations.
Values tamed(const Residuals& residuals) {
  constexpr double kFarthest = 4;
  Values scores;
  for (std::size_t i = 0; i < residuals.scores.size(); ++i) {
    const double reach = kFarthest * residuals.deviation[i];
    scores.push_back(std::clamp(residuals.scores[i], -reach, reach));
  }
  return scores;
}

struct Fit {
  double slope = 0;
  double t = 0;
};

// Both without their groups' means. `freedom` of the residuals.
Fit fit(const Values& x, const Values& y, double freedom) {
  const double xx = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  const double xy = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  const double yy = std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
  if (!(xx > 0) || !(yy > 0)) return {};
  const double left = std::max(yy - xy * xy / xx, 1e-12 * yy);
  return {xy / xx, xy / std::sqrt(xx * left / freedom)};
}

double p_two_sided(double t, double freedom) {
  return 2 * statistics::student_t_cdf(-std::abs(t), freedom);
}

class ChangeSearch {
 public:
  explicit ChangeSearch(Series series)
      : series_(std::move(series)),
        freedom_(static_cast<double>(series_.samples.size()) - static_cast<double>(series_.groups) -
                 1),
        residuals_(residuals_of(series_)),
        tested_(weighted(tamed(residuals_))),
        scores_(weighted(residuals_.scores)) {}

  std::optional<MachineChange> find() const {
    const MachineChange drift = drift_over_time();
    const MachineChange step = best_step();
    // Each with all that it had to choose from paid for: of two raw fits a step has the better one
    // too often, and would then fail where the drift would not.
    const MachineChange& change = step.p_value < drift.p_value ? step : drift;
    if (change.p_value > kLevel || std::abs(change.size) < kNamed) return std::nullopt;
    return change;
  }

 private:
  MachineChange drift_over_time() const {
    const Values time = regressor([](std::size_t, int trial) { return trial; });
    MachineChange drift;
    drift.p_value = p_two_sided(fit(time, tested_, freedom_).t, freedom_);
    drift.from = series_.samples.front()->order.index;
    drift.to = series_.samples.back()->order.index;
    drift.size = fit(time, scores_, freedom_).slope * (drift.to - drift.from);
    return drift;
  }

  MachineChange best_step() const {
    const std::size_t last = series_.samples.size() - kEachSide;
    double t = 0;
    std::size_t at = kEachSide;
    for (std::size_t split = kEachSide; split <= last; ++split) {
      const double found = std::abs(fit(step_at(split), tested_, freedom_).t);
      if (found <= t) continue;
      t = found;
      at = split;
    }
    const auto places = static_cast<double>(last - kEachSide + 1);
    MachineChange step;
    step.kind = MachineChange::Kind::step;
    step.p_value = std::min(1.0, places * p_two_sided(t, freedom_));
    step.from = series_.samples[at]->order.index;
    step.to = series_.samples.back()->order.index;
    step.size = fit(step_at(at), scores_, freedom_).slope;
    step.divided = rounds_divided_at(step.from);
    return step;
  }

  template <typename Value>
  Values regressor(const Value& value) const {
    Values x;
    for (std::size_t i = 0; i < series_.samples.size(); ++i) {
      x.push_back(value(i, series_.samples[i]->order.index));
    }
    return weighted(std::move(x));
  }

  // Without the groups' means; groups that scatter more count less.
  Values weighted(Values values) const {
    values = without_means(series_, std::move(values));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= residuals_.deviation[i];
    return values;
  }

  Values step_at(std::size_t split) const {
    return regressor([&](std::size_t i, int) { return i >= split ? 1.0 : 0.0; });
  }

  std::vector<MachineChange::Round> rounds_divided_at(int trial) const {
    std::map<std::pair<Stage, int>, std::pair<bool, bool>> sides;
    for (const Sample* sample : series_.samples) {
      auto& [before, after] = sides[{sample->order.stage, sample->order.round}];
      (sample->order.index < trial ? before : after) = true;
    }
    std::vector<MachineChange::Round> divided;
    for (const auto& [round, both] : sides) {
      if (both.first && both.second) divided.push_back({round.first, round.second});
    }
    return divided;
  }

  Series series_;
  double freedom_;
  Residuals residuals_;
  Values tested_;
  Values scores_;
};

}  // namespace

double MachineChange::effect(int trial) const {
  if (kind == Kind::step) return trial < from ? 0 : size;
  return to == from ? 0 : size * (trial - from) / (to - from);
}

std::optional<MachineChange> find_machine_change(const Dataset& dataset) {
  Series series = series_of(dataset);
  if (series.samples.size() < std::max(kFewest, series.groups + 4)) return std::nullopt;
  return ChangeSearch(std::move(series)).find();
}

}  // namespace nccl_sweep
