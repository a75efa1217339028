// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One function a subcommand, each in a file of its own (cli/NAME_command.cpp): it declares the
// options on `app` and, when the user chose it, leaves in `chosen` what is to be run. Options live
// in a shared_ptr captured by that function. Errors are thrown (core/error.hpp), main prints them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/error.hpp"

namespace nccl_sweep::cli {

using Chosen = std::function<ExitCode()>;

void add_workload_command(CLI::App& app, Chosen& chosen);
void add_plan_command(CLI::App& app, Chosen& chosen);
// These four keep the command line in what they write.
void add_import_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv);
void add_run_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv);
void add_bench_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv);
void add_sbatch_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv);
void add_report_command(CLI::App& app, Chosen& chosen);
void add_recommend_command(CLI::App& app, Chosen& chosen);
void add_best_command(CLI::App& app, Chosen& chosen);
void add_baseline_command(CLI::App& app, Chosen& chosen);
void add_compare_command(CLI::App& app, Chosen& chosen);
void add_knobs_command(CLI::App& app, Chosen& chosen);

}  // namespace nccl_sweep::cli
