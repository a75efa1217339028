// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/settings_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/error.hpp"
#include "report/table_words.hpp"
#include "report/whole_file.hpp"

namespace nccl_sweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string major_minor(const std::string& version) {
  const std::size_t first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

ordered_json entry_json(const SettingsEntry& e) {
  ordered_json j{{"run", e.run},
                 {"date", e.date},
                 {"simulated", e.simulated},
                 {"fingerprint", e.fingerprint},
                 {"nodes", e.nodes},
                 {"ranks", e.ranks},
                 {"nccl", e.nccl},
                 {"workload", e.workload},
                 {"setting", e.setting},
                 {"assignments", ordered_json::array()},
                 {"verdict", e.verdict},
                 {"reason", e.reason},
                 {"scope", e.scope},
                 {"expires", e.expires}};
  for (const auto& [name, value] : e.assignments) {
    j["assignments"].push_back({{"name", name}, {"value", value}});
  }
  if (e.gain) {
    j["gain"] = {{"ratio", nine_digits(e.gain->ratio)},
                 {"low", nine_digits(e.gain->interval.low)},
                 {"high", nine_digits(e.gain->interval.high)},
                 {"confidence", e.gain->confidence},
                 {"pairs", e.gain->pairs}};
  }
  return j;
}

SettingsEntry entry_of(const ordered_json& j) {
  SettingsEntry e;
  j.at("run").get_to(e.run);
  j.at("date").get_to(e.date);
  j.at("simulated").get_to(e.simulated);
  j.at("fingerprint").get_to(e.fingerprint);
  j.at("nodes").get_to(e.nodes);
  j.at("ranks").get_to(e.ranks);
  j.at("nccl").get_to(e.nccl);
  j.at("workload").get_to(e.workload);
  j.at("setting").get_to(e.setting);
  j.at("verdict").get_to(e.verdict);
  j.at("reason").get_to(e.reason);
  j.at("scope").get_to(e.scope);
  j.at("expires").get_to(e.expires);
  for (const auto& a : j.at("assignments")) {
    e.assignments.emplace_back(a.at("name").get<std::string>(), a.at("value").get<std::string>());
  }
  if (j.contains("gain")) {
    const auto& g = j.at("gain");
    e.gain = Gain{g.at("ratio").get<double>(),
                  {g.at("low").get<double>(), g.at("high").get<double>()},
                  g.at("confidence").get<double>(),
                  g.at("pairs").get<int>()};
  }
  return e;
}

std::string file_stem(const std::string& fabric) {
  std::string stem = fabric.empty() ? "unnamed" : fabric;
  for (char& letter : stem) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && letter != '-' && letter != '_' && letter != '.') letter = '-';
  }
  if (stem.front() == '.') stem.front() = '-';
  return stem;
}

auto key_of(const SettingsEntry& e) {
  return std::tuple{e.fingerprint, e.nodes, major_minor(e.nccl), e.workload};
}

}  // namespace

SettingsEntry settings_entry(const RunData& data, const RunFindings& findings,
                             const Recommendation& found, std::string_view run_name) {
  const RunRecord& run = data.run;
  SettingsEntry e;
  e.run = run_name;
  e.date = run.started;
  e.simulated = run.simulated;
  e.fingerprint = run.fabric.fingerprint;
  e.nodes = run.fabric.nodes;
  e.ranks = run.ranks;
  const auto nccl = run.fabric.versions.find("nccl");
  if (nccl != run.fabric.versions.end()) e.nccl = nccl->second;
  e.workload = run.workload ? run.workload->name : "spec " + run.name;
  const Candidate& setting = run.candidates[static_cast<std::size_t>(found.candidate)];
  e.setting = name_of(setting);
  e.assignments = environment_assignments(setting);
  e.verdict = to_string(found.verdict);
  e.gain = findings.candidates[static_cast<std::size_t>(found.contender)].score.gain;
  e.reason = found.reason;
  e.scope = scope_line(run);
  e.expires = fmt::format("with another NCCL than {}, another driver or other nodes",
                          e.nccl.empty() ? "the one measured" : major_minor(e.nccl));
  return e;
}

