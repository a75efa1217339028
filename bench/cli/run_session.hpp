// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One run from MPI_Init to the end record, shared by `run` and `bench`: rank 0 prepares and leads,
// the other ranks follow. Collective over all agents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/sweep_options.hpp"
#include "core/error.hpp"
#include "core/records.hpp"

namespace nccl_sweep::cli {

struct SessionOptions {
  std::string output;       // run folder; empty: results/<name>-<time>
  std::string resume;       // run folder to go on with
  std::string save_spec;    // write the spec there too
  std::string timeout;      // of each phase of a trial; empty: by phase
  std::vector<std::string> argv;  // for the run record
  std::string stage = "auto";     // copy programs to the nodes' own disks: always, never
  bool keep_logs = false;
  bool allow_mismatch = false;  // go on where nodes differ, and mark every record
  bool quiet = false;       // notes and warnings only, no head and no progress (bench)
};

struct SessionEnd {
  bool leads = false;                // rank 0: only it has something to print
  std::filesystem::path folder;
  std::string reason;                // of the end record
  int failed = 0;                    // trials
  bool baseline_failed = false;
};

SessionEnd run_session(const SweepOptions& options, const SessionOptions& session,
                       const std::string& default_name);

}  // namespace nccl_sweep::cli
