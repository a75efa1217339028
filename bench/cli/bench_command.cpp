// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
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
  std::map<std::string, std::string> habitual;  // by HabitualFlag::names
};

// Flags of nccl-tests that people type by habit. Their neutral value is taken, others are refused
// with what to do instead.
struct HabitualFlag {
  const char* names;
  const char* neutral;
  const char* instead;
};
constexpr std::array<HabitualFlag, 9> kHabitual{{
    {"-t,--nthreads", "1", "one worker a GPU: --workers N"},
    {"-g,--ngpus", "1", "one worker a GPU: --workers N"},
    {"-m,--agg_iters", "1", "ops are not aggregated"},
    {"-p,--parallel_init", "0", "each worker has one communicator"},
    {"-r,--root", "0", "the root is rank 0"},
    {"-z,--blocking", "0", "ops are queued back to back"},
    {"-G,--cudagraph", "0", "sweep with run --graph on"},
    {"-C,--report_cputime", "0", "CPU seconds are in the records"},
    {"-a,--average", "1", "times are means over ranks; the slowest rank is in the records"},
}};

void add_habitual_flags(CLI::App& command, std::map<std::string, std::string>& given) {
  for (const HabitualFlag& flag : kHabitual) {
    command.add_option(flag.names, given[flag.names], std::string("as in nccl-tests, ") +
                                                          flag.neutral + " only: " + flag.instead)
        ->group("nccl-tests' habits");
  }
}

// nccl-tests' defaults, where the user did not say otherwise.
void fill_in(BenchOptions& options) {
  SweepOptions& o = options.sweep;
  for (const HabitualFlag& flag : kHabitual) {
    const std::string& value = options.habitual[flag.names];
    if (!value.empty() && value != flag.neutral) {
      throw usage_error(fmt::format("{} is not taken", value), flag.names, flag.instead);
    }
  }
  if (o.begin.empty() && o.end.empty() && o.workload.empty()) o.begin = o.end = "32M";
  if (o.iters == 0) o.iters = 20;
  if (o.warmup_iters < 0) o.warmup_iters = 1;
  if (o.rounds == 0) o.rounds = 1;
  if (o.placements.empty()) o.placements = {"out_of_place", "in_place"};
  if (o.evidence.empty()) o.evidence = "none";  // nccl-tests' times are wanted, soon
  if (o.load.empty()) o.load = "none";
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
  // Of sweeps: bench has one setting, and its table one row a size.
  for (const char* name : {"spec", "--vary", "--only", "--override-pinned", "--allow", "--budget",
                           "--graph", "--no-prune", "--no-alarm"}) {
    command->remove_option(command->get_option(name));
  }
  add_habitual_flags(*command, options->habitual);
  command->add_option("--output", options->session.output,
                      "run folder (default: results/bench-TIME)");
  command->add_flag("--allow-mismatch", options->session.allow_mismatch,
                    "go on where nodes differ in variables, files or devices; marks every record");
  add_stage_option(*command, options->session.stage);
  command->add_option("--timeout", options->session.timeout, "longest time of a trial's phase");
  command->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace nccl_sweep::cli
