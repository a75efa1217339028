// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/prune.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

using Axes = std::vector<Axis>;

const Axis kQueuePairs{"NCCL_IB_QPS_PER_CONNECTION", {"1", "2", "4", "8"}};
const Axis kSplit{"NCCL_IB_SPLIT_DATA_ON_QPS", {"0", "1"}};
const Axis kNvls{"NCCL_NVLS_ENABLE", {"0", "1", "2"}};

KnobCatalogue shipped() {
  return KnobCatalogue::load(std::filesystem::path(TEST_DATA) / "../../sweeps/knobs");
}

PruneContext nodes_of_two(int nodes, std::string backend = "nccl") {
  PruneContext context;
  context.backend = std::move(backend);
  for (int rank = 0; rank < 2 * nodes; ++rank) context.node_of_rank.push_back(rank / 2);
  context.nvlink_inside = true;
  return context;
}

SweepPlan pruned(const Axes& axes, const PruneContext& context,
                 std::vector<Collective> collectives = {Collective::all_gather,
                                                        Collective::reduce_scatter},
                 GroupShape group = {}, const KnobCatalogue& knobs = shipped()) {
  SweepSpec spec;
  spec.name = "s";
  spec.backend = context.backend;
  spec.group = group;
  spec.collectives = std::move(collectives);
  spec.sizes = {Bytes{1 << 20}};
  spec.dtypes = {DataType::bfloat16};
  spec.axes = axes;
  SweepPlan plan = expand(spec, knobs, {}, context.node_of_rank);
  prune(plan, knobs, context);
  return plan;
}

std::vector<std::string> names(const SweepPlan& plan) {
  std::vector<std::string> found;
  for (const Candidate& c : plan.candidates) found.push_back(name_of(c));
  return found;
}

const Collapsed* collapsed(const SweepPlan& plan, std::string_view name) {
  const auto found = std::ranges::find_if(
      plan.collapsed, [&](const Collapsed& c) { return name_of(c.candidate) == name; });
  return found == plan.collapsed.end() ? nullptr : &*found;
}

TEST(Prune, TwentyFourCellsAcrossNodesAreSevenSettings) {
  const SweepPlan plan = pruned({kQueuePairs, kSplit, kNvls}, nodes_of_two(2));
  ASSERT_EQ(plan.candidates.size(), 7U);
  EXPECT_EQ(plan.collapsed.size(), 24U);
  EXPECT_EQ(names(plan)[0], "default");
  EXPECT_EQ(names(plan)[1], "NCCL_IB_QPS_PER_CONNECTION=2 NCCL_IB_SPLIT_DATA_ON_QPS=0");
  const Collapsed* one = collapsed(
      plan, "NCCL_IB_QPS_PER_CONNECTION=1 NCCL_IB_SPLIT_DATA_ON_QPS=1 NCCL_NVLS_ENABLE=0");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->equal_to, 0);
  EXPECT_NE(one->reason.find("nothing to split"), std::string::npos) << one->reason;
  EXPECT_NE(one->reason.find("NVLS"), std::string::npos) << one->reason;
  for (const Collapsed& c : plan.collapsed) {
    EXPECT_GE(c.equal_to, 0);
    EXPECT_LT(c.equal_to, 7);
    EXPECT_FALSE(c.reason.empty());
  }
}

TEST(Prune, AllReduceKeepsNvlsApart) {
  EXPECT_EQ(pruned({kNvls}, nodes_of_two(2), {Collective::all_reduce}).candidates.size(), 3U);
}

TEST(Prune, SharpInTheEnvironmentOrTheSweepKeepsNvlsApart) {
  PruneContext context = nodes_of_two(2);
  context.site["NCCL_COLLNET_ENABLE"] = "1";
  EXPECT_EQ(pruned({kNvls}, context).candidates.size(), 3U);  // 0, 1 and the default, which is 2
  const SweepPlan varied = pruned({kNvls, {"NCCL_COLLNET_ENABLE", {"1"}}}, nodes_of_two(2));
  EXPECT_EQ(varied.candidates.size(), 4U);
}

TEST(Prune, NvlsInsideANodeIsMeasuredAlsoOnSeveralNodes) {
  EXPECT_EQ(pruned({kNvls}, nodes_of_two(1)).candidates.size(), 3U);
  const GroupShape node{GroupKind::node, 1, 0};
  EXPECT_EQ(pruned({kNvls}, nodes_of_two(2), {Collective::all_gather}, node).candidates.size(), 3U);
}

TEST(Prune, HostsThatNvlinkMayJoinAreTakenForOneNode) {
  PruneContext context = nodes_of_two(2);
  context.nvlink_across = true;
  EXPECT_EQ(pruned({kNvls}, context).candidates.size(), 3U);
  PruneContext large = nodes_of_two(64);  // no NVLink domain has 128 GPUs
  large.nvlink_across = true;
  EXPECT_EQ(pruned({kNvls}, large).candidates.size(), 1U);
}

TEST(Prune, AConfFileOrAPluginLeavesTheDefaultOpen) {
  PruneContext plugin = nodes_of_two(2);
  plugin.network_plugin = true;
  // One queue pair is a setting of its own, split or not.
  EXPECT_EQ(pruned({kQueuePairs, kSplit}, plugin).candidates.size(), 8U);
  PruneContext conf = nodes_of_two(2);
  conf.conf_files = true;
  EXPECT_EQ(pruned({kQueuePairs, kSplit}, conf).candidates.size(), 8U);
  EXPECT_EQ(pruned({kNvls}, conf).candidates.size(), 4U);
}

