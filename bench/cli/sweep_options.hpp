// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The options that say what to sweep, shared by plan, run and bench. Where nccl-tests has a
// letter, the letter and its meaning are nccl-tests'. Options given beside a spec file replace the
// file's keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/spec.hpp"

namespace nccl_sweep::cli {

struct SweepOptions {
  std::string spec_file;
  std::vector<std::string> vary;         // "NAME=a,b,c"
  std::vector<std::string> collectives;
  std::string begin;                     // -b
  std::string end;                       // -e
  int factor = 0;                        // -f
  std::string step;                      // -i
  int iters = 0;                         // -n
  int warmup_iters = -1;                 // -w
  int check = -1;                        // -c
  std::vector<std::string> dtypes;       // -d
  std::string op;                        // -o
  std::vector<std::string> placements;
  std::string group;
  std::string backend;
  std::string model;
  int ranks = 0;
  std::vector<std::string> graphs;       // "off", "on"
  std::string workload;
  std::string only;
  int rounds = 0;
  std::string budget;
  bool no_prune = false;
  bool no_alarm = false;
  std::string evidence;                  // "finalist", "all", "none"; empty: the spec's
  std::string load;                      // "fma", "copy", "none"; empty: the spec's
  std::uint64_t seed = 0;                // 0: taken from the clock
  int workers = 0;                       // per agent; 0: by the backend
  std::vector<std::string> override_pinned;
  std::vector<std::string> allow;
  bool allow_hidden_gpus = false;
  std::string policy;                    // a file that restricts beside the site's
};

void add_sweep_options(CLI::App& app, SweepOptions& options);

// --stage, of commands that start workers.
void add_stage_option(CLI::App& app, std::string& stage);

// The spec from the file and the options. Throws usage Errors.
SweepSpec spec_of(const SweepOptions& options, const std::string& default_name);

// nccl where this build has CUDA and the machine a GPU, else host.
std::string best_backend();

}  // namespace nccl_sweep::cli
