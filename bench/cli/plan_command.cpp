// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "agent/control.hpp"
#include "analysis/pilot.hpp"
#include "cli/commands.hpp"
#include "cli/pruning.hpp"
#include "cli/sweep_options.hpp"
#include "cli/sweep_setup.hpp"
#include "core/error.hpp"

namespace nccl_sweep::cli {
namespace {

struct PlanOptions {
  SweepOptions sweep;
  int agents = 0;  // 0: as many as a launcher started here
  std::string resolve;
  std::string pilot;
};

double gain_of(const std::string& text) {
  const bool percent = text.ends_with('%');
  double value = 0;
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (error != std::errc{} || stop != end || !(value > 0 && value < 1)) {
    throw usage_error(fmt::format("'{}' is no gain", text), "--resolve", "3% or 0.03");
  }
  return value;
}

std::string trials_text(const PreparedRun& run, int trials, double trial_seconds) {
  std::string text =
      fmt::format("{} trials, {}", trials, format_seconds(Seconds{trials * trial_seconds}));
  if (run.spec.backend == "nccl") {
    text += fmt::format(", {:.2f} GPU-h", run.plan.ranks * trials * trial_seconds / 3600);
  }
  return text;
}

// Trials of a run that is decided at `pairs`.
int trials_until(const PreparedRun& run, int pairs) {
  const PlannedTrials planned = planned_trials(run);
  const DecisionRule rule;
  return planned.minimum + 2 * (pairs - rule.looks.front());
}

std::string resolution_line(const PreparedRun& run, double gain, double deviation,
                            double trial_seconds) {
  const DecisionRule rule;
  const Resolution found = resolution_of(gain, deviation, rule);
  const std::string head =
      fmt::format("  {:>5.3g} % at a noise of {:>5.3g} % a pair: ", gain * 100, deviation * 100);
  if (found.look) {
    return head + fmt::format("{} pairs, decided at {}: {}", found.pairs, *found.look,
                              trials_text(run, trials_until(run, *found.look), trial_seconds));
  }
  return head + fmt::format(
                    "{} pairs, more than the {} of a run: it would end undecided after {}; "
                    "{:.3g} % and more it finds",
                    found.pairs, rule.looks.back(),
                    trials_text(run, trials_until(run, rule.looks.back()), trial_seconds),
                    100 * gain_resolved(rule.looks.back(), deviation, rule));
}

// What the time that --budget gives is enough for.
std::string budget_line(const PreparedRun& run, double deviation, double trial_seconds) {
  const DecisionRule rule;
  const int trials = static_cast<int>(run.spec.budget.count() / trial_seconds);
  const auto affordable = [&](int look) { return trials_until(run, look) <= trials; };
  const auto last = std::find_if(rule.looks.rbegin(), rule.looks.rend(), affordable);
  const std::string head = fmt::format(
      "  the budget of {} pays for {} trials: ", format_seconds(run.spec.budget), trials);
  if (last == rule.looks.rend()) {
    return head + fmt::format("too few for the first look, which needs {}",
                              trials_until(run, rule.looks.front()));
  }
  return head + fmt::format("{} pairs, which find {:.3g} % and more", *last,
                            100 * gain_resolved(*last, deviation, rule));
}

// Without a pilot the noise is anybody's guess: a line for each of several.
std::vector<std::string> resolution_without_pilot(const PreparedRun& run, double gain) {
  const TrialCost cost = estimate_trial(run.spec.backend, run.spec, run.plan);
  std::vector<std::string> lines{
      "to find a gain in 4 of 5 runs (noise unknown: --pilot names an earlier run that tells)"};
  for (const double deviation : {0.002, 0.005, 0.01, 0.02, 0.05, 0.1}) {
    lines.push_back(
        resolution_line(run, gain, deviation, cost.start_up_seconds + cost.measuring_seconds));
  }
  return lines;
}

std::vector<std::string> resolution_lines(const PreparedRun& run, const PlanOptions& options) {
  if (options.resolve.empty() && options.pilot.empty()) return {};
  if (run.spec.rounds > 0 || run.plan.candidates.size() < 2) {
    throw usage_error("only a run that confirms a finalist can be planned this way", "--resolve",
                      "leave --rounds out and vary something");
  }
  const double gain = options.resolve.empty() ? run.spec.smallest_gain : gain_of(options.resolve);
  if (options.pilot.empty()) return resolution_without_pilot(run, gain);
  const RunData data = read_run(options.pilot);
  const std::optional<Pilot> pilot = pilot_of(data);
  if (!pilot) {
    throw usage_error("too few launches of one setting to tell their noise", options.pilot,
                      "name a longer run: bench --rounds 5 will do");
  }
  std::vector<std::string> lines{
      fmt::format("to find a gain in 4 of 5 runs, by {} launches of {} on {}", pilot->launches,
                  data.run.name, data.run.fabric.name)};
  if (data.run.cases != run.plan.cases) {
    lines.emplace_back("  note: its cases are not these; noise and time may differ");
  }
  lines.push_back(resolution_line(run, gain, pilot->pair_deviation, pilot->trial_seconds));
  if (run.spec.budget.count() > 0) {
    lines.push_back(budget_line(run, pilot->pair_deviation, pilot->trial_seconds));
  }
  return lines;
}

void print_collapsed(const PreparedRun& run) {
  if (run.record.collapsed.empty()) return;
  fmt::print("\ncollapsed (predicted to be the same data path, measured once; --no-prune: all)\n");
  for (const std::string& line : collapsed_lines(run.record)) fmt::print("  {}\n", line);
  if (const std::optional<int> twin = twin_of(run.record, run.spec)) {
    fmt::print("  A/A: {} joins the first 3 pairs, to check that (--no-alarm: not)\n",
               name_of(setting_of(run.record, *twin)));
  }
}

void print_closing(const ClosingTrials& closing, bool grid) {
  const auto whom = [&](ClosingTrials::Whom w) {
    return grid || w == ClosingTrials::Whom::survivors ? "every setting" : "default and finalist";
  };
  const bool evidence = closing.evidence != ClosingTrials::Whom::nobody;
  const bool load = closing.load != ClosingTrials::Whom::nobody;
  if (!evidence && !load) return;
  fmt::print("\nat the end, one trial each\n");
  if (evidence) fmt::print("  evidence  {}: what NCCL's log says of it\n", whom(closing.evidence));
  if (load) {
    fmt::print("  load      {}: what it takes from a kernel beside it\n", whom(closing.load));
  }
}

ExitCode plan(PlanOptions options) {
  const agent::Launcher launcher = agent::detect_launcher();
  if (launcher.rank > 0) return ExitCode::ok;  // under mpirun one plan is enough
  if (options.agents == 0) options.agents = launcher.processes;
  // A plan is made where the run will be started, often on a login node: the nodes to come are
  // taken to be like this one.
  std::vector<agent::Machine> machines(static_cast<std::size_t>(std::max(1, options.agents)),
                                       agent::this_machine());
  for (std::size_t i = 1; i < machines.size(); ++i) machines[i].host += fmt::format("-{}", i);
  const PreparedRun run = prepare_run(options.sweep, "sweep", machines);
  const std::vector<std::string> resolution = resolution_lines(run, options);
  for (const std::string& line : head_lines(run)) fmt::print("{}\n", line);
  fmt::print("\ncandidates\n");
  for (std::size_t i = 0; i < run.plan.candidates.size(); ++i) {
    fmt::print("  {:3}  {}\n", i, name_of(run.plan.candidates[i]));
  }
  print_collapsed(run);
  print_closing(closing_trials(run.spec), run.spec.rounds > 0);
  fmt::print("\ncases\n");
  for (const Case& c : run.plan.cases) {
    fmt::print("  {:14} {:10} {:>12}  {:12}  {} ({} ranks){}{}\n", to_string(c.collective),
               to_string(c.dtype), format_size(c.size), to_string(c.placement), to_string(c.group),
               c.group_size, c.calls > 0 ? fmt::format("  {:g} calls", c.calls) : "",
               c.scaled() ? "  " + scaled_note(c) : "");
  }
  if (!resolution.empty()) fmt::print("\n{}\n", fmt::join(resolution, "\n"));
  return ExitCode::ok;
}

}  // namespace

void add_plan_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "Show candidates, cases and the price of a sweep; run nothing");
  add_sweep_options(*command, options->sweep);
  command->add_option("--agents", options->agents, "MPI ranks that the run will have")
      ->check(CLI::Range(1, 1 << 20).description(""));
  command->add_option("--resolve", options->resolve,
                      "what finding a gain of this size takes: 3%, 0.5%");
  command->add_option("--pilot", options->pilot,
                      "an earlier run that tells noise and time of a trial, for --resolve");
  command->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace nccl_sweep::cli
