// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/effect.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "analysis/effect_rules.hpp"
#include "analysis/verdict.hpp"
#include "core/knob.hpp"
#include "evidence/nccl_log.hpp"
#include "shipped_log.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep::tests {
namespace {

using Facts = std::vector<Fact>;
using Assignments = std::vector<std::pair<std::string, std::string>>;

constexpr int kRanks = 4;

Fact version(int ranks = kRanks) { return {FactKind::version, "nccl", "2.28.9+cuda13.0", ranks}; }
Fact read_as(std::string name, std::string value, int ranks = kRanks) {
  return {FactKind::variable, std::move(name), std::move(value), ranks};
}
Fact over(std::string transport) {
  return {FactKind::transport, std::move(transport), "8", kRanks};
}
Fact channels(std::string kind, int count) {
  return {FactKind::channels, std::move(kind), std::to_string(count), kRanks};
}

// A run of one all_gather of 64 MiB over 4 ranks, so the log counts 16 MiB.
class Tried {
 public:
  Tried(std::string knob, std::string value)
      : Tried(Assignments{{std::move(knob), std::move(value)}}) {}
  explicit Tried(Assignments assignments) {
    data_.run = run_record(2, {large_case()});
    data_.run.cases[0].group_size = kRanks;
    data_.run.ranks = kRanks;
    data_.run.candidates[1].assignments = std::move(assignments);
  }

  Tried& said(Facts facts) { return trial(1, Stage::screen, std::move(facts)); }
  Tried& baseline_said(Facts facts) { return trial(0, Stage::screen, std::move(facts)); }
  Tried& took(std::string path) { return took_in(Stage::evidence, std::move(path)); }
  Tried& took_in(Stage stage, std::string path) {
    return trial(1, stage, {{FactKind::path, "AllGather 16777216", std::move(path), 1}});
  }
  Tried& trial(int candidate, Stage stage, Facts facts, Outcome outcome = Outcome::complete) {
    TrialOutcome trial;
    trial.order = {static_cast<int>(data_.trials.size()), stage, 0, candidate};
    trial.outcome = outcome;
    trial.facts = std::move(facts);
    if (stage == Stage::screen) trial.facts.push_back(version());
    data_.trials.push_back(std::move(trial));
    return *this;
  }
  Tried& of(Collective collective) {
    data_.run.cases[0].collective = collective;
    return *this;
  }

  // "proven: network Socket"
  std::string effect() const {
    const EffectFinding found = find_effect(data_, 1, 0);
    return fmt::format("{}: {}", to_string(found.effect), found.why);
  }
  const RunData& data() const { return data_; }
  RunRecord& record() { return data_.run; }

