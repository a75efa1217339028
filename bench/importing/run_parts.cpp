// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/run_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "core/error.hpp"
#include "importing/readers.hpp"

namespace nccl_sweep {
namespace {

using Settings = std::map<std::string, std::string>;

constexpr const char* kLibrary = "nccl_library";

// Variables that identify a job or say what to log, and set nothing that acts on speed.
bool is_setting(std::string_view name) {
  constexpr std::array<std::string_view, 11> kOthers{
      "NCCL_DEBUG",          "NCCL_TESTS_",          "NCCL_HOSTID", "NCCL_COMM_ID", "NCCL_VERSION",
      "NCCL_TOPO_DUMP_FILE", "NCCL_GRAPH_DUMP_FILE", "UCX_LOG_",    "RCCL_LOG_",    "FI_LOG_",
      "SHARP_COLL_LOG_"};
  if (std::any_of(kOthers.begin(), kOthers.end(),
                  [&](std::string_view other) { return name.starts_with(other); })) {
    return false;
  }
  if (name.starts_with("CUDA_")) {
    return name == "CUDA_DEVICE_MAX_CONNECTIONS" || name == "CUDA_LAUNCH_BLOCKING";
  }
  return may_be_kept(name);
}

// By a setting that says more than the library, or only that.
bool is_named(const ImportedLaunch& launch, const std::vector<NamedSetting>& named,
              bool only_library = false) {
  return std::any_of(named.begin(), named.end(), [&](const NamedSetting& setting) {
    const auto& said = setting.assignments;
    const auto is_library = [](const auto& assignment) { return assignment.first == kLibrary; };
    const bool names_it = std::any_of(said.begin(), said.end(), is_library);
    const bool alone = names_it && said.size() == 1;
    return (only_library ? names_it : !alone) && applies_to(setting, launch);
  });
}

// Text without NCCL's own lines does not tell variables.
bool tells_variables(const ImportedLaunch& launch, const std::vector<NamedSetting>& named) {
  return launch.environment_known || launch.simulated || is_named(launch, named);
}

// Where others tell theirs, a launch that does not may not pass for one that has none set.
bool some_tell_variables(const std::vector<ImportedLaunch>& launches) {
  return std::any_of(launches.begin(), launches.end(), [](const auto& launch) {
    return launch.environment_known && !launch.timings.empty();
  });
}

Settings settings_of(const ImportedLaunch& launch, const std::vector<NamedSetting>& named,
                     const std::string& usual_library, bool others_tell) {
  Settings settings = launch.options;
  if (others_tell && !tells_variables(launch, named)) {
    settings[std::string(kVariablesUnknown)] = {};
  }
  for (const auto& [name, value] : launch.environment) {
    if (is_setting(name)) settings[name] = value;
  }
  const std::string& library = launch.nccl.empty() ? usual_library : launch.nccl;
  if (!library.empty()) settings[kLibrary] = library;
  for (const NamedSetting& setting : named) {
    if (!applies_to(setting, launch)) continue;
    for (const auto& [name, value] : setting.assignments) settings[name] = value;
  }
  return settings;
}

bool is_unknown(const Settings& settings) {
  return settings.contains(std::string(kVariablesUnknown));
}

std::string value_in(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found != settings.end()) return found->second;
  return name == "buffer" ? "plain" : std::string(kUnset);
}

std::set<std::string> varying_names(const std::vector<Settings>& all) {
  std::set<std::string> varying;
  for (const Settings& settings : all) {
    for (const auto& [name, value] : settings) {
      const bool same = std::all_of(all.begin(), all.end(), [&, key = name](const Settings& other) {
        const bool not_told = is_unknown(other) && is_setting(key);
        return not_told || value_in(other, key) == value_in(settings, key);
      });
      if (!same) varying.insert(name);
    }
  }
  return varying;
}

std::size_t variables_in(const Settings& settings, const std::set<std::string>& varying) {
  return static_cast<std::size_t>(std::count_if(
      varying.begin(), varying.end(),
      [&](const std::string& name) { return name != kLibrary && settings.contains(name); }));
}

Candidate candidate_of(const Settings& settings, const Settings& baseline,
                       const std::set<std::string>& varying) {
  Candidate candidate;
  for (const std::string& name : varying) {
    if (is_unknown(settings) && is_setting(name)) continue;
    const std::string value = value_in(settings, name);
    if (value != value_in(baseline, name)) candidate.assignments.emplace_back(name, value);
  }
  return candidate;
}

Settings common_environment(const std::vector<ImportedLaunch>& launches) {
  std::optional<Settings> common;
  for (const ImportedLaunch& launch : launches) {
    if (!launch.environment_known) continue;
    if (!common) common = launch.environment;
    std::erase_if(*common, [&](const auto& variable) {
      const auto found = launch.environment.find(variable.first);
      return found == launch.environment.end() || found->second != variable.second;
    });
  }
  return common.value_or(Settings{});
}

void note_baseline(const Settings& baseline, const std::set<std::string>& varying,
                   LaunchSettings& result) {
  std::vector<std::string> words;
  for (const std::string& name : varying) {
    const std::string value = value_in(baseline, name);
    if (value == kUnset || (name == "buffer" && value == "plain")) continue;
    words.push_back(fmt::format("{}={}", name, value));
    if (is_setting(name)) result.environment[name] = value;
  }
  if (words.empty()) return;
  result.notes.push_back(
      fmt::format("the default of this comparison has {}", fmt::join(words, " ")));
}

void note_unknown(const std::vector<ImportedLaunch>& launches,
                  const std::vector<NamedSetting>& named, std::vector<std::string>& notes) {
  const auto unknown = std::count_if(launches.begin(), launches.end(), [&](const auto& launch) {
    return !tells_variables(launch, named);
  });
  if (unknown == 0) return;
  notes.push_back(fmt::format(
      "{} not tell variables, {}: --candidate names them",
      unknown == 1 ? "1 launch does" : fmt::format("{} launches do", unknown),
      some_tell_variables(launches) ? "shown by themselves and not judged" : "taken for unset"));
}

// A launch that does not tell its library counts as of the one that most likely it was.
void note_unknown_library(const std::vector<ImportedLaunch>& launches,
                          const std::vector<NamedSetting>& named, const std::string& usual,
                          std::vector<std::string>& notes) {
  std::set<std::string> versions;
  std::int64_t unknown = 0;
  for (const ImportedLaunch& launch : launches) {
    if (launch.nccl.empty()) {
      if (!is_named(launch, named, /*only_library=*/true)) ++unknown;
    } else {
      versions.insert(launch.nccl);
    }
  }
  if (unknown == 0 || versions.size() < 2) return;
  notes.push_back(fmt::format(
      "{} not tell NCCL's version, taken for {} although there are {}: --candidate {}=VERSION "
      "names it",
      unknown == 1 ? "1 launch does" : fmt::format("{} launches do", unknown), usual,
      fmt::join(versions, ", "), kLibrary));
}

// Of launches with rows, and with variables that are known wherever any are: the fewest variables.
std::size_t find_baseline(const std::vector<ImportedLaunch>& launches,
                          const std::vector<Settings>& all) {
  const std::set<std::string> varying = varying_names(all);
  const auto rank = [&](std::size_t i) {
    return std::tuple(is_unknown(all[i]), launches[i].timings.empty(),
                      variables_in(all[i], varying));
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (rank(i) < rank(best)) best = i;
  }
  return best;
}

}  // namespace

