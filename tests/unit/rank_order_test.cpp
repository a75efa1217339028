// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/rank_order.hpp"

#include <gtest/gtest.h>

#include "core/plan.hpp"
#include "core/prune.hpp"

namespace nccl_sweep::test {
namespace {

using Ranks = std::vector<int>;

// Four nodes of two workers, launched block; their leaves are taken in turn.
const WorkerPlaces kFourNodes{{0, 0, 1, 1, 2, 2, 3, 3}, {"a", "b", "a", "b"}};

TEST(RankOrder, CyclicDealsRanksToTheNodesInTurn) {
  EXPECT_EQ(workers_by_rank({"cyclic", ""}, kFourNodes), (Ranks{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(workers_by_rank({"block", ""}, kFourNodes), (Ranks{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(workers_by_rank({}, kFourNodes), (Ranks{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(RankOrder, NodesThatAreFullAreLeftOut) {
  const WorkerPlaces uneven{{0, 0, 0, 1, 2, 2}, {}};
  EXPECT_EQ(workers_by_rank({"cyclic", ""}, uneven), (Ranks{0, 3, 4, 1, 5, 2}));
}

TEST(RankOrder, NodesStandLeafByLeafOrFromTheLeavesInTurn) {
  EXPECT_EQ(workers_by_rank({"", "by_switch"}, kFourNodes), (Ranks{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(workers_by_rank({"", "across_switches"}, kFourNodes),
            (Ranks{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(workers_by_rank({"cyclic", "by_switch"}, kFourNodes),
            (Ranks{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(RankOrder, ACyclicLaunchStaysCyclicWhereOnlyTheNodesMove) {
  const WorkerPlaces cyclic{{0, 1, 2, 0, 1, 2}, {"a", "b", "a"}};
  EXPECT_EQ(workers_by_rank({"", "by_switch"}, cyclic), (Ranks{0, 2, 1, 3, 5, 4}));
  EXPECT_EQ(workers_by_rank({"block", ""}, cyclic), (Ranks{0, 3, 1, 4, 2, 5}));
}

TEST(RankOrder, GroupsOfNeighboursMoveAndGroupsOfANodeStay) {
  const GroupShape pairs{GroupKind::strided, 1, 2};
  EXPECT_EQ(partition_in_order(pairs, {"cyclic", ""}, kFourNodes),
            (Partition{{0, 2}, {4, 6}, {1, 3}, {5, 7}}));
  const GroupShape node{GroupKind::node};
  EXPECT_EQ(partition_in_order(node, {"cyclic", ""}, kFourNodes),
            partition_world(node, kFourNodes.node_of_rank));
  EXPECT_EQ(partition_in_order(GroupShape{GroupKind::rail}, {"", "by_switch"}, kFourNodes),
            (Partition{{0, 4, 2, 6}, {1, 5, 3, 7}}));
}

TEST(RankOrder, UnknownLeavesAreTold) {
  EXPECT_TRUE(leaves_known(kFourNodes));
  EXPECT_TRUE(leaves_known({{0, 0}, {}}));
  EXPECT_FALSE(leaves_known({{0, 1}, {"a", ""}}));
  EXPECT_FALSE(leaves_known({{0, 1}, {}}));
}

// A plan for cases on `group`, of the baseline and these settings.
SweepPlan plan_of(const GroupShape& group, const std::vector<Candidate>& settings) {
  SweepPlan plan;
  plan.candidates.emplace_back();
  plan.candidates.insert(plan.candidates.end(), settings.begin(), settings.end());
  plan.ranks = 8;
  partition_index(plan, GroupShape{}, false, kFourNodes.node_of_rank);
  Case c;
  c.group = group;
  plan.cases.push_back(c);
  plan.partition_of_case.push_back(
      partition_index(plan, group, false, kFourNodes.node_of_rank));
  return plan;
}

std::vector<std::string> names_after_pruning(SweepPlan plan, const WorkerPlaces& places,
                                             bool nvlink = false) {
  PruneContext context;
  context.backend = "nccl";
  context.node_of_rank = places.node_of_rank;
  context.leaf_of_node = places.leaf_of_node;
  context.nvlink_inside = nvlink;
  prune(plan, KnobCatalogue{}, context);
  std::vector<std::string> names;
  for (const Candidate& candidate : plan.candidates) names.push_back(name_of(candidate));
  return names;
}

const Candidate kBlock{{{"rank_order", "block"}}};
const Candidate kCyclic{{{"rank_order", "cyclic"}}};
const Candidate kAcross{{{"node_order", "across_switches"}}};
const Candidate kBySwitch{{{"node_order", "by_switch"}}};

TEST(RankOrder, OrdersThatAreTheLaunchedOneAreNotMeasured) {
  const SweepPlan plan = plan_of({}, {kBlock, kCyclic, kAcross, kBySwitch});
  EXPECT_EQ(names_after_pruning(plan, kFourNodes),
            (std::vector<std::string>{"default", "rank_order=cyclic", "node_order=by_switch"}));
  const WorkerPlaces one_leaf{kFourNodes.node_of_rank, {"a", "a", "a", "a"}};
  EXPECT_EQ(names_after_pruning(plan, one_leaf),
            (std::vector<std::string>{"default", "rank_order=cyclic"}));
  const WorkerPlaces unknown{kFourNodes.node_of_rank, {}};
  EXPECT_EQ(names_after_pruning(plan, unknown),
            (std::vector<std::string>{"default", "rank_order=cyclic",
                                      "node_order=across_switches", "node_order=by_switch"}));
}

// What is inside a node as launched goes over the network with the ranks dealt to the nodes.
TEST(RankOrder, OtherSettingsAreJudgedInTheOrderThatTheyGoWith) {
  const Candidate queue_pairs{{{"NCCL_IB_QPS_PER_CONNECTION", "4"}}};
  Candidate both = queue_pairs;
  both.assignments.emplace_back("rank_order", "cyclic");
  const SweepPlan plan = plan_of({GroupKind::strided, 1, 2}, {queue_pairs, both});
  EXPECT_EQ(names_after_pruning(plan, kFourNodes, true),
            (std::vector<std::string>{"default", name_of(both)}));
}

TEST(RankOrder, GroupsThatAreEqualAsLaunchedStayApartWhereOrdersDiffer) {
  const GroupShape node{GroupKind::node};
  EXPECT_EQ(plan_of({GroupKind::strided, 1, 2}, {}).partitions.size(), 2U);
  for (const bool reordered : {false, true}) {
    SweepPlan plan = plan_of({GroupKind::strided, 1, 2},
                             reordered ? std::vector{kCyclic} : std::vector<Candidate>{});
    const int index = partition_index(plan, node, false, kFourNodes.node_of_rank);
    EXPECT_EQ(index, reordered ? 2 : 1);
  }
}

}  // namespace
}  // namespace nccl_sweep::test
