// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/run_session.hpp"
#include "report/nccl_tests_table.hpp"

namespace nccl_sweep::cli {
namespace {

struct BenchOptions {
  SweepOptions sweep;
  SessionOptions session;
};

// nccl-tests' defaults, where the user did not say otherwise.
void fill_in(BenchOptions& options) {
  SweepOptions& o = options.sweep;
  if (!o.vary.empty() || !o.spec_file.empty()) {
    throw usage_error("bench measures the baseline only", {}, "use run to vary settings");
  }
  if (o.begin.empty() && o.end.empty() && o.workload.empty()) o.begin = o.end = "32M";
  if (o.iters == 0) o.iters = 20;
  if (o.warmup_iters < 0) o.warmup_iters = 1;
  if (o.rounds == 0) o.rounds = 1;
  if (o.placements.empty()) o.placements = {"out_of_place", "in_place"};
  options.session.quiet = true;
}

ExitCode bench(BenchOptions options) {
  fill_in(options);
  const SessionEnd end = run_session(options.sweep, options.session, "bench");
  if (!end.leads) return ExitCode::ok;  // rank 0 has the exit code
  const RunData data = read_run(end.folder);
  if (!end.baseline_failed) fmt::print("{}", nccl_tests_tables(data));
  fmt::print(stderr, "records {}\n", (end.folder / kRecordFile).string());
  if (end.reason == "interrupted") return ExitCode::interrupted;
  return end.baseline_failed ? ExitCode::baseline_failed : ExitCode::ok;
}

}  // namespace

void add_bench_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv) {
  auto options = std::make_shared<BenchOptions>();
  options->session.argv = argv;
  CLI::App* command = app.add_subcommand(
      "bench", "Measure the default setting only: nccl-tests' flags, recipe and table");
  add_sweep_options(*command, options->sweep);
  command->add_option("--output", options->session.output,
                      "run folder (default: results/bench-TIME)");
  command->add_option("--timeout", options->session.timeout, "longest time of a trial's phase");
  command->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace nccl_sweep::cli
