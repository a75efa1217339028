// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// In which order the library numbers the workers, as a setting: ranks over nodes (the knob
// rank_order, what srun --distribution and mpirun --map-by do to a job) and nodes over leaf switches
// (node_order, what a host file does). Workers, agents and records keep the numbers of the launch;
// only the ranks that the library and the groups of cases see change.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "core/candidate.hpp"
#include "core/case.hpp"

namespace nccl_sweep {

inline constexpr std::string_view kRankOrder = "rank_order";
inline constexpr std::string_view kNodeOrder = "node_order";

// As the knobs say it; empty: as launched.
struct RankOrder {
  std::string ranks;  // "block": node by node, "cyclic": dealt to the nodes in turn
  std::string nodes;  // "by_switch": leaf by leaf, "across_switches": from the leaves in turn
  bool as_launched() const { return ranks.empty() && nodes.empty(); }
  auto operator<=>(const RankOrder&) const = default;
};

RankOrder rank_order_of(const Candidate&);

// Where the workers are.
struct WorkerPlaces {
  std::vector<int> node_of_rank;          // numbered in order of appearance
  std::vector<std::string> leaf_of_node;  // leaf switch; empty, or "" for a node: not known
};

// Whether every node's leaf is known, where there are several nodes.
bool leaves_known(const WorkerPlaces&);

// The worker that has each rank. Rank 0 stays worker 0. Nodes whose leaf is unknown count as under
// one. Where only the order of the nodes is asked for, ranks go over them as they were launched:
// cyclic if that was cyclic, else block.
std::vector<int> workers_by_rank(const RankOrder&, const WorkerPlaces&);

// partition_world() over ranks in this order, as workers. Throws as it does.
Partition partition_in_order(const GroupShape&, const RankOrder&, const WorkerPlaces&);

}  // namespace nccl_sweep