TEST(Prune, TheEnvironmentsOwnValueIsTheDefault) {
  PruneContext context = nodes_of_two(2);
  context.site["NCCL_IB_QPS_PER_CONNECTION"] = "4";
  const SweepPlan plan = pruned({kQueuePairs}, context);
  EXPECT_EQ(names(plan), (std::vector<std::string>{
                             "default", "NCCL_IB_QPS_PER_CONNECTION=1",
                             "NCCL_IB_QPS_PER_CONNECTION=2", "NCCL_IB_QPS_PER_CONNECTION=8"}));
  // Four queue pairs of the environment can be split.
  EXPECT_EQ(pruned({kSplit}, context).candidates.size(), 3U);
  EXPECT_EQ(pruned({kSplit}, nodes_of_two(2)).candidates.size(), 1U);
}

TEST(Prune, InfiniBandInsideANodeIsMeasuredOnlyWhereDataMayUseIt) {
  const Axes axes{{"NCCL_IB_QPS_PER_CONNECTION", {"2", "4"}}};
  EXPECT_EQ(pruned(axes, nodes_of_two(1)).candidates.size(), 1U);
  PruneContext cards = nodes_of_two(1);
  cards.nvlink_inside = false;
  EXPECT_EQ(pruned(axes, cards).candidates.size(), 3U);
  PruneContext diverted = nodes_of_two(1);
  diverted.site["NCCL_P2P_DISABLE"] = "1";
  EXPECT_EQ(pruned(axes, diverted).candidates.size(), 3U);
  EXPECT_EQ(pruned({axes[0], {"NCCL_SHM_DISABLE", {"1"}}}, nodes_of_two(1)).candidates.size(), 3U);
}

TEST(Prune, SocketKnobsNeedSockets) {
  const Axes axes{{"NCCL_SOCKET_NTHREADS", {"2", "4"}}};
  EXPECT_EQ(pruned(axes, nodes_of_two(1)).candidates.size(), 1U);
  EXPECT_EQ(pruned(axes, nodes_of_two(2)).candidates.size(), 3U);
  PruneContext sockets = nodes_of_two(1);
  sockets.site["NCCL_NET"] = "Socket";
  EXPECT_EQ(pruned(axes, sockets).candidates.size(), 3U);
  EXPECT_EQ(pruned({{"NCCL_IB_QPS_PER_CONNECTION", {"2"}}}, sockets).candidates.size(), 1U);
}

TEST(Prune, SymmetricKernelsNeedSymmetricBuffers) {
  const Axes axes{{"buffer", {"plain", "symmetric"}}, {"NCCL_SYM_CTAS", {"8", "32"}}};
  const SweepPlan plan = pruned(axes, nodes_of_two(1));
  EXPECT_EQ(names(plan), (std::vector<std::string>{"default", "buffer=symmetric NCCL_SYM_CTAS=8",
                                                   "buffer=symmetric NCCL_SYM_CTAS=32"}));
  const SweepPlan registered =
      pruned({{"buffer", {"registered"}}, {"NCCL_SYM_CTAS", {"8", "32"}}}, nodes_of_two(1));
  EXPECT_EQ(names(registered), (std::vector<std::string>{"default", "buffer=registered"}));
}

// Whether it fails or falls back to another algorithm is the library's version's to say.
TEST(Prune, AnAlgorithmThatMayNotCarryTheCollectivesIsMeasured) {
  const SweepPlan plan = pruned({{"NCCL_ALGO", {"Tree", "Ring", "tree,ring"}}}, nodes_of_two(2));
  EXPECT_EQ(plan.candidates.size(), 4U);
  EXPECT_TRUE(plan.collapsed.empty());
}

TEST(Prune, OfAModelOnlyWhatItsFileDeclaresIsLookedAt) {
  Knob pairs;
  pairs.name = kQueuePairs.knob;
  pairs.backend = "model";
  pairs.default_value = "1";
  Knob split = pairs;
  split.name = kSplit.knob;
  split.default_value = "0";
  const auto candidates_with = [&](const std::string& no_op_when) {
    split.no_op_when = no_op_when;
    KnobCatalogue knobs;
    knobs.add(pairs);
    knobs.add(split);
    return pruned({kQueuePairs, kSplit}, nodes_of_two(2, "model"), {Collective::all_gather}, {},
                  knobs)
        .candidates.size();
  };
  EXPECT_EQ(candidates_with("NCCL_IB_QPS_PER_CONNECTION=1"), 7U);
  EXPECT_EQ(candidates_with(""), 9U);  // 1 is the declared default, the split acts for all we know
}

TEST(Prune, OtherBackendsKnobsOfTheSameNameMeanWhatTheyLike) {
  Knob pairs;
  pairs.name = kQueuePairs.knob;
  pairs.backend = "host";
  KnobCatalogue knobs;
  knobs.add(pairs);
  EXPECT_EQ(pruned({kQueuePairs}, nodes_of_two(2, "host"), {Collective::all_gather}, {}, knobs)
                .candidates.size(),
            5U);
}

}  // namespace
}  // namespace nccl_sweep
