// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Cell score_cell(const CandidateFinding& found) {
  const bool known = found.candidate != 0 || found.trials > 0;
  return known ? gain_cell(found.score) : Cell{"", CellValue{}};
}

// A default that only failed is no baseline.
Cell score_verdict_cell(const CandidateFinding& found) {
  Finding shown = found.score;
  if (found.candidate == 0 && found.trials == 0 && found.failures > 0) {
    shown.verdict = Verdict::failed;
  }
  return verdict_cell(shown);
}

}  // namespace

Table settings_table(const RunData& data, const RunFindings& findings) {
  const bool screened = findings.design == Design::screen_confirm;
  const bool on_device = std::any_of(findings.candidates.begin(), findings.candidates.end(),
                                     [](const auto& c) { return c.device_bytes > 0; });
  Table table{titled(data.run, "settings tried"),
              {{"setting", "setting"},
               {"vs default", "ratio"},
               {"verdict", "verdict"},
               {"trials", "trials", Align::right},
               {"failed", "failures", Align::right}},
              {},
              {}};
  const bool around = !data.run.imported;  // of another program's launches it is not known
  if (around) {
    table.columns.push_back({"start-up", "start_up_seconds", Align::right});
    table.columns.push_back({"CPU", "cpu_share", Align::right});
  }
  if (on_device) table.columns.push_back({"GPU memory", "device_bytes", Align::right});
  table.columns.push_back({"reached", "reached"});
  std::vector<const CandidateFinding*> order;
  for (const CandidateFinding& c : findings.candidates) order.push_back(&c);
  const auto rank = [](const CandidateFinding* c) {
    const Verdict verdict = c->score.verdict;
    return std::tuple{
        c->candidate != 0, verdict == Verdict::failed || verdict == Verdict::wrong_data,
        verdict == Verdict::not_confirmed, c->score.gain ? -c->score.gain->ratio : 0.0};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  for (const CandidateFinding* c : order) {
    std::string reached;
    if (screened && c->candidate == findings.finalist) {
      reached = "finalist";
    } else if (screened && c->candidate != 0 && c->last_screen_round >= 0) {
      reached = fmt::format("screen {}", c->last_screen_round + 1);
    }
    const bool measured = c->trials > 0;
    table.rows.push_back({{setting_name(data, c->candidate)},
                          score_cell(*c),
                          score_verdict_cell(*c),
                          {std::to_string(c->trials), static_cast<std::int64_t>(c->trials)},
                          {c->failures > 0 ? std::to_string(c->failures) : "",
                           static_cast<std::int64_t>(c->failures)}});
    if (around) {
      table.rows.back().push_back({measured ? format_seconds(Seconds{c->start_up_seconds}) : "",
                                   measured ? CellValue{c->start_up_seconds} : CellValue{}});
      table.rows.back().push_back(
          {c->cpu_share > 0 ? fmt::format("{:.1f} cores", c->cpu_share) : "",
           c->cpu_share > 0 ? CellValue{c->cpu_share} : CellValue{}});
    }
    if (on_device) {
      table.rows.back().push_back(
          {measured ? format_size(Bytes{c->device_bytes}) : "",
           measured ? CellValue{c->device_bytes} : CellValue{}});
    }
    table.rows.back().push_back({reached});
  }
  return table;
}

Table failures_table(const RunData& data) {
  Table table{titled(data.run, "failed trials"),
              {{"trial", "trial", Align::right},
               {"setting", "setting"},
               {"stage", "stage"},
               {"outcome", "outcome"},
               {"phase", "phase"},
               {"rank", "rank", Align::right},
               {"reason", "reason"},
               {"log", "log"}},
              {},
              {}};
  for (const TrialOutcome& trial : data.trials) {
    if (trial.outcome == Outcome::complete || trial.outcome == Outcome::stopped) continue;
    const Failure failure = trial.failure.value_or(Failure{});
    std::string reason = failure.message;
    if (failure.case_index >= 0 && index(failure.case_index) < data.run.cases.size()) {
      reason += fmt::format(" (at {}{}{})", describe(data.run.cases[index(failure.case_index)]),
                            failure.step.empty() ? "" : ", ", failure.step);
    }
    if (!failure.behind.empty()) reason += "; " + failure.behind;
    if (!failure.device.empty()) reason += "; on " + failure.device;
    table.rows.push_back(
        {{std::to_string(trial.order.index), static_cast<std::int64_t>(trial.order.index)},
         {setting_name(data, trial.order.candidate)},
         {std::string(to_string(trial.order.stage))},
         {std::string(to_string(trial.outcome)), Tone::bad},
         {std::string(to_string(failure.phase))},
         {failure.rank >= 0 ? std::to_string(failure.rank) : "",
          failure.rank >= 0 ? CellValue{static_cast<std::int64_t>(failure.rank)} : CellValue{}},
         {reason},
         {failure.log_file}});
  }
  return table;
}

Table shares_table(const RunData& data, const Recommendation& recommendation) {
  Table table{titled(data.run, "where the communication time goes"),
              {{"case", "case"},
               {"calls", "calls", Align::right},
               {"default", "before_seconds", Align::right},
               {"with the setting", "after_seconds", Align::right},
               {"share", "share", Align::right}},
              {},
              {}};
  if (!recommendation.prediction) return table;
  for (const CaseShare& share : recommendation.prediction->shares) {
    const Case& c = data.run.cases[index(share.case_index)];
    table.rows.push_back({{describe(c)},
                          {fmt::format("{:.6g}", c.calls), c.calls},
                          {format_seconds(share.before), share.before.count()},
                          {format_seconds(share.after), share.after.count()},
                          {fmt::format("{:.0f} %", share.share * 100), share.share}});
  }
  return table;
}

}  // namespace nccl_sweep
