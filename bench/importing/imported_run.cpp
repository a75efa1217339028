// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/imported_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "core/error.hpp"
#include "importing/run_parts.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Between two local times of one machine; 0 where they cannot be read.
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
  return from && to && *to > *from ? std::difftime(*to, *from) : 0;
}

class Assembly {
 public:
  Assembly(const ImportedFiles& files, const LaunchSettings& settings, RunData& data)
      : files_(files), settings_(settings), data_(data) {}

  void run() {
    for (std::size_t i = 0; i < files_.launches.size(); ++i) {
      add(files_.launches[i], settings_.of_launch[i]);
    }
    for (TrialOutcome& trial : data_.trials) {
      std::sort(trial.cases.begin(), trial.cases.end(),
                [](const auto& a, const auto& b) { return a.case_index < b.case_index; });
      trial.facts = merge(std::move(trial.facts));
    }
    for (const auto& [requested, sizes] : rounded_) {
      if (sizes.size() > 1) {
        data_.run.notes.push_back(
            fmt::format("{} asked for became {} and {} bytes by version: taken for one size",
                        format_size(requested), sizes.begin()->value, sizes.rbegin()->value));
      }
    }
  }

 private:
  using Key = std::tuple<Collective, DataType, ReduceOp, Bytes, Placement, GroupShape, int, bool>;

  int case_of(const ImportedLaunch& launch, const ImportedTiming& timing) {
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

  // A row that is there several times (several cycles or roots) has several blocks.
  std::map<int, CaseTiming> timings_of(const ImportedLaunch& launch) {
    std::map<int, CaseTiming> timings;
    for (const ImportedTiming& row : launch.timings) {
      const int i = case_of(launch, row);
      CaseTiming& timing = timings[i];
      timing.case_index = i;
      timing.ops_per_block = launch.operations;
      timing.mean_seconds.push_back(row.time.count());
      timing.max_seconds.push_back(row.time.count());
      timing.slowest_rank.push_back(-1);
      timing.wrong_elements = std::max(timing.wrong_elements, row.wrong);
    }
    return timings;
  }

  TrialOutcome& trial_for(int candidate, const std::map<int, CaseTiming>& timings, bool failed) {
    for (const int i : trials_[candidate]) {
      TrialOutcome& trial = data_.trials[index(i)];
      const bool disjoint =
          std::none_of(trial.cases.begin(), trial.cases.end(),
                       [&](const auto& timing) { return timings.contains(timing.case_index); });
      if (!failed && disjoint && trial.outcome == Outcome::complete) return trial;
    }
    const auto number = static_cast<int>(data_.trials.size());
    trials_[candidate].push_back(number);
    TrialOutcome trial;
    // No rounds: launches of different settings have nothing in common.
    trial.order = {number, Stage::grid, number, candidate};
    data_.trials.push_back(std::move(trial));
    return data_.trials.back();
  }

  void add(const ImportedLaunch& launch, int candidate) {
    std::map<int, CaseTiming> timings = timings_of(launch);
    const bool failed = launch.wrong_data || !launch.failure.empty();
    TrialOutcome& trial = trial_for(candidate, timings, failed);
    if (failed) {
      trial.outcome = launch.wrong_data ? Outcome::wrong_data : Outcome::error;
      trial.failure.emplace();
      trial.failure->phase = timings.empty() ? Phase::connect : Phase::measure;
      trial.failure->message = launch.wrong_data ? "out of bounds values" : launch.failure;
      trial.failure->log_file = launch.where();
    }
    for (auto& [i, timing] : timings) trial.cases.push_back(std::move(timing));
    trial.facts.insert(trial.facts.end(), launch.facts.begin(), launch.facts.end());
    trial.source += (trial.source.empty() ? "" : ", ") + launch.where();
    trial.total_seconds += seconds_between(launch.started, launch.ended);
  }

  const ImportedFiles& files_;
  const LaunchSettings& settings_;
  RunData& data_;
  std::map<Key, int> cases_;
  std::map<int, std::vector<int>> trials_;  // by candidate
  std::map<Bytes, std::set<Bytes>> rounded_;
};

EndRecord end_of(const RunData& data) {
  EndRecord end;
  end.reason = "complete";
  end.trials = static_cast<int>(data.trials.size());
  for (const TrialOutcome& trial : data.trials) {
    end.failed += trial.outcome == Outcome::complete ? 0 : 1;
    end.seconds += trial.total_seconds;
  }
  return end;
}

}  // namespace

NamedSetting parse_named_setting(std::string_view text) {
  const auto refuse = [&] {
    return usage_error(fmt::format("not a setting: '{}'", text), "--candidate",
                       "NAME=VALUE, or TEXT:NAME=VALUE for files with TEXT in their path");
  };
  NamedSetting setting;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) throw refuse();
  const std::size_t colon = text.substr(0, equals).rfind(':');
  std::string_view rest = text;
  if (colon != std::string_view::npos) {
    setting.part_of_path = text.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  std::istringstream words{std::string(rest)};
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == word.size()) throw refuse();
    setting.assignments.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return setting;
}

namespace {

// A setting of no file is a typing mistake, and its launches would pass for the default's.
void check_used(const std::vector<NamedSetting>& settings,
                const std::vector<ImportedLaunch>& launches) {
  for (const NamedSetting& setting : settings) {
    const bool used = std::any_of(launches.begin(), launches.end(),
                                  [&](const auto& launch) { return applies_to(setting, launch); });
    if (!used) {
      throw usage_error(
          fmt::format("no launch is of a file with '{}' in its path", setting.part_of_path),
          "--candidate", "TEXT:NAME=VALUE is for files with TEXT in their path");
    }
  }
}

}  // namespace

RunData make_run(const ImportedFiles& files, const ImportedRunOptions& options) {
  check_used(options.settings, files.launches);
  check_comparable(files.launches);
  const LaunchSettings settings = find_settings(files.launches, options.settings);
  const auto first = std::find_if(files.launches.begin(), files.launches.end(),
                                  [](const auto& launch) { return !launch.timings.empty(); });
  RunData data;
  RunRecord& run = data.run;
  run.version = options.version;
  run.argv = options.argv;
  run.name = options.name;
  run.imported = true;
  run.simulated = first->simulated;
  run.backend = run.simulated ? "model" : "nccl";
  run.started = options.started;
  run.environment = settings.environment;
  run.fabric = fabric_of(*first, settings.nccl);
  run.ranks = first->world;
  run.workers = first->world;
  run.candidates = settings.candidates;
  run.notes = origin_notes(files, settings);
  run.identity = "imported";
  Assembly(files, settings, data).run();
  data.end = end_of(data);
  return data;
}

std::string record_lines(const RunData& data) {
  std::string text;
  const auto write = [&](Record record) { text += to_line(record) + "\n"; };
  write(data.run);
  for (const TrialOutcome& trial : data.trials) {
    for (const CaseTiming& timing : trial.cases) write(BlocksRecord{trial.order, timing});
    if (trial.failure) write(FailureRecord{trial.order, trial.outcome, *trial.failure});
    if (!trial.facts.empty()) write(EvidenceRecord{trial.order, trial.facts});
    TrialRecord closing;
    closing.order = trial.order;
    closing.outcome = trial.outcome;
    closing.total_seconds = trial.total_seconds;
    closing.source = trial.source;
    write(closing);
  }
  if (data.end) write(*data.end);
  return text;
}

}  // namespace nccl_sweep
