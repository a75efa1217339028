// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/imported_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace nccl_sweep {
namespace {

// Between two local times of one machine; 0 where they cannot be read, or where so long a launch says
// that one of them is wrong.
double seconds_between(const std::string& start, const std::string& end) {
  const auto time_of = [](const std::string& text) -> std::optional<std::time_t> {
    std::tm parts{};
    std::istringstream in(text);
    in >> std::get_time(&parts, "%Y-%m-%d %H:%M:%S");
    if (in.fail()) return std::nullopt;
    return timegm(&parts);
  };
  const auto from = time_of(start);
  const auto to = time_of(end);
  constexpr double kLongest = 366 * 86400.0;
  const double seconds = from && to ? std::difftime(*to, *from) : 0;
  return seconds > 0 && seconds < kLongest ? seconds : 0;
}

// Rows of launches that asked for the same are the same cases.
bool ask_alike(const ImportedLaunch& a, const ImportedLaunch& b) {
  return a.collective == b.collective && a.group == b.group && a.group_size == b.group_size &&
         a.graph == b.graph && a.smallest == b.smallest && a.largest == b.largest &&
         a.step == b.step && a.step_is_factor == b.step_is_factor;
}

// The footer says so too, but a launch that was killed has none.
bool has_wrong_data(const ImportedLaunch& launch) {
  return launch.wrong_data ||
         std::any_of(launch.timings.begin(), launch.timings.end(),
                     [](const ImportedTiming& timing) { return timing.wrong > 0; });
}

bool of_one_case(const ImportedTiming& a, const ImportedTiming& b) {
  return a.size == b.size && a.dtype == b.dtype && a.op == b.op && a.placement == b.placement;
}

}  // namespace

ImportedTrials::ImportedTrials(const ImportedFiles& files, const LaunchSettings& settings,
                               RunData& data)
    : files_(files), data_(data), candidate_of_(settings.of_launch) {
  cases_of_.resize(files.launches.size());
  for (std::size_t i = 0; i < files.launches.size(); ++i) add(i);
  for (TrialOutcome& trial : data.trials) trial.facts = merge(std::move(trial.facts));
  note_rounding();
}

std::vector<CaseTiming> ImportedTrials::timings_of(std::size_t trial) const {
  std::map<int, CaseTiming> timings;
  for (const std::size_t i : launches_of_[trial]) {
    const ImportedLaunch& launch = files_.launches[i];
    for (std::size_t r = 0; r < launch.timings.size(); ++r) {
      const ImportedTiming& row = launch.timings[r];
      CaseTiming& timing = timings[cases_of_[i][r]];
      timing.case_index = cases_of_[i][r];
      timing.ops_per_block = launch.operations;
      timing.mean_seconds.push_back(row.time.count());
      timing.max_seconds.push_back(row.time.count());
      timing.slowest_rank.push_back(-1);
      timing.wrong_elements = std::max(timing.wrong_elements, row.wrong);
    }
  }
  std::vector<CaseTiming> sorted;
  sorted.reserve(timings.size());
  for (auto& [index, timing] : timings) sorted.push_back(std::move(timing));
  return sorted;
}

int ImportedTrials::case_of(const ImportedLaunch& launch, const ImportedTiming& timing) {
  Case c;
  c.collective = launch.collective;
  c.dtype = timing.dtype;
  c.op = reduces(launch.collective) ? timing.op : ReduceOp::sum;
  c.placement = timing.placement;
  c.size = timing.size;
  c.count = timing.count;
  c.requested = requested_size(launch, timing.dtype, timing.size);
  c.group = launch.group;
  c.group_size = launch.group_size;
  c.graph = launch.graph;
  if (c.requested != c.size) rounded_[c.requested].insert(c.size);
  const Key key{c.collective, c.dtype, c.op,         c.requested,
                c.placement,  c.group, c.group_size, c.graph};
  const auto [found, is_new] = cases_.try_emplace(key, static_cast<int>(data_.run.cases.size()));
  if (is_new) data_.run.cases.push_back(c);
  return found->second;
}

void ImportedTrials::find_cases(std::size_t i) {
  const ImportedLaunch& launch = files_.launches[i];
  const bool alike = i > 0 && ask_alike(launch, files_.launches[i - 1]);
  std::vector<int>& cases = cases_of_[i];
  cases.reserve(launch.timings.size());
  for (std::size_t r = 0; r < launch.timings.size(); ++r) {
    const bool again = alike && r < cases_of_[i - 1].size() &&
                       of_one_case(launch.timings[r], files_.launches[i - 1].timings[r]);
    cases.push_back(again ? cases_of_[i - 1][r] : case_of(launch, launch.timings[r]));
  }
}

// The first trial of the setting that has none of the launch's cases.
std::size_t ImportedTrials::trial_for(std::size_t launch, bool failed) {
  const int candidate = candidate_of_[launch];
  const std::vector<int>& cases = cases_of_[launch];
  std::vector<std::size_t>& trials = trials_[candidate];
  if (!failed) {
    std::size_t ignored = 0;
    std::size_t& from = cases.empty() ? ignored : earliest_[{candidate, cases.front()}];
    bool all_have_it = true;
    for (std::size_t at = from; at < trials.size(); ++at) {
      const std::vector<int>& taken = cases_in_[trials[at]];
      const auto has = [&](int c) { return std::binary_search(taken.begin(), taken.end(), c); };
      const bool complete = data_.trials[trials[at]].outcome == Outcome::complete;
      if (complete && std::none_of(cases.begin(), cases.end(), has)) return trials[at];
      all_have_it = all_have_it && (!complete || (!cases.empty() && has(cases.front())));
      if (all_have_it) from = at + 1;
    }
  }
  const std::size_t number = data_.trials.size();
  trials.push_back(number);
  TrialOutcome trial;
  // No rounds: launches of different settings have nothing in common.
  trial.order = {static_cast<int>(number), Stage::grid, static_cast<int>(number), candidate};
  data_.trials.push_back(std::move(trial));
  launches_of_.emplace_back();
  cases_in_.emplace_back();
  return number;
}

void ImportedTrials::add(std::size_t i) {
  const ImportedLaunch& launch = files_.launches[i];
  find_cases(i);
  const bool wrong_data = has_wrong_data(launch);
  const bool failed = wrong_data || !launch.failure.empty();
  const std::size_t number = trial_for(i, failed);
  TrialOutcome& trial = data_.trials[number];
  if (failed) {
    trial.outcome = wrong_data ? Outcome::wrong_data : Outcome::error;
    trial.failure.emplace();
    trial.failure->phase = launch.timings.empty() ? Phase::connect : Phase::measure;
    trial.failure->message = wrong_data ? "out of bounds values" : launch.failure;
    trial.failure->log_file = launch.where();
  }
  launches_of_[number].push_back(i);
  std::vector<int>& taken = cases_in_[number];
  taken.insert(taken.end(), cases_of_[i].begin(), cases_of_[i].end());
  std::sort(taken.begin(), taken.end());
  trial.facts.insert(trial.facts.end(), launch.facts.begin(), launch.facts.end());
  trial.source += (trial.source.empty() ? "" : ", ") + launch.where();
  trial.total_seconds += seconds_between(launch.started, launch.ended);
}

void ImportedTrials::note_rounding() {
  for (const auto& [requested, sizes] : rounded_) {
    if (sizes.size() < 2) continue;
    data_.run.notes.push_back(
        fmt::format("{} asked for became {} and {} bytes by version: taken for one size",
                    format_size(requested), sizes.begin()->value, sizes.rbegin()->value));
  }
}

}  // namespace nccl_sweep
