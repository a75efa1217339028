// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an agent can tell of its machine without a worker: host name, processors, GPUs as the
// driver lists them, limits. Agents exchange it before the run, so that the first lines can say
// what differs between nodes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/environment.hpp"

namespace nccl_sweep::agent {

struct Machine {
  std::string host;
  std::string cpu;                  // model name
  int cores = 1;                    // that this process may use or could be given
  std::vector<std::string> gpus;    // model names, from /proc/driver/nvidia
  std::string driver;               // NVIDIA driver version, "" without
  std::string kernel;
  Variables library;                // library_variables() of this agent's environment
  std::vector<std::string> nccl_files;
};

Machine this_machine();
int gpu_count();  // /proc/driver/nvidia/gpus; 0 without a driver

std::string to_text(const Machine&);
Machine machine_from_text(const std::string&);

// "NCCL_TOPO_FILE unset on all ranks", or by hosts where they differ.
std::vector<std::string> nccl_file_lines(const std::vector<Machine>& machines);

// One line a library variable that is not the same on all agents; rank 0's value is used.
std::vector<std::string> variable_differences(const std::vector<Machine>& machines);

}  // namespace nccl_sweep::agent
