// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a batch script that make it a job array: one task for each number of nodes, each
// partition or each number of leaf switches. Slurm knows no array whose tasks differ in these, but
// the tasks of a held one can be changed. Called by sbatch_script.cpp.
#pragma once

#include <string>
#include <string_view>

#include "report/sbatch_script.hpp"

namespace nccl_sweep {

// All empty where the script is no array.
struct SbatchArray {
  std::string word;        // "number of nodes": what the tasks differ in
  std::size_t tasks = 0;
  std::string start;       // on a login node the script submits itself; in a job it sets $this
  std::string suffix;      // of the run folder's name, after the job's number
  std::string again;       // options of sbatch with which one task goes on
};

SbatchArray sbatch_array(const SbatchScript&);

// For the shell: "$nodes", or what it is times the agents of a node.
std::string agents_on(const SbatchScript&, std::string_view nodes);

}  // namespace nccl_sweep
