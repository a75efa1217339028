// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/rank_order.hpp"

#include <algorithm>
#include <numeric>

namespace nccl_sweep {
namespace {

using Lists = std::vector<std::vector<int>>;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// One after the other, or one of each in turn while they last.
std::vector<int> block(const Lists& lists) {
  std::vector<int> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<int> cyclic(const Lists& lists) {
  std::vector<int> all;
  const auto longest = std::ranges::max_element(lists, {}, &std::vector<int>::size);
  for (std::size_t turn = 0; longest != lists.end() && turn < longest->size(); ++turn) {
    for (const auto& list : lists) {
      if (turn < list.size()) all.push_back(list[turn]);
    }
  }
  return all;
}

Lists workers_of_nodes(const std::vector<int>& node_of_rank) {
  Lists workers;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const std::size_t node = index(node_of_rank[rank]);
    if (node >= workers.size()) workers.resize(node + 1);
    workers[node].push_back(static_cast<int>(rank));
  }
  return workers;
}

// Leaves in order of appearance.
Lists nodes_of_leaves(const std::vector<std::string>& leaf_of_node) {
  std::vector<std::string> leaves;
  Lists nodes;
  for (std::size_t node = 0; node < leaf_of_node.size(); ++node) {
    const auto found = std::ranges::find(leaves, leaf_of_node[node]);
    const auto leaf = static_cast<std::size_t>(found - leaves.begin());
    if (found == leaves.end()) {
      leaves.push_back(leaf_of_node[node]);
      nodes.emplace_back();
    }
    nodes[leaf].push_back(static_cast<int>(node));
  }
  return nodes;
}

}  // namespace

RankOrder rank_order_of(const Candidate& candidate) {
  RankOrder order;
  for (const auto& [knob, value] : candidate.assignments) {
    if (knob == kRankOrder) order.ranks = value;
    if (knob == kNodeOrder) order.nodes = value;
  }
  return order;
}

bool leaves_known(const WorkerPlaces& places) {
  const std::size_t nodes = workers_of_nodes(places.node_of_rank).size();
  if (nodes == 1) return true;
  return places.leaf_of_node.size() == nodes &&
         std::ranges::none_of(places.leaf_of_node, &std::string::empty);
}

std::vector<int> workers_by_rank(const RankOrder& order, const WorkerPlaces& places) {
  const Lists launched = workers_of_nodes(places.node_of_rank);
  std::vector<int> as_launched(places.node_of_rank.size());
  std::iota(as_launched.begin(), as_launched.end(), 0);
  if (order.as_launched()) return as_launched;
  Lists workers = launched;
  if (!order.nodes.empty()) {
    std::vector<std::string> leaves = places.leaf_of_node;
    leaves.resize(launched.size());
    const Lists by_leaf = nodes_of_leaves(leaves);
    const bool across = order.nodes == "across_switches";
    workers.clear();
    for (const int node : across ? cyclic(by_leaf) : block(by_leaf)) {
      workers.push_back(launched[index(node)]);
    }
  }
  const bool in_turn = order.ranks == "cyclic" ||
                       (order.ranks.empty() && as_launched == cyclic(launched));
  return in_turn ? cyclic(workers) : block(workers);
}

Partition partition_in_order(const GroupShape& shape, const RankOrder& order,
                             const WorkerPlaces& places) {
  if (order.as_launched()) return partition_world(shape, places.node_of_rank);
  const std::vector<int> workers = workers_by_rank(order, places);
  std::vector<int> node_of_rank;
  for (const int worker : workers) node_of_rank.push_back(places.node_of_rank[index(worker)]);
  Partition groups = partition_world(shape, node_of_rank);
  for (auto& group : groups) {
    for (int& rank : group) rank = workers[index(rank)];
  }
  return groups;
}

}  // namespace nccl_sweep
