// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where in a cluster a run is: for the record, so that figures can be traced back to a job, its
// nodes and switches, the order of its ranks and the image it ran in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/machine.hpp"

namespace nccl_sweep::cli {

// "block" where each host's agents have consecutive ranks, "cyclic" where they go round the hosts,
// else "mixed"; empty where each host has one agent.
std::string rank_order(const std::vector<agent::Machine>& machines);

std::map<std::string, std::string> placement_of(const std::vector<agent::Machine>& machines,
                                                const agent::Variables& environment);

}  // namespace nccl_sweep::cli
