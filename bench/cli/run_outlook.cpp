// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a prepared run says of itself before it starts: its price, its first lines, and whether the
// machines have what it needs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/site_policy.hpp"
#include "core/error.hpp"
#include "core/span.hpp"

namespace nccl_sweep::cli {
namespace {

// What a policy makes the run wait for, between its trials.
double quiet_of(const PreparedRun& run) {
  return quiet_seconds(run.record.policy) * std::max(0, planned_trials(run).expected - 1);
}

double seconds_of(const PreparedRun& run, const TrialCost& cost) {
  return planned_trials(run).expected * (cost.start_up_seconds + cost.measuring_seconds) +
         quiet_of(run);
}

// "about 2 min 3 s (start-up 20 s, measuring 1 min 43 s)"
std::string time_text(const PreparedRun& run, const TrialCost& cost) {
  const int trials = planned_trials(run).expected;
  const double start_up = trials * cost.start_up_seconds;
  const double measuring = trials * cost.measuring_seconds;
  const double quiet = quiet_of(run);
  return fmt::format("about {} (start-up {}, measuring {}{})",
                     format_seconds(Seconds{start_up + measuring + quiet}),
                     format_seconds(Seconds{start_up}), format_seconds(Seconds{measuring}),
                     quiet > 0 ? ", quiet " + format_seconds(Seconds{quiet}) : "");
}

std::string plan_line(const PreparedRun& run) {
  const PlannedTrials trials = planned_trials(run);
  const std::string& backend = run.spec.backend;
  const TrialCost here = estimate_trial(backend, run.spec, run.plan);
  const std::size_t alike = run.record.collapsed.size();
  const std::string collapsed = alike > 0 ? fmt::format(" ({} collapsed)", alike) : "";
  std::string line =
      fmt::format("plan    {} candidates{} x {} cases, {}, {}", run.record.candidates.size(),
                  collapsed, run.record.cases.size(), to_string(trials),
                  time_text(run, here));
  if (backend == "host") return line;
  const TrialCost real = backend == "model" ? estimate_trial("nccl", run.spec, run.plan) : here;
  const double hours = run.plan.ranks * seconds_of(run, real) / 3600;
  if (backend == "nccl") return line + fmt::format(", {:.2f} GPU-h", hours);
  return line + fmt::format("; SIMULATED: on {} real GPUs {}, {:.2f} GPU-h", run.plan.ranks,
                            time_text(run, real), hours);
}

}  // namespace

PlannedTrials planned_trials(const PreparedRun& run) {
  return plan_trials(static_cast<int>(run.plan.candidates.size()), run.spec.rounds,
                     closing_trials(run.spec), twin_of(run.record, run.spec).has_value());
}

double estimated_seconds(const PreparedRun& run) {
  return seconds_of(run, estimate_trial(run.spec.backend, run.spec, run.plan));
}

void check_devices(const PreparedRun& run, const std::vector<agent::Machine>& machines) {
  if (run.spec.backend != "nccl") return;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    int workers = 0;
    for (std::size_t j = 0; j < machines.size(); ++j) {
      if (machines[j].host == machines[i].host) workers += run.setup.layout.workers_of_agent[j];
    }
    const std::size_t gpus = machines[i].gpus.size();
    if (workers > static_cast<int>(gpus)) {
      throw environment_error(
          fmt::format("{} workers for {} GPUs on {}", workers, gpus, machines[i].host), {},
          gpus == 0 ? "no NVIDIA driver there; --backend host measures without GPUs"
                    : "one worker a GPU: set --workers");
    }
  }
}

std::vector<std::string> note_lines(const PreparedRun& run) {
  std::vector<std::string> lines;
  for (const std::string& note : run.plan.notes) lines.push_back("note    " + note);
  for (const std::string& warning : run.warnings) lines.push_back("warning " + warning);
  return lines;
}

std::vector<std::string> head_lines(const PreparedRun& run) {
  const RunRecord& r = run.record;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("fabric  {}{}  {} ranks on {} node{}, {} agent{} with {} worker{}  {}",
                              r.simulated ? "SIMULATED " : "", r.fabric.name, r.ranks,
                              r.fabric.nodes,
                              (r.fabric.nodes == 1 ? "" : "s") +
                                  (r.simulated ? std::string() : span_words(r.fabric.span)),
                              r.agents,
                              r.agents == 1 ? "" : "s", r.workers, r.workers == 1 ? "" : "s",
                              r.fabric.device));
  lines.push_back(fmt::format("files   {}", fmt::join(r.notes, "  ")));
  if (const auto limits = r.placement.find("limits"); limits != r.placement.end()) {
    lines.push_back("limits  " + limits->second);
  }
  if (const auto staged = r.placement.find("staged"); staged != r.placement.end()) {
    lines.push_back("staged  " + staged->second);
  }
  lines.push_back(plan_line(run));
  for (std::string& line : policy_lines(run)) lines.push_back(std::move(line));
  lines.push_back(fmt::format("seed    {}", r.seed));
  for (const std::string& line : note_lines(run)) lines.push_back(line);
  return lines;
}

}  // namespace nccl_sweep::cli
