// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The best setting per fabric, which outlives runs: results/settings/<fabric>.json, one file a
// fabric with its history, newest last. `recommend` adds to it, `best` shows it. An entry is for
// one fingerprint, number of nodes, span over switches, NCCL major.minor and workload or, without
// one, sweep; others do not replace it, and an undecided run never replaces one that decided.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recommendation.hpp"
#include "report/table.hpp"

namespace nccl_sweep {

inline constexpr int kSettingsSchema = 1;

struct SettingsEntry {
  std::string run;   // folder name
  std::string date;  // the run's start, ISO 8601, UTC
  bool simulated = false;
  std::string fingerprint;  // of the fabric
  int nodes = 1;
  std::string span = "node";  // of the nodes over switches, "" unknown
  int ranks = 0;
  std::string nccl;      // version, "" unknown
  std::string workload;  // file name, or "spec NAME"
  std::string sweep;     // without a workload: hash of what was compared, see sweep_key()
  std::string setting;   // "default" where that is to be kept
  Assignments assignments;
  std::string verdict;  // of the run's contender
  std::optional<Gain> gain;
  std::string reason;
  std::string scaled;  // "partly scaled from 4 ranks", or empty
  std::string scope;
  std::string expires;  // in words
};

struct FabricSettings {
  std::string fabric;
  std::vector<SettingsEntry> entries;  // oldest first
};

SettingsEntry settings_entry(const RunData&, const RunFindings&, const Recommendation&,
                             std::string_view run_name);

// Tells sweeps without a workload apart, whatever their names: hash of the cases, the names of the
// knobs that candidates vary and the site's environment.
std::string sweep_key(const RunRecord&);

// Simulated fabrics have files of their own ("simulated-NAME.json").
std::filesystem::path settings_file(const std::filesystem::path& folder, const std::string& fabric,
                                    bool simulated);

// Adds an entry; one of the same run is replaced. Written whole or not at all.
std::filesystem::path remember_setting(const std::filesystem::path& folder,
                                       const std::string& fabric, const SettingsEntry& entry);

// Throws a usage Error that names the file where one is broken or of another schema.
FabricSettings load_settings(const std::filesystem::path& file);
std::vector<FabricSettings> load_all_settings(const std::filesystem::path& folder);

// Current entries first (of each fingerprint, nodes, span, NCCL major.minor and workload or sweep the
// newest that decided, else the newest), then the others.
Table settings_history(const FabricSettings& settings);

}  // namespace nccl_sweep
