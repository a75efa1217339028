// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/imported_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "importing/imported_trials.hpp"
#include "importing/run_parts.hpp"

namespace nccl_sweep {
namespace {

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

// "2026-07-10 09:15:02", as nccl-tests prints it.
bool is_time_stamp(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
}

// "2026-07-10T09:15:02": the earliest that a launch tells, in its machine's local time.
std::string first_start(const std::vector<ImportedLaunch>& launches) {
  std::string first;
  for (const ImportedLaunch& launch : launches) {
    if (!is_time_stamp(launch.started)) continue;
    if (first.empty() || launch.started < first) first = launch.started;
  }
  constexpr std::size_t kDate = 10;
  if (!first.empty()) first[kDate] = 'T';
  return first;
}

RunRecord run_of(const ImportedFiles& files, const ImportedRunOptions& options,
                 const LaunchSettings& settings) {
  const auto first = std::find_if(files.launches.begin(), files.launches.end(),
                                  [](const auto& launch) { return !launch.timings.empty(); });
  RunRecord run;
  run.version = options.version;
  run.argv = options.argv;
  run.name = options.name;
  run.imported = true;
  run.simulated = first->simulated;
  run.backend = run.simulated ? "model" : "nccl";
  run.recipe = recipe_words(*first);
  run.started = first_start(files.launches);
  run.environment = settings.environment;
  run.fabric = fabric_of(*first, settings.nccl);
  run.ranks = first->world;
  run.workers = first->world;
  run.candidates = settings.candidates;
  run.notes = origin_notes(files, settings);
  run.identity = "imported";
  return run;
}

std::string trial_lines(const TrialOutcome& trial, const std::vector<CaseTiming>& cases) {
  std::string text;
  const auto add = [&](const Record& record) { (text += to_line(record)) += '\n'; };
  for (const CaseTiming& timing : cases) add(BlocksRecord{trial.order, timing});
  if (trial.failure) add(FailureRecord{trial.order, trial.outcome, *trial.failure});
  if (!trial.facts.empty()) add(EvidenceRecord{trial.order, trial.facts});
  TrialRecord closing;
  closing.order = trial.order;
  closing.outcome = trial.outcome;
  closing.total_seconds = trial.total_seconds;
  closing.source = trial.source;
  add(closing);
  return text;
}

// The run but for its trials' timings, which `fill` takes as it needs them.
RunData arranged(const ImportedFiles& files, const ImportedRunOptions& options,
                 const std::function<void(RunData&, const ImportedTrials&)>& fill) {
  check_used(options.settings, files.launches);
  check_comparable(files.launches);
  const LaunchSettings settings = find_settings(files.launches, options.settings);
  RunData data;
  data.run = run_of(files, options, settings);
  const ImportedTrials trials(files, settings, data);
  data.end = end_of(data);
  fill(data, trials);
  return data;
}

}  // namespace

RunData make_run(const ImportedFiles& files, const ImportedRunOptions& options) {
  return arranged(files, options, [](RunData& data, const ImportedTrials& trials) {
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
      data.trials[i].cases = trials.timings_of(i);
    }
  });
}

RunData write_run(const ImportedFiles& files, const ImportedRunOptions& options,
                  const RecordSink& write) {
  return arranged(files, options, [&](RunData& data, const ImportedTrials& trials) {
    write(to_line(data.run) + "\n");
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
      write(trial_lines(data.trials[i], trials.timings_of(i)));
    }
    write(to_line(*data.end) + "\n");
  });
}

std::string record_lines(const RunData& data) {
  std::string text = to_line(data.run) + "\n";
  for (const TrialOutcome& trial : data.trials) text += trial_lines(trial, trial.cases);
  if (data.end) text += to_line(*data.end) + "\n";
  return text;
}

}  // namespace nccl_sweep
