// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The head and the conclusion of a report, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/alarm.hpp"
#include "analysis/statistics.hpp"
#include "core/span.hpp"
#include "report/control_words.hpp"
#include "report/run_report.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::string fabric_line(const RunRecord& run) {
  const Fabric& f = run.fabric;
  std::string line = fmt::format("fabric  {}  {} node{} x {} {}", f.name, f.nodes,
                                 f.nodes == 1 ? "" : "s", f.ranks_per_node, f.device);
  if (!run.simulated && !run.imported) line += span_words(f.span);
  const auto nccl = f.versions.find("nccl");
  if (nccl != f.versions.end()) line += "  NCCL " + nccl->second;
  return line;
}

// "17 > 6 > 3 > 1": how many were in each screening round, rounds of equal size once.
std::string screening_path(const RunData& data) {
  std::vector<int> sizes;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.stage != Stage::screen) continue;
    sizes.resize(std::max(sizes.size(), index(trial.order.round) + 1));
    const bool repeated_baseline = trial.order.candidate == 0 && trial.outcome != Outcome::complete;
    sizes[index(trial.order.round)] += repeated_baseline ? 0 : 1;
  }
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return fmt::format("{}", fmt::join(sizes, " > "));
}

std::string plan_line(const RunData& data, const RunFindings& findings) {
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  std::string line = "trials  " + counted(count(data.run.candidates), "candidate");
  if (!data.run.collapsed.empty()) {
    line += fmt::format(" ({} more collapsed: same data path)", data.run.collapsed.size());
  }
  if (findings.design == Design::screen_confirm) {
    const std::string path = screening_path(data);
    if (!path.empty()) line += fmt::format(", screen {}", path);
    line += ", " + counted(findings.pairs, "pair");
  }
  if (findings.design == Design::grid && findings.pairs > 0)
    line += ", " + counted(findings.pairs, "whole round");
  const auto failed = std::count_if(data.trials.begin(), data.trials.end(), [](const auto& t) {
    return t.outcome != Outcome::complete && t.outcome != Outcome::stopped;
  });
  line += ": " + counted(count(data.trials), "trial");
  if (failed > 0) line += fmt::format(", {} failed", failed);
  if (data.end && data.end->seconds > 0) {
    line += ", " + format_seconds(Seconds{data.end->seconds});
  }
  return line;
}

// Where the time around the measuring goes, of the default: medians by part.
std::string start_up_line(const RunData& data) {
  std::map<std::string, std::vector<double>> parts;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != 0 || trial.order.stage == Stage::burn_in) continue;
    for (const auto& [part, seconds] : trial.start_up_parts) parts[part].push_back(seconds);
  }
  std::vector<std::string> texts;
  double sum = 0;
  constexpr double kWorthShowing = 0.005;
  for (auto& [part, seconds] : parts) {
    const double median = statistics::median(std::move(seconds));
    sum += median;
    if (median < kWorthShowing) continue;
    texts.push_back(fmt::format("{} {}", part, format_seconds(Seconds{median})));
  }
  if (texts.empty()) return {};
  return fmt::format("around  {} of each trial: {} (default, medians)",
                     format_seconds(Seconds{sum}), fmt::join(texts, ", "));
}

std::string workload_name(const RunRecord& run) {
  return run.workload ? fmt::format(" for {}", run.workload->name) : "";
}

std::string prediction_line(const RunRecord& run, const Prediction& prediction) {
  const Gain& gain = prediction.gain;
  const auto percent = [](double ratio) { return (1 / ratio - 1) * 100; };
  const double most = percent(gain.interval.low);
  const double least = percent(gain.interval.high);
  const std::string reach = gain.is_wide() ? fmt::format(", {:+.1f} % to {:+.1f} %", least, most)
                                           : fmt::format(" +-{:.1f} %", (most - least) / 2);
  const std::string scaled = partly_scaled(run);
  return fmt::format(
      "communication time per {} {} -> {} ({:+.1f} %{}; how much of it compute hides is "
      "unknown){}{}",
      prediction.per_iteration ? "iteration" : "traced run", format_seconds(prediction.before),
      format_seconds(prediction.after), percent(gain.ratio), reach, scaled.empty() ? "" : ", ",
      scaled);
}

std::string evidence_line(const RunData& data, const RunFindings& findings,
                          const Recommendation& found) {
  const std::optional<Gain>& gain = findings.candidates[index(found.contender)].score.gain;
  std::string line =
      fmt::format("{}: {}", setting_name(data, found.contender), to_string(found.verdict));
  if (!gain) return line;
  line += fmt::format(", {} vs default", format_gain(*gain));
  if (gain->has_interval()) line += fmt::format(" ({:.3g} % interval)", gain->confidence * 100);
  return line;
}

std::string_view word_of(Stage stage) {
  switch (stage) {
    case Stage::screen:
      return "screening round";
    case Stage::confirm:
      return "pair";
    default:
      return "round";
  }
}

