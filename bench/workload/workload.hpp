// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a training job really sends: the histogram of its collectives, read from traces by the
// readers beside this file and kept as versioned JSON. No measuring, no printing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"

namespace nccl_sweep {

inline constexpr int kWorkloadSchema = 1;

struct WorkloadSource {
  std::string file;      // name without folder
  std::string format;    // "kineto", "nccl-log"
  std::string producer;  // "PyTorch 2.11, NCCL 2.28.9", as far as the file tells
  int rank = -1;
};

struct Workload {
  std::string name;
  std::vector<WorkloadSource> sources;
  double iterations = 0;            // steps that were counted; 0: calls are of the whole run
  int world_size = 0;               // of the job, 0 where unknown
  std::vector<WorkloadCase> cases;  // by falling calls x bytes
  // What was seen and not counted, with how often: "wait records: 14", "group size 1: 3 calls".
  std::vector<std::string> notes;
};

struct ReadOptions {
  double iterations = 0;      // --iters: for sources that do not mark their steps
  bool keep_partial = false;  // --keep-partial: a truncated file counts as far as it goes
};

// Reads traces of one format, one file a rank (or several ranks in one log), in one pass each and
// constant memory. Throws a usage Error that names file and byte or line.
Workload read_traces(const std::vector<std::filesystem::path>& files, const ReadOptions&);

// Throws an environment Error where save_workload() could not write: asked before a long read.
void check_writable(const std::filesystem::path& file);

Workload load_workload(const std::filesystem::path& file);  // usage Error with file and pointer
std::string to_json_text(const Workload&);
void save_workload(const Workload&, const std::filesystem::path& file);  // whole or not at all

}  // namespace nccl_sweep