std::set<std::string> hosts_of(const ImportedLaunch& launch) {
  std::set<std::string> hosts;
  for (const ImportedRank& rank : launch.ranks) hosts.insert(rank.host);
  return hosts;
}

bool applies_to(const NamedSetting& setting, const ImportedLaunch& launch) {
  return launch.file.string().find(setting.part_of_path) != std::string::npos;
}

LaunchSettings find_settings(const std::vector<ImportedLaunch>& launches,
                             const std::vector<NamedSetting>& named) {
  const auto versioned = std::find_if(launches.begin(), launches.end(),
                                      [](const auto& launch) { return !launch.nccl.empty(); });
  const std::string usual = versioned == launches.end() ? "" : versioned->nccl;
  const bool others_tell = some_tell_variables(launches);
  std::vector<Settings> all;
  for (const ImportedLaunch& launch : launches) {
    all.push_back(settings_of(launch, named, usual, others_tell));
  }
  const std::set<std::string> varying = varying_names(all);
  const std::size_t baseline = find_baseline(launches, all);
  LaunchSettings result;
  result.candidates.emplace_back();
  for (const Settings& settings : all) {
    const Candidate candidate = candidate_of(settings, all[baseline], varying);
    auto known = std::find(result.candidates.begin(), result.candidates.end(), candidate);
    if (known == result.candidates.end()) {
      known = result.candidates.insert(result.candidates.end(), candidate);
    }
    result.of_launch.push_back(static_cast<int>(known - result.candidates.begin()));
  }
  result.environment = common_environment(launches);
  result.nccl = launches[baseline].nccl.empty() ? usual : launches[baseline].nccl;
  if (result.candidates.size() > 1) note_baseline(all[baseline], varying, result);
  note_unknown(launches, named, result.notes);
  note_unknown_library(launches, named, result.nccl, result.notes);
  return result;
}

Fabric fabric_of(const ImportedLaunch& launch, const std::string& nccl) {
  Fabric fabric;
  const std::set<std::string> hosts = hosts_of(launch);
  fabric.device = launch.ranks.empty() ? "unknown GPU" : launch.ranks.front().device;
  fabric.nodes = std::max(1, launch.nodes);
  if (fabric.nodes > 1) fabric.span.clear();  // nccl-tests does not know the switches
  fabric.ranks = launch.world;
  fabric.ranks_per_node = (launch.world + fabric.nodes - 1) / fabric.nodes;
  fabric.hosts.assign(hosts.begin(), hosts.end());
  if (!nccl.empty()) fabric.versions["nccl"] = nccl;
  fabric.name = gpu_fabric_name(fabric);
  fabric.fingerprint = fingerprint_of(fabric);
  return fabric;
}

Bytes requested_size(const ImportedLaunch& launch, DataType dtype, Bytes size) {
  const std::int64_t element = element_bytes(dtype);
  constexpr std::int64_t kAlignment = 16;  // bytes of a share; in some versions 4 elements
  const std::int64_t rounded_by = size_is_total_over_ranks(launch.collective)
                                      ? launch.group_size * std::max(kAlignment, 4 * element)
                                      : element;
  const std::int64_t smallest = launch.smallest.value;
  if (smallest <= 0 || size.value <= 0 || size > launch.largest) return size;
  std::int64_t asked = smallest;
  if (launch.step_is_factor) {
    while (launch.step > 1 && asked < size.value && asked <= launch.largest.value / launch.step) {
      asked *= launch.step;
    }
  } else if (launch.step > 0 && asked < size.value) {
    const std::int64_t steps = (size.value - asked + launch.step - 1) / launch.step;
    if (steps > (INT64_MAX - asked) / launch.step) return size;
    asked += steps * launch.step;
  }
  return asked >= size.value && asked - size.value < rounded_by ? Bytes{asked} : size;
}

}  // namespace nccl_sweep