fs::path settings_file(const fs::path& folder, const std::string& fabric, bool simulated) {
  return folder / ((simulated ? "simulated-" : "") + file_stem(fabric) + ".json");
}

fs::path remember_setting(const fs::path& folder, const std::string& fabric,
                          const SettingsEntry& entry) {
  const fs::path file = settings_file(folder, fabric, entry.simulated);
  FabricSettings settings{fabric, {}};
  std::error_code ignored;
  if (fs::exists(file, ignored)) settings = load_settings(file);
  std::erase_if(settings.entries, [&](const SettingsEntry& e) { return e.run == entry.run; });
  settings.entries.push_back(entry);
  std::stable_sort(settings.entries.begin(), settings.entries.end(),
                   [](const auto& a, const auto& b) { return a.date < b.date; });
  ordered_json j{
      {"schema", kSettingsSchema}, {"fabric", fabric}, {"entries", ordered_json::array()}};
  for (const SettingsEntry& e : settings.entries) j["entries"].push_back(entry_json(e));
  write_whole_file(file, j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  return file;
}

FabricSettings load_settings(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw usage_error("cannot be read", file.string());
  try {
    const ordered_json j = ordered_json::parse(in);
    if (const int schema = j.at("schema").get<int>(); schema != kSettingsSchema) {
      throw usage_error(
          fmt::format("settings of schema {}, this version reads {}", schema, kSettingsSchema),
          file.string());
    }
    FabricSettings settings{j.at("fabric").get<std::string>(), {}};
    for (const auto& entry : j.at("entries")) settings.entries.push_back(entry_of(entry));
    return settings;
  } catch (const ordered_json::exception& error) {
    throw usage_error(fmt::format("not a settings file: {}", error.what()), file.string());
  }
}

std::vector<FabricSettings> load_all_settings(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<FabricSettings> all;
  for (const fs::path& file : files) all.push_back(load_settings(file));
  return all;
}

Table settings_history(const FabricSettings& settings) {
  const bool simulated = std::any_of(settings.entries.begin(), settings.entries.end(),
                                     [](const auto& e) { return e.simulated; });
  Table table{settings.fabric + (simulated ? "  SIMULATED" : ""),
              {{"setting", "setting"},
               {"gain", "ratio"},
               {"verdict", "verdict"},
               {"workload", "workload"},
               {"nodes", "nodes", Align::right},
               {"NCCL", "nccl"},
               {"date", "date"},
               {"run", "run"},
               {"state", "state"}},
              {},
              {}};
  std::set<decltype(key_of(SettingsEntry{}))> seen;
  std::vector<std::vector<Cell>> replaced;
  for (auto e = settings.entries.rbegin(); e != settings.entries.rend(); ++e) {
    const bool current = seen.insert(key_of(*e)).second;
    const Tone tone = current ? Tone::plain : Tone::faint;
    std::vector<Cell> row{{e->setting == kBaselineName ? "keep the default" : e->setting, tone},
                          {e->gain ? format_gain(*e->gain) : "", tone},
                          {e->verdict, tone},
                          {e->workload, tone},
                          {std::to_string(e->nodes), static_cast<std::int64_t>(e->nodes), tone},
                          {e->nccl, tone},
                          {e->date, tone},
                          {e->run, tone},
                          {current ? "current" : "replaced", tone}};
    (current ? table.rows : replaced).push_back(std::move(row));
    if (current)
      table.notes.push_back(fmt::format("{}: {}; expires {}", e->run, e->scope, e->expires));
  }
  table.rows.insert(table.rows.end(), replaced.begin(), replaced.end());
  return table;
}

}  // namespace nccl_sweep
