// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "agent/control.hpp"
#include "cli/commands.hpp"
#include "cli/pruning.hpp"
#include "cli/sweep_options.hpp"
#include "cli/sweep_setup.hpp"

namespace nccl_sweep::cli {
namespace {

struct PlanOptions {
  SweepOptions sweep;
  int agents = 0;  // 0: as many as a launcher started here
};

void print_collapsed(const PreparedRun& run) {
  if (run.record.collapsed.empty()) return;
  fmt::print(
      "\ncollapsed (predicted to be the same data path, measured once; --no-prune: all)\n");
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
  command->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace nccl_sweep::cli
