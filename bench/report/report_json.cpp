// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

#include "analysis/alarm.hpp"
#include "report/result_tables.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::ordered_json;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

ordered_json value_json(const CellValue& value) {
  struct Converter {
    ordered_json operator()(std::monostate) const { return nullptr; }
    ordered_json operator()(bool b) const { return b; }
    ordered_json operator()(std::int64_t i) const { return i; }
    ordered_json operator()(double d) const { return nine_digits(d); }
    ordered_json operator()(const std::string& s) const { return s; }
  };
  return std::visit(Converter{}, value);
}

ordered_json rows_json(const Table& table, bool simulated) {
  ordered_json rows = ordered_json::array();
  for (const auto& row : table.rows) {
    ordered_json object{{"simulated", simulated}};
    for (std::size_t c = 0; c < row.size(); ++c) {
      object[table.columns[c].key] = value_json(row[c].value);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

ordered_json gain_json(const Gain& gain) {
  ordered_json j{{"ratio", nine_digits(gain.ratio)}, {"pairs", gain.pairs}};
  if (gain.has_interval()) {
    j["low"] = nine_digits(gain.interval.low);
    j["high"] = nine_digits(gain.interval.high);
    j["confidence"] = nine_digits(gain.confidence);
  }
  return j;
}

ordered_json run_json(const RunData& data) {
  const RunRecord& run = data.run;
  ordered_json j{{"name", run.name},
                 {"version", run.version},
                 {"started", run.started},
                 {"backend", run.backend},
                 {"seed", run.seed},
                 {"ranks", run.ranks},
                 {"trials", data.trials.size()},
                 {"end", data.end ? ordered_json(data.end->reason) : ordered_json(nullptr)},
                 {"notes", run.notes}};
  if (!run.mismatches.empty()) j["mismatches"] = run.mismatches;
  j["fabric"] = {{"name", run.fabric.name},
                 {"fingerprint", run.fabric.fingerprint},
                 {"device", run.fabric.device},
                 {"nodes", run.fabric.nodes},
                 {"span", run.fabric.span},
                 {"ranks_per_node", run.fabric.ranks_per_node},
                 {"versions", run.fabric.versions}};
  if (!run.fabric.link.empty()) j["fabric"]["link"] = run.fabric.link;
  if (!run.fabric.network.empty()) j["fabric"]["network"] = run.fabric.network;
  if (!run.fabric.adapters.empty()) j["fabric"]["adapters"] = run.fabric.adapters;
  if (run.workload) {
    j["workload"] = {{"name", run.workload->name}, {"iterations", run.workload->iterations}};
  }
  return j;
}

ordered_json change_json(const std::optional<MachineChange>& change) {
  if (!change) return nullptr;
  const bool drift = change->kind == MachineChange::Kind::drift;
  ordered_json divided = ordered_json::array();
  for (const MachineChange::Round& round : change->divided) {
    divided.push_back({{"stage", to_string(round.stage)}, {"round", round.round}});
  }
  return {{"kind", drift ? "drift" : "step"},
          {"time_factor", nine_digits(std::exp(change->size))},
          {"from_trial", change->from},
          {"to_trial", change->to},
          {"divided_rounds", divided}};
}

ordered_json recommendation_json(const RunData& data, const RunFindings& findings,
                                 const Recommendation& found) {
  ordered_json j{
      {"setting", setting_name(data, found.candidate)},
      {"keeps_default", found.keeps_default()},
      {"reason", found.reason},
      {"contender", found.contender == 0 ? ordered_json(nullptr)
                                         : ordered_json(setting_name(data, found.contender))},
      {"verdict", to_string(found.verdict)},
      {"refused", found.refused},
      {"warnings", found.warnings}};
  const std::optional<Gain>& gain = findings.candidates[index(found.contender)].score.gain;
  if (gain) j["gain"] = gain_json(*gain);
  if (found.prediction) {
    j["prediction"] = {{"per", found.prediction->per_iteration ? "iteration" : "traced run"},
                       {"before_seconds", nine_digits(found.prediction->before.count())},
                       {"after_seconds", nine_digits(found.prediction->after.count())},
                       {"cases", rows_json(shares_table(data, found), data.run.simulated)}};
  }
  if (findings.alarm) {
    j["alarm"] = {{"setting", setting_name(data, findings.alarm->candidate)},
                  {"raised", findings.untrusted()},
                  {"text", alarm_line(data, findings)}};
  }
  j["regressions"] = ordered_json::array();
  for (const Regression& r : found.regressions) {
    j["regressions"].push_back({{"case", describe(data.run.cases[index(r.case_index)])},
                                {"share", nine_digits(r.share)},
                                {"gain", gain_json(r.gain)}});
  }
  j["by_size"] = ordered_json::array();
  for (const SizeWinner& w : found.size_winners) {
    j["by_size"].push_back({{"case", describe(data.run.cases[index(w.case_index)])},
                            {"setting", setting_name(data, w.candidate)},
                            {"gain", gain_json(w.gain)}});
  }
  return j;
}

}  // namespace

std::string report_json(const RunData& data, const RunFindings& findings,
                        const Recommendation& recommendation) {
  ordered_json j{{"schema", kReportSchema},
                 {"simulated", data.run.simulated},
                 {"scope", scope_line(data.run)},
                 {"run", run_json(data)},
                 {"machine_change", change_json(findings.machine_change)},
                 {"recommendation", recommendation_json(data, findings, recommendation)},
                 {"settings", rows_json(settings_table(data, findings), data.run.simulated)},
                 {"points", rows_json(points_table(data, findings), data.run.simulated)},
                 {"failures", rows_json(failures_table(data), data.run.simulated)}};
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace nccl_sweep