 private:
  RunData data_;
};

TEST(Effect, WithoutFactsNothingIsKnown) {
  EXPECT_EQ(Tried("NCCL_ALGO", "Ring").effect(), ": ");
  const RunData data = Tried("NCCL_ALGO", "Ring").baseline_said({}).data();
  EXPECT_EQ(find_effect(data, 0, 0).effect, Effect::unknown);  // the baseline sets nothing
}

TEST(Effect, AVariableIsReadAsItWasSetOrContradicts) {
  const Assignments set{{"NCCL_MAX_CTAS", "4"}};
  EXPECT_EQ(Tried(set).said({read_as("NCCL_MAX_CTAS", "4"), channels("coll", 4)}).effect(),
            "proven: 4 coll channels");
  EXPECT_EQ(Tried(set).said({}).effect(), "not applicable: never read");
  EXPECT_EQ(Tried(set).said({read_as("NCCL_MAX_CTAS", "8"), channels("coll", 8)}).effect(),
            "contradicted: read as 8");
  EXPECT_EQ(Tried(set)
                .said({read_as("NCCL_MAX_CTAS", "4", 3),
                       read_as("NCCL_MAX_CTAS", "8", 1),
                       {FactKind::conf_file, "NCCL_MAX_CTAS", "8", 1}})
                .effect(),
            "contradicted: read as 8, from a conf file (on 1 of 4 ranks)");
  EXPECT_EQ(Tried(set).said({read_as("NCCL_MAX_CTAS", "4", 2), channels("coll", 4)}).effect(),
            "contradicted: read by 2 of 4 ranks only");
  EXPECT_EQ(Tried(set).said({{FactKind::bad_value, "NCCL_MAX_CTAS", "4x", kRanks}}).effect(),
            "contradicted: the value could not be read: the default is used");
  EXPECT_EQ(Tried("NCCL_MAX_CTAS", "0x4")
                .said({read_as("NCCL_MAX_CTAS", "4"), channels("coll", 4)})
                .effect(),
            "proven: 4 coll channels");
}

TEST(Effect, LimitsOfChannelsAgainstThePathOfTheCase) {
  const Facts most{read_as("NCCL_MAX_CTAS", "16"), channels("coll", 16)};
  const Assignments set{{"NCCL_MAX_CTAS", "16"}};
  EXPECT_EQ(Tried(set).said(most).took("RING SIMPLE 16 channels").effect(),
            "proven: the path is RING SIMPLE 16 channels");
  EXPECT_EQ(Tried(set).said(most).took("RING LL 8 channels").effect(),
            "not applicable: the path is RING LL 8 channels: the limit is not reached");
  EXPECT_EQ(Tried(set).said(most).took("NVLS SIMPLE 24 channels").effect(),
            "contradicted: the path is NVLS SIMPLE 24 channels");
  const Facts fewest{read_as("NCCL_MIN_NCHANNELS", "16"), channels("coll", 16)};
  EXPECT_EQ(Tried("NCCL_MIN_NCHANNELS", "16").said(fewest).took("RING LL 8 channels").effect(),
            "proven: 16 coll channels, RING LL 8 channels");
  EXPECT_EQ(Tried("NCCL_MIN_CTAS", "8")
                .said({read_as("NCCL_MIN_CTAS", "8"), channels("coll", 24)})
                .effect(),
            "not applicable: 24 coll channels anyway");
  EXPECT_EQ(Tried("NCCL_MIN_CTAS", "32")
                .said({read_as("NCCL_MIN_CTAS", "32"), channels("coll", 24)})
                .effect(),
            "contradicted: 24 coll channels");
}

TEST(Effect, PathsCountOnlyFromEvidenceTrials) {
  const Facts read{read_as("NCCL_ALGO", "Ring")};
  EXPECT_EQ(
      Tried("NCCL_ALGO", "Ring").said(read).took_in(Stage::screen, "RING LL 8 channels").effect(),
      "unobservable: no trial logged this operation");
  EXPECT_EQ(Tried("NCCL_ALGO", "Ring").said(read).took("RING LL 8 channels").effect(),
            "proven: the path is RING LL 8 channels");
}

TEST(Effect, AlgorithmAndProtocolByNcclsGrammar) {
  const auto effect = [](const std::string& knob, const std::string& value,
                         const std::string& path) {
    return Tried(knob, value).said({read_as(knob, value)}).took(path).effect();
  };
  EXPECT_TRUE(effect("NCCL_ALGO", "Tree,Ring", "RING LL 8 channels").starts_with("proven"));
  EXPECT_TRUE(effect("NCCL_ALGO", "Tree", "RING LL 8 channels").starts_with("contradicted"));
  EXPECT_TRUE(effect("NCCL_ALGO", "^nvls", "RING LL 8 channels").starts_with("proven"));
  EXPECT_TRUE(effect("NCCL_ALGO", "^ring", "RING LL 8 channels").starts_with("contradicted"));
  EXPECT_TRUE(
      effect("NCCL_ALGO", "tree;allgather:ring", "RING LL 1 channel").starts_with("proven"));
  EXPECT_EQ(effect("NCCL_ALGO", "allreduce:tree", "RING LL 8 channels"),
            "not applicable: names other collectives only");
  EXPECT_TRUE(effect("NCCL_ALGO", "collnetdirect", "COLLNET_DIRECT SIMPLE 8 channels")
                  .starts_with("proven"));
  EXPECT_TRUE(effect("NCCL_PROTO", "^LL128", "RING LL 8 channels").starts_with("proven"));
  EXPECT_TRUE(effect("NCCL_PROTO", "Simple", "RING LL 8 channels").starts_with("contradicted"));
  EXPECT_EQ(effect("NCCL_ALGO", "Ring", "symmetric AllGather_ST 8 channels"),
            "not applicable: the path is symmetric AllGather_ST 8 channels");
  EXPECT_EQ(Tried("NCCL_ALGO", "Ring")
                .of(Collective::alltoall)
                .said({read_as("NCCL_ALGO", "Ring")})
                .effect(),
            "not applicable: send/recv has no choice of algorithm");
}

TEST(Effect, IbVariablesNeedIbChannels) {
  const Assignments set{{"NCCL_IB_QPS_PER_CONNECTION", "4"}};
  const Fact read = read_as("NCCL_IB_QPS_PER_CONNECTION", "4");
  const auto pairs = [](std::string count) {
    return Fact{FactKind::queue_pairs, "mlx5_0:1", std::move(count), kRanks};
  };
  EXPECT_EQ(Tried(set).said({over("P2P/CUMEM")}).effect(),
            "not applicable: no channel goes over NET/IB");
  EXPECT_EQ(Tried(set).said({over("NET/Socket")}).effect(),
            "not applicable: no channel goes over NET/IB");
  EXPECT_EQ(Tried(set).said({over("NET/IB/GDRDMA"), read, pairs("4")}).effect(),
            "proven: queue pairs per connection 4");
  EXPECT_EQ(Tried(set).said({over("NET/IB/GDRDMA"), read, pairs("1")}).effect(),
            "contradicted: queue pairs per connection 1");
  EXPECT_EQ(Tried(set).said({over("NET/IB"), read_as(set[0].first, "4", 2), pairs("4")}).effect(),
            "proven: queue pairs per connection 4 (on 2 of 4 ranks)");
  const Assignments split{{"NCCL_IB_SPLIT_DATA_ON_QPS", "1"}};
  const Fact split_read = read_as("NCCL_IB_SPLIT_DATA_ON_QPS", "1");
  EXPECT_EQ(Tried(split).said({over("NET/IB"), split_read, pairs("1")}).effect(),
            "not applicable: one queue pair per connection");
  EXPECT_EQ(Tried(split).said({over("NET/IB"), split_read, pairs("4")}).effect(),
            "unobservable: read, but no line shows what it does");
  EXPECT_EQ(Tried("NCCL_IB_DISABLE", "1")
                .said({over("NET/IB"), read_as("NCCL_IB_DISABLE", "1")})
                .effect(),
            "contradicted: channels go over NET/IB");
}

TEST(Effect, AdaptersAreMatchedAsNcclDoes) {
  const auto effect = [](const std::string& value) {
    return Tried("NCCL_IB_HCA", value)
        .said({over("NET/IB"),
               read_as("NCCL_IB_HCA", value),
               {FactKind::adapter, "mlx5_1:1", "IB 400 Gb/s", kRanks},
               {FactKind::adapter, "mlx5_10:1", "IB 400 Gb/s", kRanks}})
        .effect();
  };
  EXPECT_EQ(effect("mlx5_1"), "proven: mlx5_10:1 is used");
  EXPECT_EQ(effect("=mlx5_1"), "contradicted: mlx5_10:1 is used");
  EXPECT_EQ(effect("=mlx5_1:1,mlx5_10:1"), "proven: mlx5_10:1 is used");
  EXPECT_EQ(effect("mlx5_1:2"), "contradicted: mlx5_10:1 is used");
  EXPECT_EQ(effect("^mlx5_0"), "proven: mlx5_10:1 is used");
  EXPECT_EQ(effect("^=mlx5_10"), "contradicted: mlx5_10:1 is used");
}

TEST(Effect, SocketsNeedTheSocketTransport) {
  const Assignments set{{"NCCL_SOCKET_NTHREADS", "4"}, {"NCCL_NSOCKS_PERTHREAD", "2"}};
  const Facts read{read_as("NCCL_SOCKET_NTHREADS", "4"), read_as("NCCL_NSOCKS_PERTHREAD", "2")};
  const auto run = [&](const std::string& used) {
    Facts facts = read;
    facts.push_back(over("NET/Socket"));
    facts.push_back({FactKind::sockets, "threads x sockets", used, kRanks});
    return Tried(set).said(facts).effect();
  };
  EXPECT_EQ(run("4 x 2"),
            "proven: NCCL_SOCKET_NTHREADS: 4 x 2 threads x sockets; NCCL_NSOCKS_PERTHREAD: 4 x 2 "
            "threads x sockets");
  EXPECT_EQ(run("4 x 1"), "contradicted: NCCL_NSOCKS_PERTHREAD: 4 x 1 threads x sockets");
  EXPECT_EQ(Tried("NCCL_SOCKET_NTHREADS", "4").said({over("P2P/CUMEM")}).effect(),
            "not applicable: no channel goes over NET/Socket");
}

TEST(Effect, NetworksTransportsAndFiles) {
  EXPECT_EQ(Tried("NCCL_NET", "socket")
                .said({over("NET/Socket"), {FactKind::network, "network", "Socket", kRanks}})
                .effect(),
            "proven: network Socket");
  EXPECT_EQ(Tried("NCCL_NET", "IB")
                .said({over("NET/Socket"), {FactKind::network, "network", "Socket", kRanks}})
                .effect(),
            "contradicted: network Socket");
  EXPECT_EQ(Tried("NCCL_P2P_DISABLE", "1")
                .said({over("SHM")})
                .baseline_said({over("P2P/CUMEM")})
                .effect(),
            "proven: no channel goes over P2P");
  EXPECT_EQ(Tried("NCCL_P2P_DISABLE", "1").said({over("P2P/CUMEM")}).effect(),
            "contradicted: channels go over P2P");
  const std::string file = "/etc/topo.xml";
  const auto topology = [&](const std::string& result) {
    return Tried("NCCL_TOPO_FILE", file)
        .said({read_as("NCCL_TOPO_FILE", file), {FactKind::topology_file, file, result, kRanks}})
        .effect();
  };
  EXPECT_EQ(topology("loaded"), "proven: loaded");
  EXPECT_EQ(topology("missing: No such file or directory"),
            "contradicted: missing: No such file or directory");
  EXPECT_EQ(topology("not reached"), "not applicable: not reached");
  EXPECT_EQ(Tried("NCCL_TUNER_PLUGIN", "example")
                .said({{FactKind::plugin, "tuner", "none", kRanks}})
                .effect(),
            "contradicted: no plugin was loaded");
}

TEST(Effect, MulticastIsJudgedBesideTheBaseline) {
  const Facts off{read_as("NCCL_NVLS_ENABLE", "0"), channels("nvls", 0)};
  const Assignments set{{"NCCL_NVLS_ENABLE", "0"}};
  EXPECT_EQ(Tried(set).said(off).baseline_said({channels("nvls", 16)}).effect(),
            "proven: 0 nvls channels");
  EXPECT_EQ(Tried(set).said(off).baseline_said({channels("nvls", 0)}).effect(),
            "not applicable: 0 nvls channels in the baseline too");
  EXPECT_EQ(Tried("NCCL_NVLS_ENABLE", "2")
                .said({read_as("NCCL_NVLS_ENABLE", "2"),
                       {FactKind::multicast, "NVLink SHARP", "bind failed", kRanks}})
                .effect(),
            "not applicable: NVLink SHARP: bind failed");
  EXPECT_EQ(Tried("NCCL_NVLS_ENABLE", "2")
                .said({read_as("NCCL_NVLS_ENABLE", "2"), channels("nvls", 16)})
                .took("NVLS SIMPLE 16 channels")
                .effect(),
            "proven: the path is NVLS SIMPLE 16 channels");
}

TEST(Effect, BuffersAndSymmetricKernels) {
  const std::string kernel = "symmetric AllGather_ST 32 channels";
  EXPECT_EQ(Tried("buffer", "symmetric").said({}).took(kernel).effect(),
            "proven: the path is " + kernel);
  EXPECT_EQ(Tried("buffer", "symmetric").said({}).took("RING SIMPLE 24 channels").effect(),
            "contradicted: the path is RING SIMPLE 24 channels");
  EXPECT_EQ(Tried("buffer", "registered").said({}).effect(),
            "unobservable: no line shows that the registration is used");
  EXPECT_EQ(Tried("buffer", "registered")
                .said({{FactKind::note, "registered buffers", "IPC", kRanks}})
                .effect(),
            "unobservable: registered for IPC, but no line tells for which operations");
  const Facts read{read_as("NCCL_SYM_CTAS", "32")};
  EXPECT_EQ(Tried("NCCL_SYM_CTAS", "32").said(read).took(kernel).effect(),
            "proven: the path is " + kernel);
  EXPECT_EQ(
      Tried("NCCL_SYM_CTAS", "32").said(read).took("symmetric AllGather_ST 8 channels").effect(),
      "contradicted: the path is symmetric AllGather_ST 8 channels");
  EXPECT_EQ(Tried("NCCL_SYM_CTAS", "32").said({}).took("RING SIMPLE 24 channels").effect(),
            "not applicable: no symmetric kernel is used");
}

TEST(Effect, ConfigurationAndLibrary) {
  const Assignments set{{"max_ctas", "8"}};
  EXPECT_EQ(
      Tried(set).said({{FactKind::config, "maxCTAs", "8", kRanks}, channels("coll", 8)}).effect(),
      "proven: 8 coll channels");
  EXPECT_EQ(
      Tried(set).said({{FactKind::config_reset, "maxCTAs", "NCCL_MAX_CTAS=4", kRanks}}).effect(),
      "contradicted: NCCL_MAX_CTAS=4 won");
  EXPECT_EQ(Tried(set).said({}).effect(), "not applicable: NCCL took no such field");
  EXPECT_EQ(Tried("nccl_library", "/opt/libnccl.so.2.28.9").said({}).effect(),
            "proven: 2.28.9+cuda13.0");
  EXPECT_EQ(Tried("nccl_library", "/opt/libnccl.so").said({}).baseline_said({}).effect(),
            "unobservable: 2.28.9+cuda13.0, as in the baseline");
}

TEST(Effect, ProtocolsDecideWhetherTheirBuffersMatter) {
  const Facts read{read_as("NCCL_BUFFSIZE", "8388608")};
  const Assignments set{{"NCCL_BUFFSIZE", "8388608"}};
  EXPECT_EQ(Tried(set).said(read).took("RING SIMPLE 24 channels").effect(),
            "unobservable: read, but no line shows what it does");
  EXPECT_EQ(Tried(set).said(read).took("RING LL 24 channels").effect(),
            "not applicable: the path is RING LL 24 channels");
}

TEST(Effect, AVariableTakenOutIsProvenByTheBaseline) {
  const Assignments set{{"NCCL_MAX_CTAS", "unset"}};
  EXPECT_EQ(Tried(set).said({}).baseline_said({read_as("NCCL_MAX_CTAS", "4")}).effect(),
            "proven: not read; the baseline reads 4");
  EXPECT_EQ(Tried(set).said({read_as("NCCL_MAX_CTAS", "4")}).effect(),
            "contradicted: read as 4 all the same");
  EXPECT_EQ(Tried(set).said({}).baseline_said({}).effect(),
            "not applicable: never read, nor by the baseline");
}

TEST(Effect, TheWorstOfSeveralSettingsDecides) {
  const Assignments set{{"NCCL_IB_TC", "106"}, {"NCCL_MAX_CTAS", "4"}};
  const Fact ctas = read_as("NCCL_MAX_CTAS", "4");
  // What does not apply does not matter beside what is proven.
  EXPECT_EQ(Tried(set).said({ctas, channels("coll", 4), over("P2P/CUMEM")}).effect(),
            "proven: NCCL_MAX_CTAS: 4 coll channels");
  EXPECT_EQ(Tried(set)
                .said({ctas, channels("coll", 4), over("NET/IB"), read_as("NCCL_IB_TC", "106")})
                .effect(),
            "unobservable: NCCL_IB_TC: read, but no line shows what it does");
  EXPECT_EQ(Tried(set)
                .said({ctas, channels("coll", 8), over("NET/IB"), read_as("NCCL_IB_TC", "106")})
                .effect(),
            "contradicted: NCCL_MAX_CTAS: 8 coll channels");
  EXPECT_EQ(Tried(set).said({over("P2P/CUMEM")}).effect(),
            "not applicable: NCCL_IB_TC: no channel goes over NET/IB");
}

TEST(Effect, AFailedTrialSaysNothing) {
  Tried run("NCCL_MAX_CTAS", "4");
  run.trial(1, Stage::confirm, {read_as("NCCL_MAX_CTAS", "4", 1), version()}, Outcome::crashed);
  EXPECT_EQ(run.effect(), ": ");
}

// Two nodes of four ranks, whose world goes over InfiniBand.
Tried on_two_nodes(const Assignments& set, GroupShape group) {
  Tried run(set);
  Facts facts{over("NET/IB/GDRDMA"), {FactKind::queue_pairs, "mlx5_0:1", set[0].second, kRanks}};
  for (const auto& [name, value] : set) facts.push_back(read_as(name, value));
  run.said(std::move(facts)).baseline_said({over("NET/IB/GDRDMA")});
  run.record().fabric.nodes = 2;
  run.record().fabric.ranks_per_node = kRanks;
  run.record().cases[0].group = group;
  return run;
}

TEST(Effect, TheNetworkOfTheWorldIsNotThatOfGroupsInsideANode) {
  const Assignments set{{"NCCL_IB_QPS_PER_CONNECTION", "4"}};
  const std::string inside = "not applicable: the groups stay inside a node";
  const std::string proven = "proven: queue pairs per connection 4";
  const GroupShape node{GroupKind::node, 1, 0};
  EXPECT_EQ(on_two_nodes(set, {}).effect(), proven);
  EXPECT_EQ(on_two_nodes(set, node).effect(), inside);
  EXPECT_EQ(on_two_nodes(set, {GroupKind::rail, 1, 0}).effect(), proven);
  EXPECT_EQ(on_two_nodes(set, {GroupKind::strided, 1, 4}).effect(), inside);
  EXPECT_EQ(on_two_nodes(set, {GroupKind::strided, 2, 2}).effect(), inside);
  EXPECT_EQ(on_two_nodes(set, {GroupKind::strided, 4, 2}).effect(), proven);
  EXPECT_EQ(on_two_nodes(set, {GroupKind::strided, 1, 8}).effect(), proven);
  EXPECT_EQ(on_two_nodes({{"NCCL_IB_DISABLE", "1"}}, node).effect(), inside);
  EXPECT_EQ(on_two_nodes({{"NCCL_P2P_NET_CHUNKSIZE", "1024"}}, node)
                .of(Collective::alltoall)
                .effect(),
            inside);
  Tried diverted = on_two_nodes(set, node);
  diverted.record().environment["NCCL_P2P_DISABLE"] = "1";
  EXPECT_EQ(diverted.effect(),
            "unobservable: no line tells these groups' channels from the world's");
}

TEST(Effect, APathThatTwoShapesOfGroupsShareIsNotKnown) {
  Tried run("NCCL_ALGO", "Ring");
  run.said({read_as("NCCL_ALGO", "Ring")}).took("RING SIMPLE 8 channels");
  EXPECT_EQ(launched_path(run.data(), 1, 0), "RING SIMPLE 8 channels");
  Case other = run.data().run.cases[0];
  other.placement = Placement::in_place;
  run.record().cases.push_back(other);  // the same communicators
  EXPECT_TRUE(run.effect().starts_with("proven"));
  other.group = {GroupKind::strided, 1, 2};
  other.group_size = 2;
  other.size = Bytes{other.size.value / 2};  // the same share of each rank
  run.record().cases.push_back(other);
  EXPECT_EQ(run.effect(), "unobservable: groups of another shape run the same operation");
  EXPECT_EQ(launched_path(run.data(), 1, 0), "");
  run.record().cases.back().size = other.requested;
  EXPECT_TRUE(run.effect().starts_with("proven"));
}

TEST(Effect, WhatTheBaselineDoesWithoutIsNotSwitchedOff) {
  const auto effect = [](const std::string& knob, const std::string& value, Facts baseline) {
    return Tried(knob, value)
        .said({over("NET/Socket"), read_as(knob, value)})
        .baseline_said(std::move(baseline))
        .effect();
  };
  EXPECT_EQ(effect("NCCL_IB_DISABLE", "1", {over("NET/IB")}),
            "proven: no channel goes over NET/IB");
  EXPECT_EQ(effect("NCCL_IB_DISABLE", "1", {over("NET/Socket")}),
            "not applicable: no channel goes over NET/IB in the baseline either");
  EXPECT_EQ(effect("NCCL_COLLNET_ENABLE", "0", {over("COLLNET/SHARP")}),
            "proven: COLLNET is not used");
  EXPECT_EQ(effect("NCCL_COLLNET_ENABLE", "0", {over("NET/IB")}),
            "not applicable: COLLNET is not used in the baseline either");
  EXPECT_EQ(effect("NCCL_MNNVL_ENABLE", "0", {{FactKind::note, "multi-node NVLink", "on", 1}}),
            "proven: no NVLink across nodes is used");
  EXPECT_EQ(effect("NCCL_MNNVL_ENABLE", "0", {over("NET/IB")}),
            "not applicable: no NVLink across nodes is used in the baseline either");
  const auto pat = [](std::string baseline) {
    return Tried("NCCL_PAT_ENABLE", "0")
        .said({read_as("NCCL_PAT_ENABLE", "0")})
        .took("RING LL 8 channels")
        .trial(0, Stage::evidence,
               {{FactKind::path, "AllGather 16777216", std::move(baseline), 1}})
        .effect();
  };
  EXPECT_EQ(pat("PAT SIMPLE 8 channels"), "proven: the path is RING LL 8 channels");
  EXPECT_EQ(pat("RING LL 8 channels"), "not applicable: PAT is not used in the baseline either");
}

TEST(Effect, EveryRuleIsForAKnobThatExists) {
  const auto catalogue = KnobCatalogue::load(std::filesystem::path(SOURCE_FOLDER) / "sweeps/knobs");
  for (const effects::Rule& rule : effects::rules()) {
    const std::string name(rule.knob.substr(0, rule.knob.find('*')));
    if (rule.knob.ends_with('*')) {  // a family must have members that no rule before it takes
      EXPECT_TRUE(std::ranges::any_of(catalogue.knobs(), [&](const Knob& knob) {
        return effects::rule_of(knob.name).knob == rule.knob;
      })) << rule.knob;
      continue;
    }
    EXPECT_EQ(&effects::rule_of(name), &rule) << name;  // no earlier family takes it
    const bool known = unknown_variables({name}, catalogue).empty() && name.starts_with("NCCL_");
    EXPECT_TRUE(known || catalogue.find("nccl", name) != nullptr) << name;
  }
}

// What a setting did in a captured run of all_gather of 1 MiB on two ranks.
std::string effect_in(const std::string& log, const std::string& knob, const std::string& value) {
  std::istringstream text(test::shipped_log(log));
  RunData data = Tried(knob, value).data();
  data.run.cases[0].size = Bytes{1 << 20};
  data.run.cases[0].group_size = 2;
  TrialOutcome trial;
  trial.order = {0, Stage::evidence, 0, 1};
  trial.facts = evidence::read_nccl_log(text);
  data.trials.push_back(std::move(trial));
  const EffectFinding found = find_effect(data, 1, 0);
  return fmt::format("{}: {}", to_string(found.effect), found.why);
}

TEST(Effect, CapturedLogsAreJudgedFromLineToVerdict) {
  const std::string missing = "evidence_missing_topo_file.log.gz";
  EXPECT_EQ(effect_in(missing, "NCCL_TOPO_FILE", "/etc/nccl/missing.xml"),
            "contradicted: missing: No such file or directory");
  EXPECT_EQ(effect_in(missing, "NCCL_MAX_CTAS", "4"), "proven: the path is RING LL 4 channels");
  EXPECT_EQ(effect_in(missing, "NCCL_IB_QPS_PER_CONNECTION", "4"),
            "not applicable: no channel goes over NET/IB");
  EXPECT_EQ(effect_in(missing, "NCCL_MAX_CTA", "4"), "not applicable: never read");
  const std::string socket = "evidence_socket_4x2.log.gz";
  EXPECT_EQ(effect_in(socket, "NCCL_SOCKET_NTHREADS", "4"), "proven: 4 x 2 threads x sockets");
  EXPECT_EQ(effect_in(socket, "NCCL_NET", "Socket"), "proven: network Socket");
  EXPECT_EQ(effect_in(socket, "NCCL_P2P_DISABLE", "1"), "proven: no channel goes over P2P");
  const std::string symmetric = "evidence_symmetric_ctas32.log.gz";
  const std::string kernel = "the path is symmetric AllGather_ST 32 channels";
  EXPECT_EQ(effect_in(symmetric, "NCCL_SYM_CTAS", "32"), "proven: " + kernel);
  EXPECT_EQ(effect_in(symmetric, "buffer", "symmetric"), "proven: " + kernel);
  EXPECT_EQ(effect_in(symmetric, "buffer", "plain"), "contradicted: " + kernel);
}

TEST(Effect, FindPutsItIntoThePoints) {
  RunData data = Tried("NCCL_MAX_CTAS", "4").data();
  for (const int candidate : {0, 1}) {
    TrialOutcome trial = measure(
        {candidate, Stage::grid, 0, candidate}, data.run.cases,
        [](const TrialOrder&, int) { return 0.0; }, Outcome::complete);
    trial.facts = {version(), channels("coll", 4), read_as("NCCL_MAX_CTAS", "4")};
    data.trials.push_back(std::move(trial));
  }
  const RunFindings findings = find(data);
  ASSERT_NE(findings.point(1, 0), nullptr);
  EXPECT_EQ(findings.point(1, 0)->effect.effect, Effect::proven);
  EXPECT_EQ(findings.point(0, 0)->effect.effect, Effect::unknown);
}

}  // namespace
}  // namespace nccl_sweep::tests
