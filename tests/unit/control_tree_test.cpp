// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What agents send up must come out the same whatever the tree looks like: each kind of text is
// combined over the project's own tree, over chains, stars and random trees of odd sizes.
#include <functional>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "agent/agent_tree.hpp"
#include "agent/group_rendezvous.hpp"
#include "agent/investigation.hpp"
#include "agent/phase_report.hpp"
#include "agent/rank_identity.hpp"
#include "agent/rank_spread.hpp"
#include "agent/reduction.hpp"
#include "agent/roll_call.hpp"
#include "agent/slowest_ranks.hpp"

namespace nccl_sweep::agent {
namespace {

using Children = std::vector<std::vector<int>>;  // of each agent

Children own_tree(int agents) {
  Children children;
  for (int a = 0; a < agents; ++a) children.push_back(place_in_tree(a, agents).children);
  return children;
}

Children random_tree(int agents, std::mt19937& random) {
  Children children(static_cast<std::size_t>(agents));
  for (int a = 1; a < agents; ++a) {
    const int parent = std::uniform_int_distribution(0, a - 1)(random);
    children[static_cast<std::size_t>(parent)].push_back(a);
  }
  return children;
}

Children chain(int agents) {
  Children children(static_cast<std::size_t>(agents));
  for (int a = 1; a < agents; ++a) children[static_cast<std::size_t>(a) - 1] = {a};
  return children;
}

Children star(int agents) {
  Children children(static_cast<std::size_t>(agents));
  for (int a = agents - 1; a > 0; --a) children[0].push_back(a);
  return children;
}

std::vector<Children> trees(int agents) {
  std::mt19937 random(7);
  std::vector<Children> all{own_tree(agents), chain(agents), star(agents)};
  for (int i = 0; i < 20; ++i) all.push_back(random_tree(agents, random));
  return all;
}

// The text that `combine(agent, its children's texts)` makes of all agents at the root.
using CombineAt = std::function<std::string(int, const std::vector<std::string>&)>;
std::string at_root(const Children& tree, const CombineAt& combine, int agent = 0) {
  std::vector<std::string> below;
  for (const int child : tree[static_cast<std::size_t>(agent)]) {
    below.push_back(at_root(tree, combine, child));
  }
  return combine(agent, below);
}

TEST(AgentTree, HoldsEveryAgentOnceInRangesAndIsNoDeeperThanLogN) {
  for (int size = 1; size <= 200; ++size) {
    for (int a = 0; a < size; ++a) {
      const TreePlace place = place_in_tree(a, size);
      EXPECT_EQ(place.parent < 0, a == 0);
      EXPECT_LE(place.children.size(), 2U);
      int depth = 0;
      for (int at = a; at > 0; at = place_in_tree(at, size).parent) ++depth;
      EXPECT_LE(1 << depth, size + 1) << a << " of " << size;
      for (const int child : place.children) EXPECT_EQ(place_in_tree(child, size).parent, a);
    }
    // Depth first, the numbers come in order: subtrees are ranges.
    const auto join = [](int a, const std::vector<std::string>& below) {
      std::string text = std::to_string(a) + " ";
      for (const std::string& child : below) text += child;
      return text;
    };
    std::string expected;
    for (int a = 0; a < size; ++a) expected += std::to_string(a) + " ";
    EXPECT_EQ(at_root(own_tree(size), join), expected);
  }
}

TEST(RankIdentity, TheFirstDifferenceIsNamedWithItsRanks) {
  const std::map<std::string, std::string> usual{{"nccl_library", "2.28.9"}, {"/etc/nccl.conf", "a"}};
  std::vector<RankIdentity> ranks{{0, "node1", usual}, {1, "node1", usual}, {2, "node2", usual}};
  EXPECT_EQ(identity_difference(ranks), "");
  ranks[2].identity["nccl_library"] = "2.28.3";
  EXPECT_EQ(identity_difference(ranks),
            "nccl_library differs between ranks: rank 0 on node1 has 2.28.9, rank 2 on node2 has "
            "2.28.3");
  ranks[2].identity = usual;
  ranks[1].identity["NCCL_TOPO_FILE"] = "not there";
  EXPECT_NE(identity_difference(ranks).find("rank 0 on node1 has unset, rank 1 on node1 has not"),
            std::string::npos);
  EXPECT_EQ(identity_difference({}), "");
}


TEST(RankIdentity, TheDifferenceIsTheSameForEveryTree) {
  std::mt19937 random(3);
  for (const int agents : {2, 3, 5, 8, 13}) {
    for (int round = 0; round < 10; ++round) {
      std::vector<RankIdentity> ranks;
      for (int a = 0; a < agents; ++a) {
        RankIdentity r{a, "node" + std::to_string(a), {}};
        for (const char* name : {"library", "conf", "topology"}) {
          const int value = std::uniform_int_distribution(0, 5)(random);
          if (value < 4) r.identity[name] = value == 0 ? "other" : "usual";
        }
        ranks.push_back(r);
      }
      const std::string expected = identity_difference(ranks);
      for (const Children& tree : trees(agents)) {
        const std::string text =
            at_root(tree, [&](int a, const std::vector<std::string>& below) {
              IdentityComparison here;
              for (const std::string& child : below) here.take(child);
              here.add(ranks[static_cast<std::size_t>(a)]);
              return here.text();
            });
        IdentityComparison all;
        all.take(text);
        EXPECT_EQ(all.difference(), expected);
      }
    }
  }
}

Findings finding(int agent, int rank, int kind, int order, bool stopped = false) {
  Findings found;
  found.worst.agent = agent;
  found.worst.rank = rank;
  found.worst.failure.rank = rank;
  found.worst.kind = kind;
  found.worst.order = order;
  found.worst.stopped = stopped;
  found.worst.progression = static_cast<int>(Progression::connected);
  found.worst.failure.case_index = order / 4;
  found.worst.failure.host = "node" + std::to_string(agent);
  if (kind == 1 || kind == 2) found.waiting = {rank};
  found.furthest = {found.worst.progression, order, order / 4, "block"};
  return found;
}

Suspect blamed(const std::vector<Findings>& all, std::size_t cases = 16) {
  Findings merged = all.front();
  for (const Findings& found : all) merged = merge(std::move(merged), found);
  return blame(merged, cases);
}

TEST(Blame, AFailureComesBeforeAHang) {
  EXPECT_EQ(blamed({finding(0, 0, 1, 1), finding(1, 1, 0, 9)}).rank, 1);
}

TEST(Blame, TheRankFurthestBehindIsNamedAndTheOthersWait) {
  const Suspect guilty =
      blamed({finding(0, 0, 1, 7), finding(1, 1, 1, 3), finding(2, 2, 1, 13)});
  EXPECT_EQ(guilty.rank, 1);
  EXPECT_EQ(guilty.failure.waiting_ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(guilty.failure.behind, "3 of 16 cases behind the furthest");
}

TEST(Blame, SaysHowFarBehindInStepsAndInPhases) {
  EXPECT_EQ(blamed({finding(0, 0, 1, 2), finding(1, 1, 1, 3)}).failure.behind,
            "1 step behind the furthest (block)");
  EXPECT_EQ(blamed({finding(0, 0, 1, 2), finding(1, 1, 1, 2)}).failure.behind, "");
  Findings early = finding(0, 0, 1, 0);
  early.worst.progression = static_cast<int>(Progression::greeted);
  EXPECT_EQ(blamed({early, finding(1, 1, 3, 0)}).failure.behind,
            "others are connected, it is only greeted");
}

TEST(Blame, AStoppedProcessComesBeforeOneThatWaitsForIt) {
  EXPECT_EQ(blamed({finding(0, 0, 1, 3), finding(1, 1, 1, 5, true)}).rank, 1);
}

TEST(Blame, AVictimThatLostItsPeerIsNotBlamedForAHang) {
  EXPECT_EQ(blamed({finding(0, 0, 2, 1), finding(1, 1, 1, 5)}).rank, 1);
}

TEST(PhaseReports, AreTheSameForEveryTreeAndDoNotGrow) {
  std::mt19937 random(5);
  for (const int agents : {2, 3, 5, 8, 33}) {
    std::vector<PhaseReport> reports;
    for (int a = 0; a < agents; ++a) {
      PhaseReport report;
      report.trial = 4;
      report.status = std::uniform_int_distribution(0, 3)(random) == 0 ? 0 : 1;
      report.stop = a == agents - 1;
      report.findings = finding(a, a, report.status == 0 ? 3 : 1 + a % 2, (a * 7) % 11);
      reports.push_back(report);
    }
    reports.back().status = 1;
    std::string expected;
    for (const Children& tree : trees(agents)) {
      const std::string text = at_root(tree, [&](int a, const std::vector<std::string>& below) {
        PhaseReport here = reports[static_cast<std::size_t>(a)];
        for (const std::string& child : below) merge(here, report_from_text(child));
        EXPECT_LT(to_text(here).size(), 1000U);
        return to_text(here);
      });
      if (expected.empty()) expected = text;
      EXPECT_EQ(text, expected);
    }
    EXPECT_TRUE(report_from_text(expected).stop);
  }
}

TEST(PhaseReports, TellWhenAgentsAreOutOfStepOrMeasuredOtherBlocks) {
  PhaseReport a;
  a.trial = 1;
  a.shape = 7;
  PhaseReport b = a;
  merge(a, b);
  EXPECT_TRUE(a.same_trial && a.same_shape);
  b.shape = 8;
  merge(a, b);
  EXPECT_TRUE(a.same_trial);
  EXPECT_FALSE(report_from_text(to_text(a)).same_shape);
  b.trial = 2;
  merge(a, b);
  EXPECT_FALSE(report_from_text(to_text(a)).same_trial);
}

Setup setup_of(int agents, int workers_each, const std::vector<Partition>& partitions) {
  Setup setup;
  setup.partitions = partitions;
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    setup.partition_of_case.push_back(static_cast<int>(p));
  }
  setup.cases.resize(partitions.size());
  for (int a = 0; a < agents; ++a) {
    setup.layout.host_of_agent.push_back("node" + std::to_string(a));
    setup.layout.workers_of_agent.push_back(workers_each);
  }
  return setup;
}

TEST(Reduction, TheMeanOfTheSlowestGroupCountsAndTheSlowestRankIsNamed) {
  const agent::Setup setup = setup_of(1, 4, {{{0, 1}, {2, 3}}});
  const std::vector<double> seconds{1.0, 3.0, 2.0, 2.5};
  std::optional<BlockReduction> reduction;
  for (int rank = 0; rank < 4; ++rank) {
    wire::CaseBlocks blocks;
    blocks.ops_per_block = 5;
    blocks.seconds_per_op = {seconds[static_cast<std::size_t>(rank)], 1.0};
    blocks.wrong_elements = rank == 2 ? 4 : 0;
    blocks.cpu_seconds = 0.5;
    blocks.wall_seconds = rank;
    const wire::Result result{{blocks}, 0};
    if (!reduction) reduction.emplace(setup, 0, result);
    reduction->add(rank, result);
  }
  const CaseTiming timing = reduction->timings().at(0);
  EXPECT_DOUBLE_EQ(timing.mean_seconds[0], 2.25);  // group {2, 3}; {0, 1} has mean 2
  EXPECT_DOUBLE_EQ(timing.max_seconds[0], 3.0);
  EXPECT_EQ(timing.slowest_rank[0], 1);
  EXPECT_EQ(timing.wrong_elements, 4);
  EXPECT_DOUBLE_EQ(timing.cpu_seconds, 2.0);
  EXPECT_DOUBLE_EQ(timing.wall_seconds, 3);
  EXPECT_EQ(timing.ops_per_block, 5);
  EXPECT_DOUBLE_EQ(reduction->seconds_of_ranks().smallest(), 10);
  EXPECT_DOUBLE_EQ(reduction->seconds_of_ranks().largest(), 20);
}

// World, pairs of neighbours, and ranks of equal remainder, each with its own case.
std::vector<Partition> three_partitions(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  Partition pairs;
  for (int r = 0; r < ranks; r += 2) pairs.push_back({r, r + 1});
  Partition rails(2);
  for (const int r : all) rails[static_cast<std::size_t>(r % 2)].push_back(r);
  return {{all}, pairs, rails};
}

wire::Result random_result(std::mt19937& random) {
  wire::Result result;
  for (int c = 0; c < 3; ++c) {
    wire::CaseBlocks blocks;
    blocks.case_index = c;
    blocks.ops_per_block = 3 + c;
    for (int b = 0; b < 4; ++b) {
      blocks.seconds_per_op.push_back(std::uniform_real_distribution(1e-4, 2e-4)(random));
      blocks.device_seconds_per_op.push_back(blocks.seconds_per_op.back() * 0.9);
    }
    blocks.wrong_elements = 0;
    blocks.cpu_seconds = 0.25;
    blocks.wall_seconds = std::uniform_real_distribution(1.0, 2.0)(random);
    result.cases.push_back(blocks);
  }
  return result;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-6 * expected[i]);  // times travel as 32-bit floats
  }
}