// "the machine got 9.8 % slower from trial 31 on, inside screening round 2: ..."
std::string change_line(const MachineChange& change) {
  const double percent = std::expm1(std::abs(change.size)) * 100;
  std::string line = fmt::format("the machine got {:.2g} % {}", percent,
                                 change.size > 0 ? "slower" : "faster");
  if (change.kind == MachineChange::Kind::drift) {
    return line + fmt::format(" little by little, trials {} to {}: neighbouring trials are still "
                              "comparable, far ones are not",
                              change.from, change.to);
  }
  line += fmt::format(" from trial {} on", change.from);
  for (std::size_t i = 0; i < change.divided.size(); ++i) {
    line += fmt::format("{} {} {}", i == 0 ? ", inside" : " and",
                        word_of(change.divided[i].stage), change.divided[i].round + 1);
  }
  if (change.divided.empty()) return line + ", between two rounds";
  return line + ": what was measured there compares unequal times";
}

// What the log says of the contender where it says the same of all sizes and that is no proof.
std::string effect_line(const RunFindings& findings, int contender) {
  std::set<std::string> reasons;
  std::set<Effect> effects;
  for (const Point& point : findings.points) {
    if (point.candidate != contender) continue;
    effects.insert(point.effect.effect);
    reasons.insert(point.effect.why);
  }
  if (effects == std::set{Effect::not_applicable}) {
    return fmt::format("it has nothing to act on here: {}", fmt::join(reasons, "; "));
  }
  if (effects == std::set{Effect::contradicted}) {
    return fmt::format("it did not take effect: {}", fmt::join(reasons, "; "));
  }
  return {};
}

void add_size_winners(const RunData& data, const Recommendation& found,
                      std::vector<std::string>& lines) {
  const bool differ = std::any_of(found.size_winners.begin(), found.size_winners.end(),
                                  [&](const auto& w) { return w.candidate != found.candidate; });
  if (!differ) return;
  lines.emplace_back(
      "best by size (usable through a tuner plugin only, an environment is one for "
      "all sizes):");
  for (const SizeWinner& winner : found.size_winners) {
    lines.push_back(fmt::format("  {}: {} {}", describe(data.run.cases[index(winner.case_index)]),
                                setting_name(data, winner.candidate), format_gain(winner.gain)));
  }
}

}  // namespace

std::vector<std::string> head_lines(const RunData& data, const RunFindings& findings) {
  std::vector<std::string> lines;
  const RunRecord& run = data.run;
  if (run.simulated) {
    lines.push_back(fmt::format(
        "SIMULATED: all figures come from the model '{}', not from hardware", run.fabric.name));
  }
  for (const std::string& line : run.mismatches) lines.push_back("NODES DIFFER  " + line);
  lines.push_back(fabric_line(run));
  lines.push_back(fmt::format("run     {}  {}backend {}  {}  nccl-sweep {}", run.name,
                              run.started.empty() ? "" : run.started + "  ", run.backend, counted(run.ranks, "rank"), run.version));
  lines.push_back(plan_line(data, findings));
  if (std::string around = start_up_line(data); !around.empty()) {
    lines.push_back(std::move(around));
  }
  for (const std::string& line : {control_line(data), slowest_line(data)}) {
    if (!line.empty()) lines.push_back(line);
  }
  if (findings.alarm) {
    const char* mark = findings.untrusted() ? "UNTRUSTED  " : "alarm   ";
    lines.push_back(mark + alarm_line(data, findings));
  }
  for (const std::string& note : run.notes) lines.push_back("note    " + note);
  if (findings.machine_change) {
    lines.push_back("note    " + change_line(*findings.machine_change));
  }
  if (!data.end) {
    lines.emplace_back("note    no end record: the run is still going on, or was killed");
  } else if (data.end->reason != "complete") {
    lines.push_back(fmt::format("note    ended early: {}{}", data.end->reason,
                                data.end->lost_host.empty() ? "" : ", " + data.end->lost_host));
  }
  return lines;
}

std::vector<std::string> conclusion_lines(const RunData& data, const RunFindings& findings,
                                          const Recommendation& found) {
  std::vector<std::string> lines;
  if (findings.design == Design::baseline_only) return {scope_line(data.run)};
  const std::string mark = data.run.simulated ? "SIMULATED  " : "";
  if (found.keeps_default()) {
    lines.push_back(fmt::format("{}best single setting{}: keep the default{}", mark,
                                workload_name(data.run),
                                findings.untrusted() ? "  UNTRUSTED RUN" : ""));
    if (found.contender != 0) lines.push_back("  " + evidence_line(data, findings, found));
    lines.push_back("  " + found.reason);
  } else {
    lines.push_back(fmt::format("{}best single setting{}: {}", mark, workload_name(data.run),
                                setting_name(data, found.candidate)));
    lines.push_back("  " + evidence_line(data, findings, found));
    lines.push_back("  " + found.reason);
  }
  if (found.contender != 0) {
    const std::string effect = effect_line(findings, found.contender);
    if (!effect.empty()) lines.push_back("  " + effect);
  }
  if (found.prediction) {
    const std::string whose =
        found.keeps_default() ? setting_name(data, found.contender) + " would make " : "";
    lines.push_back("  " + whose + prediction_line(data.run, *found.prediction));
  }
  for (const Regression& r : found.regressions) {
    lines.push_back(fmt::format("  slower: {} {} ({:.0f} % of the time)",
                                describe(data.run.cases[index(r.case_index)]), format_gain(r.gain),
                                r.share * 100));
  }
  for (const std::string& warning : found.warnings) lines.push_back("  mind: " + warning);
  add_size_winners(data, found, lines);
  lines.push_back("  " + scope_line(data.run));
  return lines;
}

}  // namespace nccl_sweep
