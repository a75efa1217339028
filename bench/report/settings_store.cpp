// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/settings_store.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <map>
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

ordered_json gain_json(const Gain& gain) {
  ordered_json j{{"ratio", nine_digits(gain.ratio)}};
  if (gain.has_interval()) {
    j["low"] = nine_digits(gain.interval.low);
    j["high"] = nine_digits(gain.interval.high);
    j["confidence"] = gain.confidence;
  }
  j["pairs"] = gain.pairs;
  return j;
}

ordered_json entry_json(const SettingsEntry& e) {
  ordered_json j{{"run", e.run},
                 {"date", e.date},
                 {"simulated", e.simulated},
                 {"fingerprint", e.fingerprint},
                 {"nodes", e.nodes},
                 {"span", e.span},
                 {"ranks", e.ranks},
                 {"nccl", e.nccl},
                 {"workload", e.workload},
                 {"sweep", e.sweep},
                 {"setting", e.setting},
                 {"assignments", ordered_json::array()},
                 {"verdict", e.verdict},
                 {"reason", e.reason},
                 {"scaled", e.scaled},
                 {"scope", e.scope},
                 {"expires", e.expires}};
  for (const auto& [name, value] : e.assignments) {
    j["assignments"].push_back({{"name", name}, {"value", value}});
  }
  if (e.gain) {
    j["gain"] = gain_json(*e.gain);
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
  e.span = j.value("span", e.nodes == 1 ? "node" : "");  // earlier versions lack it
  j.at("ranks").get_to(e.ranks);
  j.at("nccl").get_to(e.nccl);
  j.at("workload").get_to(e.workload);
  e.sweep = j.value("sweep", "");  // entries of earlier versions lack it
  j.at("setting").get_to(e.setting);
  j.at("verdict").get_to(e.verdict);
  j.at("reason").get_to(e.reason);
  e.scaled = j.value("scaled", "");
  j.at("scope").get_to(e.scope);
  j.at("expires").get_to(e.expires);
  for (const auto& a : j.at("assignments")) {
    e.assignments.emplace_back(a.at("name").get<std::string>(), a.at("value").get<std::string>());
  }
  if (j.contains("gain")) {
    const auto& g = j.at("gain");
    e.gain = Gain{g.at("ratio").get<double>(), {0, 0}, 0, g.at("pairs").get<int>()};
    if (g.contains("confidence")) {
      e.gain->interval = {g.at("low").get<double>(), g.at("high").get<double>()};
      e.gain->confidence = g.at("confidence").get<double>();
    }
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
  return std::tuple{e.fingerprint, e.nodes, e.span, major_minor(e.nccl),
                    e.sweep.empty() ? e.workload : "sweep " + e.sweep};
}

std::string workload_words(const SettingsEntry& e) {
  return e.sweep.empty() ? e.workload : fmt::format("{} [{}]", e.workload, e.sweep);
}

bool decided(const SettingsEntry& e) {
  return e.verdict != to_string(Verdict::undecided) &&
         e.verdict != to_string(Verdict::not_confirmed);
}

// [entry]: whether it is the current one of its key.
std::vector<bool> current_entries(const std::vector<SettingsEntry>& entries) {
  std::map<decltype(key_of(SettingsEntry{})), std::size_t> newest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [known, first] = newest.try_emplace(key_of(entries[i]), i);
    if (decided(entries[i]) || !decided(entries[known->second])) known->second = i;
  }
  std::vector<bool> current(entries.size(), false);
  for (const auto& [key, i] : newest) current[i] = true;
  return current;
}

std::string short_hash(std::string_view text) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

std::string sweep_key(const RunRecord& run) {
  std::set<std::string> parts;  // the order they are written in does not matter
  for (const Case& c : run.cases) {
    parts.insert(fmt::format("case {} {} {} {} {} {}", to_string(c.collective), to_string(c.dtype),
                             reduces(c.collective) ? to_string(c.op) : "none", c.size.value,
                             to_string(c.placement), to_string(c.group)));
  }
  for (const Candidate& candidate : run.candidates) {
    for (const auto& [knob, value] : candidate.assignments) parts.insert("knob " + knob);
  }
  for (const auto& [name, value] : run.environment) {
    parts.insert(fmt::format("site {}={}", name, value));
  }
  return short_hash(fmt::format("{}", fmt::join(parts, "\n")));
}

SettingsEntry settings_entry(const RunData& data, const RunFindings& findings,
                             const Recommendation& found, std::string_view run_name) {
  const RunRecord& run = data.run;
  SettingsEntry e;
  e.run = run_name;
  e.date = run.started;
  e.simulated = run.simulated;
  e.fingerprint = run.fabric.fingerprint;
  e.nodes = run.fabric.nodes;
  e.span = run.fabric.span;
  e.ranks = run.ranks;
  const auto nccl = run.fabric.versions.find("nccl");
  if (nccl != run.fabric.versions.end()) e.nccl = nccl->second;
  e.workload = run.workload ? run.workload->name : "spec " + run.name;
  if (!run.workload) e.sweep = sweep_key(run);
  const Candidate& setting = run.candidates[static_cast<std::size_t>(found.candidate)];
  e.setting = name_of(setting);
  e.assignments = environment_assignments(setting);
  e.verdict = to_string(found.verdict);
  e.gain = findings.candidates[static_cast<std::size_t>(found.contender)].score.gain;
  e.reason = found.reason;
  e.scaled = partly_scaled(run);
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
  // Imported logs may tell no date: then it is when they were judged.
  if (entry.date.empty()) settings.entries.back().date = now_text();
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
  } catch (const ordered_json::exception&) {
    throw usage_error("not a settings file of nccl-sweep", file.string(),
                      "nccl-sweep recommend RUN writes it anew once it is moved away");
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
               {"span", "span"},
               {"NCCL", "nccl"},
               {"date", "date"},
               {"run", "run"},
               {"state", "state"}},
              {},
              {}};
  const std::vector<bool> is_current = current_entries(settings.entries);
  std::set<decltype(key_of(SettingsEntry{}))> seen;
  std::vector<std::vector<Cell>> others;
  for (std::size_t i = settings.entries.size(); i-- > 0;) {
    const SettingsEntry* e = &settings.entries[i];
    const bool current = is_current[i];
    if (current) seen.insert(key_of(*e));
    // Newer than the current one: it only did not decide.
    const char* state = current ? "current" : seen.count(key_of(*e)) > 0 ? "replaced" : "undecided";
    const Tone tone = current ? Tone::plain : Tone::faint;
    std::vector<Cell> row{{e->setting == kBaselineName ? "keep the default" : e->setting, tone},
                          {e->gain ? format_gain(*e->gain) : "", tone},
                          {e->verdict, tone},
                          {workload_words(*e), tone},
                          {std::to_string(e->nodes), static_cast<std::int64_t>(e->nodes), tone},
                          {e->span.empty() ? "unknown" : e->span, tone},
                          {e->nccl, tone},
                          {e->date, tone},
                          {e->run, tone},
                          {state, tone}};
    (current ? table.rows : others).push_back(std::move(row));
    if (!current) continue;
    table.notes.push_back(fmt::format("{}: {}{}{}; expires {}", e->run, e->scaled,
                                      e->scaled.empty() ? "" : "; ", e->scope, e->expires));
  }
  table.rows.insert(table.rows.end(), others.begin(), others.end());
  return table;
}

}  // namespace nccl_sweep
