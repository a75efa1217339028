// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Agents that see fewer GPUs than their node has. Where a launcher gives each of a node's agents
// its own GPU only (srun --gpus-per-task), the workers cannot see their neighbours' GPUs, and what
// is measured is not what a job with all of them visible gets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/machine.hpp"
#include "agent/setup.hpp"

namespace nccl_sweep::agent {

struct HiddenGpus {
  // Texts and the hosts they are true of.
  std::map<std::string, std::vector<std::string>> of_neighbours;  // hidden from workers beside them
  std::map<std::string, std::vector<std::string>> unused;         // nobody uses what is hidden
};

HiddenGpus hidden_gpus(const std::vector<Machine>& machines, const Layout& layout);

}  // namespace nccl_sweep::agent
