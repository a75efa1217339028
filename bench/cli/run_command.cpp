// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>

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
  std::string save_spec;
  bool strict = false;
};

void write_spec(const RunOptions& options) {
  const SweepSpec spec = spec_of(options.sweep, "sweep");
  std::ofstream out(options.save_spec);
  out << to_json_text(spec) << "\n";
  if (!out.flush()) throw environment_error("cannot write the spec", options.save_spec);
}

ExitCode exit_code_of(const SessionEnd& end, bool strict) {
  if (end.reason == "interrupted") return ExitCode::interrupted;
  if (end.baseline_failed || (strict && end.failed > 0)) return ExitCode::baseline_failed;
  return ExitCode::ok;
}

void print_end(const SessionEnd& end) {
  fmt::print("{}\n", render_run_report(read_run(end.folder), colour_wanted()));
  const std::string folder = end.folder.string();
  if (end.reason == "interrupted" || end.reason == "budget") {
    fmt::print("stopped ({}); go on:  nccl-sweep run --resume {}\n", end.reason, folder);
  }
  if (end.baseline_failed) {
    fmt::print("the baseline failed: nothing can be compared; see the failures above\n");
  }
  if (end.failed > 0) fmt::print("{} trial{} failed\n", end.failed, end.failed == 1 ? "" : "s");
  fmt::print("next:  nccl-sweep recommend {0}\n       nccl-sweep report {0} --format markdown\n",
             folder);
}

ExitCode run(const RunOptions& options) {
  if (!options.save_spec.empty()) write_spec(options);
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
  command->add_option("--resume", options->session.resume, "go on with the run in this folder")
      ->group(files);
  command->add_option("--save-spec", options->save_spec, "write the spec that the options make")
      ->group(files);
  command->add_flag("--keep-logs", options->session.keep_logs, "keep every worker's output")
      ->group(files);
  command->add_option("--timeout", options->session.timeout,
                      "longest time of a trial's phase: 30s, 5m (default: by phase)");
  command->add_flag("--strict", options->strict, "exit 3 when any candidate failed");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace nccl_sweep::cli
