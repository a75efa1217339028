// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is measured: a case is collective x dtype x op x size x placement on a group of ranks.
// Groups partition the world and all groups of a partition run at the same time, as in training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/collective.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

enum class GroupKind { world, node, rail, strided };

// world: all ranks. node: the ranks of one node. rail: equal local rank on all nodes.
// strided: `size` ranks, `stride` apart ("1/8" = eight neighbours, "8/4" = four ranks 8 apart).
struct GroupShape {
  GroupKind kind = GroupKind::world;
  int stride = 1;
  int size = 0;  // strided only
  auto operator<=>(const GroupShape&) const = default;
};

std::string to_string(const GroupShape&);  // "world", "node", "rail", "1/8"
GroupShape parse_group(std::string_view text, std::string_view where = {});

using Partition = std::vector<std::vector<int>>;  // groups of world ranks, disjoint, covering

// node_of_rank[r] is the node index of world rank r. Groups of one partition have equal sizes;
// throws a usage Error that says which counts do not divide.
Partition partition_world(const GroupShape&, const std::vector<int>& node_of_rank);

// One line of a workload: what a training iteration sends. `bytes` is nccl-tests' size,
// `count` is bytes / element size.
struct WorkloadCase {
  Collective collective = Collective::all_gather;
  DataType dtype = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::int64_t count = 0;
  Bytes bytes;
  int group_size = 0;
  int group_stride = 0;  // distance of neighbouring ranks where the trace tells it, else 0
  double calls = 0;      // per iteration (per run where the source has no iterations)
};

struct Case {
  Collective collective = Collective::all_gather;
  DataType dtype = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  Placement placement = Placement::out_of_place;
  Bytes size;              // what is run: nccl-tests' size column after its rounding
  std::int64_t count = 0;  // nccl-tests' count column (per rank for all_gather ...)
  Bytes requested;         // before rounding
  GroupShape group;
  int group_size = 0;
  bool graph = false;  // captured into a CUDA graph and replayed: no launch cost
  double calls = 0;    // per workload iteration; 0 where the sizes come from the spec
  int workload_group_size = 0;  // the group size in the workload, 0 without a workload
  // True where the workload's group does not fit the allocation: "scaled from 4 ranks".
  bool scaled() const { return workload_group_size > 0 && workload_group_size != group_size; }
  bool operator==(const Case&) const = default;
};

// "scaled from 4 ranks" where scaled(), else empty: stands wherever the case's figures do.
std::string scaled_note(const Case&);

// Operations of one captured graph of a graph case: n of a block is a multiple of it.
int ops_per_graph(const Case&);

// "all_gather bfloat16 24 MiB out_of_place world graph": unique within a run, shown in messages, with
// its scaled_note().
std::string describe(const Case&);

}  // namespace nccl_sweep