TEST(Reduction, IsTheSameForEveryTree) {
  std::mt19937 random(11);
  for (const int agents : {3, 5, 8, 16}) {
    const int ranks = 2 * agents;
    const agent::Setup setup = setup_of(agents, 2, three_partitions(ranks));
    std::vector<wire::Result> results;
    for (int r = 0; r < ranks; ++r) results.push_back(random_result(random));
    BlockReduction flat(setup, 0, results[0]);
    for (int r = 0; r < ranks; ++r) flat.add(r, results[static_cast<std::size_t>(r)]);
    const std::vector<CaseTiming> expected = flat.timings();
    for (const Children& tree : trees(agents)) {
      const std::string text = at_root(tree, [&](int a, const std::vector<std::string>& below) {
        BlockReduction here(setup, 0, results[0]);
        for (const std::string& child : below) here.take(child);
        for (const int r : {2 * a, 2 * a + 1}) here.add(r, results[static_cast<std::size_t>(r)]);
        return here.text();
      });
      BlockReduction all(setup, 0, results[0]);
      all.take(text);
      const std::vector<CaseTiming> got = all.timings();
      for (std::size_t c = 0; c < got.size(); ++c) {
        expect_near(got[c].mean_seconds, expected[c].mean_seconds);
        expect_near(got[c].max_seconds, expected[c].max_seconds);
        expect_near(got[c].device_seconds, expected[c].device_seconds);
        EXPECT_EQ(got[c].slowest_rank, expected[c].slowest_rank);
        EXPECT_DOUBLE_EQ(got[c].cpu_seconds, expected[c].cpu_seconds);
        EXPECT_NEAR(got[c].wall_seconds, expected[c].wall_seconds, 1e-6);
        EXPECT_EQ(got[c].wrong_elements, 0);
      }
      EXPECT_DOUBLE_EQ(all.seconds_of_ranks().median(), flat.seconds_of_ranks().median());
    }
  }
}

