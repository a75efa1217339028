// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an agent can tell of its machine without a worker: host name, processors, GPUs as the
// driver lists them, limits. Agents exchange it before the run, so that the first lines can say
// what differs between nodes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/environment.hpp"
#include "agent/limits.hpp"

namespace nccl_sweep::agent {

struct Machine {
  std::string host;
  std::string switches;             // above this node, as Slurm says: "spine.leaf1"
  std::string cpu;                  // model name
  int cores = 1;                    // that this process may use or could be given
  std::vector<std::string> gpus;    // model names, from /proc/driver/nvidia
  std::vector<std::string> gpu_cpus;  // CPUs near each visible GPU, in CUDA's order
  int visible_gpus = 0;             // by CUDA_VISIBLE_DEVICES, also where their order is unknown
  std::string gpu_order_unknown;    // why gpu_cpus is empty although there are GPUs
  std::string allowed_cpus;         // that the kernel would give this job: "0-127"
  std::string launcher_cpus;        // that the launcher bound this agent to
  std::string governor;             // of the CPU's clock; "" where the system does not say
  std::map<std::string, std::string> adapters;  // active_adapters()
  std::string driver;               // NVIDIA driver version, "" without
  std::string kernel;
  Limits limits;
  Variables library;                // library_variables() of this agent's environment
  std::vector<std::string> nccl_files;
  std::optional<Variables> conf;    // conf_file_variables(); nothing where a file is unreadable
  std::map<std::string, std::string> files;  // checked_files(); a single agent has none
};

// `root` is another folder in tests.
Machine this_machine(const std::filesystem::path& root = "/");
// Of SLURM_TOPOLOGY_ADDR, where it is this node's (a shell that was started by hand inside a job may
// have another node's); the node itself is left out.
std::string switches_above(const Variables& own);

int gpu_count();  // /proc/driver/nvidia/gpus; 0 without a driver

std::string to_text(const Machine&);
Machine machine_from_text(const std::string&);

// "X on all ranks", or "X on host1 host2" for each of the different texts.
std::vector<std::string> by_host(const std::map<std::string, std::vector<std::string>>& hosts_of);

// "NCCL_TOPO_FILE unset on all ranks", or by hosts where they differ.
std::vector<std::string> nccl_file_lines(const std::vector<Machine>& machines);

}  // namespace nccl_sweep::agent
