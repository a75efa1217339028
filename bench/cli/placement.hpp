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
#include "agent/setup.hpp"
#include "cli/sweep_setup.hpp"
#include "core/plan.hpp"
#include "core/rank_order.hpp"

namespace nccl_sweep::cli {

// "block" where each host's agents have consecutive ranks, "cyclic" where they go round the hosts,
// else "mixed"; empty where each host has one agent.
std::string rank_order(const std::vector<agent::Machine>& machines);

// `machines`: one an agent. A model's simulated nodes have no switches.
WorkerPlaces worker_places(const std::vector<int>& node_of_rank,
                           const std::vector<agent::Machine>& machines);

// The groups of the setup's candidates that number the ranks in another order.
void order_ranks(agent::Setup& setup, const SweepPlan& plan, const WorkerPlaces& places);

// Throws an environment Error where a candidate orders nodes by switches that are not known. Not
// part of prepare_run(): a login node, where plans are made, is under none.
void check_switches(const PreparedRun& run, const std::vector<agent::Machine>& machines);

std::map<std::string, std::string> placement_of(const std::vector<agent::Machine>& machines,
                                                const agent::Variables& environment);

}  // namespace nccl_sweep::cli