// Neighbours' groups are complete within a subtree of neighbours, so most need not travel.
TEST(Reduction, WhatGoesUpDoesNotGrowWithTheAgents) {
  std::mt19937 random(2);
  const auto largest_text = [&](int agents) {
    const agent::Setup setup = setup_of(agents, 2, three_partitions(2 * agents));
    const wire::Result result = random_result(random);
    std::size_t largest = 0;
    at_root(own_tree(agents), [&](int a, const std::vector<std::string>& below) {
      BlockReduction here(setup, 0, result);
      for (const std::string& child : below) here.take(child);
      for (const int r : {2 * a, 2 * a + 1}) here.add(r, result);
      const std::string text = here.text();
      largest = std::max(largest, text.size());
      return text;
    });
    return largest;
  };
  EXPECT_EQ(largest_text(200), largest_text(8));
}

TEST(RankSpread, KeepsTheExtremesAndTheMedianInFewBytesWhateverTheTree) {
  std::mt19937 random(9);
  for (const double factor : {1.01, 2.0, 1e6}) {
    std::vector<double> values;
    for (int i = 0; i < 501; ++i) {
      values.push_back(std::exp(std::uniform_real_distribution(0.0, std::log(factor))(random)));
    }
    std::optional<double> median;
    for (const Children& tree : trees(501)) {
      const std::string text = at_root(tree, [&](int a, const std::vector<std::string>& below) {
        RankSpread here;
        here.add(values[static_cast<std::size_t>(a)]);
        for (const std::string& child : below) {
          Unpacker packed(child);
          here.take(packed);
        }
        EXPECT_LT(here.text().size(), 600U);
        return here.text();
      });
      RankSpread all;
      Unpacker packed(text);
      all.take(packed);
      if (!median) median = all.median();
      EXPECT_EQ(all.median(), *median);
      EXPECT_EQ(all.largest(), *std::max_element(values.begin(), values.end()));
      EXPECT_EQ(all.smallest(), *std::min_element(values.begin(), values.end()));
    }
    std::nth_element(values.begin(), values.begin() + 250, values.end());
    const double bin = std::max(0.001, 2 * std::log(factor) / 64);
    EXPECT_NEAR(std::log(*median), std::log(values[250]), bin);
  }
}

