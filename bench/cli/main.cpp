// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Table of contents of the program: the subcommands, and what becomes of errors.
#include <cstdio>
#include <exception>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/version.hpp"

namespace nccl_sweep::cli {
namespace {

int report(const Error& error) {
  if (!error.where().empty()) {
    fmt::print(stderr, "nccl-sweep: {}: {}\n", error.where(), error.message());
  } else {
    fmt::print(stderr, "nccl-sweep: {}\n", error.message());
  }
  if (!error.hint().empty()) fmt::print(stderr, "            {}\n", error.hint());
  return static_cast<int>(error.exit_code());
}

int main_of(int argc, char** argv) {
  CLI::App app{"Finds the NCCL settings that are best for a workload on this fabric.",
               "nccl-sweep"};
  app.set_version_flag("--version", std::string("nccl-sweep ") + kVersion);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  const std::vector<std::string> arguments(argv, argv + argc);
  Chosen chosen;
  add_workload_command(app, chosen);
  add_plan_command(app, chosen);
  add_run_command(app, chosen, arguments);
  add_bench_command(app, chosen, arguments);
  add_import_command(app, chosen, arguments);
  add_sbatch_command(app, chosen, arguments);
  add_report_command(app, chosen);
  add_recommend_command(app, chosen);
  add_best_command(app, chosen);
  add_compare_command(app, chosen);
  add_baseline_command(app, chosen);
  add_knobs_command(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(chosen());
}

}  // namespace
}  // namespace nccl_sweep::cli

int main(int argc, char** argv) {
  try {
    return nccl_sweep::cli::main_of(argc, argv);
  } catch (const nccl_sweep::Error& error) {
    return nccl_sweep::cli::report(error);
  } catch (const std::system_error& error) {  // of printing: the other end of stdout is full or gone
    fmt::print(stderr, "nccl-sweep: {}\n", error.what());
    return static_cast<int>(nccl_sweep::ExitCode::environment);
  } catch (const std::exception& error) {
    fmt::print(stderr, "nccl-sweep: internal error: {}\n", error.what());
    return static_cast<int>(nccl_sweep::ExitCode::environment);
  }
}
