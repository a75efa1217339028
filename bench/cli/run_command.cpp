// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/run_session.hpp"
#include "cli/terminal.hpp"
#include "report/run_report.hpp"

namespace nccl_sweep::cli {
namespace {

struct RunOptions {
  SweepOptions sweep;
  SessionOptions session;
  bool strict = false;
};

// A run goes on as it was begun: an option that would change it must not be dropped silently.
void refuse_changes_on_resume(const CLI::App& command) {
  if (command.count("--resume") == 0) return;
  const std::set<std::string> may_change{"--resume", "--budget", "--timeout", "--keep-logs",
                                         "--strict", "--policy", "--allow-hidden-gpus",
                                         "--stage"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && !may_change.contains(name)) {
      throw usage_error(fmt::format("{} cannot change a run that goes on", name), "--resume",
                        "its spec and seed hold; start a new run for others");
    }
  }
}

ExitCode exit_code_of(const SessionEnd& end, bool strict) {
  if (end.reason == "interrupted") return ExitCode::interrupted;
  if (end.baseline_failed || (strict && end.failed > 0)) return ExitCode::baseline_failed;
  return ExitCode::ok;
}

void print_end(const SessionEnd& end) {
  const RunData data = read_run(end.folder);
  fmt::print("{}\n", render_run_report(data, colour_wanted()));
  const std::string folder = end.folder.string();
  if (end.reason == "interrupted" || end.reason == "budget") {
    fmt::print("stopped ({}); go on:  nccl-sweep run --resume {}{}\n", end.reason, folder,
               end.reason == "budget" ? " --budget TIME" : "");
  }
  if (end.baseline_failed) {
    fmt::print("the baseline failed: nothing can be compared; see the failures above\n");
  }
  if (end.failed > 0) fmt::print("{} trial{} failed\n", end.failed, end.failed == 1 ? "" : "s");
  fmt::print("next:  nccl-sweep report {} --format markdown\n", folder);
  if (!end.baseline_failed && data.run.candidates.size() > 1) {
    fmt::print("       nccl-sweep recommend {}\n", folder);
  }
}

ExitCode run(const RunOptions& options) {
  const SweepOptions& o = options.sweep;
  if (o.spec_file.empty() && o.vary.empty() && o.rounds == 0 && options.session.resume.empty()) {
    throw usage_error("nothing to vary", {},
                      "name a spec, or --vary NAME=a,b,c; the default alone: bench, or --rounds N");
  }
  const SessionEnd end = run_session(options.sweep, options.session, "sweep");
  if (!end.leads) return ExitCode::ok;  // rank 0 has the exit code
  print_end(end);
  return exit_code_of(end, options.strict);
}

}  // namespace

void add_run_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv) {
  auto options = std::make_shared<RunOptions>();
  options->session.argv = argv;
  CLI::App* command = app.add_subcommand(
      "run", "Sweep: try the settings in fresh processes, and give a verdict");
  add_sweep_options(*command, options->sweep);
  const std::string files = "Files";
  command->add_option("--output", options->session.output, "run folder (default: results/NAME-TIME)")
      ->group(files);
  command
      ->add_option("--resume", options->session.resume,
                   "go on with the run in this folder, by its spec and seed")
      ->group(files);
  command->add_option("--save-spec", options->session.save_spec, "write the spec that the options make")
      ->group(files);
  command->add_flag("--keep-logs", options->session.keep_logs, "keep every worker's output")
      ->group(files);
  command->add_flag("--allow-mismatch", options->session.allow_mismatch,
                    "go on where nodes differ in variables, files or devices; marks every record");
  command->add_option("--timeout", options->session.timeout,
                      "longest time of a trial's phase: 30s, 5m (default: by phase)");
  add_stage_option(*command, options->session.stage);
  command->add_flag("--strict", options->strict, "exit 3 when any candidate failed");
  command->callback([options, &chosen, command] {
    refuse_changes_on_resume(*command);
    chosen = [options] { return run(*options); };
  });
}

}  // namespace nccl_sweep::cli