TEST(SlowestRanks, AreCountedOverAllBlocksWithTheirHosts) {
  const agent::Setup setup = setup_of(3, 2, {});
  CaseTiming timing;
  timing.mean_seconds = {1, 1, 1, 2};
  timing.max_seconds = {1.1, 1.3, 1.2, 2};
  timing.slowest_rank = {4, 4, 1, 4};
  const std::vector<SlowRank> slowest = slowest_ranks({timing, timing}, setup.layout);
  ASSERT_EQ(slowest.size(), 2U);
  EXPECT_EQ(slowest[0].rank, 4);
  EXPECT_EQ(slowest[0].host, "node2");
  EXPECT_EQ(slowest[0].blocks, 6);
  EXPECT_NEAR(slowest[0].excess, 0.4 / 3, 1e-12);
  EXPECT_EQ(slowest[1].host, "node0");
}

TEST(GroupRendezvous, WorkersHearOfTheirOwnGroupsOnly) {
  const agent::Setup setup = setup_of(3, 2, three_partitions(6));
  const GroupRendezvous rendezvous(setup.layout, setup.partitions, 1);  // ranks 2 and 3
  const std::vector<Partition> of_three = rendezvous.partitions_of(3);
  ASSERT_EQ(of_three.size(), 3U);
  EXPECT_EQ(of_three[0], (Partition{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(of_three[1], (Partition{{2, 3}}));
  EXPECT_EQ(of_three[2], (Partition{{1, 3, 5}}));
}

TEST(GroupRendezvous, GroupsOverAllAgentsComeWithTheAnswerAndOwnOnesNeedNobody) {
  const agent::Setup setup = setup_of(3, 2, three_partitions(6));
  GroupRendezvous root(setup.layout, setup.partitions, 0);
  root.begin_trial();
  root.add(0, {{0, 0, "aa"}, {1, 0, "b0"}, {2, 0, "c0"}});
  root.add(1, {{2, 0, "c1"}});
  GroupRendezvous other(setup.layout, setup.partitions, 1);
  other.begin_trial();
  other.add(2, {{1, 0, "b1"}});
  other.take_answer(root.answer());
  const wire::Connect connect = other.connect_for(3);
  ASSERT_EQ(connect.rendezvous.size(), 3U);
  EXPECT_EQ(connect.rendezvous[0].blob, "aa");
  EXPECT_EQ(connect.rendezvous[1].blob, "b1");
  EXPECT_EQ(connect.rendezvous[2].blob, "c1");
  EXPECT_EQ(connect.rendezvous[2].group, 0);
}

TEST(AgentTree, AHeightIsOneMoreThanThatOfTheHighestChild) {
  for (const int size : {1, 2, 3, 4, 7, 8, 20, 512}) {
    for (int agent = 0; agent < size; ++agent) {
      int highest = -1;
      for (const int child : place_in_tree(agent, size).children) {
        highest = std::max(highest, height_in_tree(child, size));
      }
      EXPECT_EQ(height_in_tree(agent, size), highest + 1) << agent << " of " << size;
    }
  }
}

TEST(RollCall, ChildrenThatSaidNothingAreSilentOnceTheyHadTheirTime) {
  RollCall roll;
  EXPECT_FALSE(roll.begun());
  EXPECT_FALSE(roll.silent(100));
  roll.answered(7);
  roll.begin(100, 0.5, {3, 7, 9});
  EXPECT_TRUE(roll.begun());
  EXPECT_FALSE(roll.silent(100.4));
  roll.answered(3);
  roll.reported(12);
  EXPECT_EQ(roll.silent(100.6), (std::vector<int>{9, 12}));
  EXPECT_FALSE(roll.silent(200)) << "said already";
}

}  // namespace
}  // namespace nccl_sweep::agent
