// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <zlib.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "core/fabric.hpp"
#include "evidence/nccl_log.hpp"

namespace nccl_sweep {
namespace {

std::string unpacked(const std::filesystem::path& file) {
  std::string text;
  std::array<char, 65536> piece{};
  const gzFile stream = gzopen(file.c_str(), "rb");
  if (stream == nullptr) return text;
  for (int got = 1; got > 0;) {
    got = gzread(stream, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  gzclose(stream);
  return text;
}

Fabric seen(const std::string& device, int nodes, int gpus) {
  Fabric fabric;
  fabric.device = device;
  fabric.nodes = nodes;
  fabric.ranks_per_node = gpus;
  fabric.ranks = nodes * gpus;
  fabric.versions = {{"driver", "580.65.06"}};
  fabric.name = gpu_fabric_name(fabric);
  fabric.fingerprint = fingerprint_of(fabric);
  return fabric;
}

// NCCL's log of a real run on two H200s.
std::vector<Fact> facts_of_two_h200() {
  constexpr const char* kLog = "allgather_init_env_graph_net_tuning_coll_rank0.log.gz";
  std::istringstream log(unpacked(std::filesystem::path(TEST_DATA) / "nccl-logs" / kLog));
  return evidence::read_nccl_log(log);
}

std::vector<Fact> eight_ports(const std::string& kind, const std::string& network = "IB") {
  std::vector<Fact> facts{{FactKind::network, "network", network, 32},
                          {FactKind::link, "NVL", "8 x 370.8 GB/s", 32}};
  for (int port = 0; port < 8; ++port) {
    facts.push_back({FactKind::adapter, "mlx5_" + std::to_string(port) + ":1", kind, 32});
  }
  return facts;
}

TEST(Fabric, DevicesHaveShortNames) {
  EXPECT_EQ(short_name("NVIDIA H200"), "h200");
  EXPECT_EQ(short_name("NVIDIA H100 80GB HBM3"), "h100-80gb-hbm3");
  EXPECT_EQ(short_name("AMD EPYC 9554 64-Core Processor"), "amd-epyc-9554");
  EXPECT_EQ(short_name(""), "unknown");
}

TEST(Fabric, AGpuIsNamedUpToItsNumber) {
  EXPECT_EQ(seen("NVIDIA H100 80GB HBM3", 1, 8).name, "h100-8");
  EXPECT_EQ(seen("NVIDIA A100-SXM4-80GB", 1, 8).name, "a100-8");
  EXPECT_EQ(seen("NVIDIA RTX 6000 Ada Generation", 1, 2).name, "rtx-6000-2");
}

TEST(Fabric, ANodeIsNamedByItsLinkOnceNcclHasSaidIt) {
  const Fabric before = seen("NVIDIA H200", 1, 2);
  EXPECT_EQ(before.name, "h200-2");
  const Fabric fabric = refine(before, facts_of_two_h200());
  EXPECT_EQ(fabric.name, "h200-2-nvlink");
  EXPECT_EQ(fabric.link, "NVLink 370.8 GB/s");
  EXPECT_EQ(fabric.network, "Socket");
  EXPECT_EQ(fabric.versions.at("nccl"), "2.28.3");
  EXPECT_EQ(fabric.versions.at("driver"), "580.65.06");
  EXPECT_TRUE(fabric.plugins.empty());
  EXPECT_NE(fabric.fingerprint, before.fingerprint);
}

TEST(Fabric, WithoutFactsItStaysAsItIs) {
  Fabric host = seen("AMD EPYC", 1, 2);
  host.name = "host-amd-epyc-1x2";
  host.fingerprint = fingerprint_of(host);
  const Fabric same = refine(host, {{FactKind::variable, "HOST_X", "1", 2}});
  EXPECT_EQ(same.name, host.name);
  EXPECT_EQ(same.fingerprint, host.fingerprint);
}

TEST(Fabric, NodesAreNamedByTheirNetwork) {
  const Fabric before = seen("NVIDIA H100", 4, 8);
  EXPECT_EQ(before.name, "h100-8x4nodes");
  EXPECT_EQ(refine(before, eight_ports("IB 400 Gb/s")).name, "h100-8x4nodes-8xib400");
  EXPECT_EQ(refine(before, eight_ports("RoCE 200 Gb/s")).name, "h100-8x4nodes-8xroce200");
  EXPECT_EQ(refine(before, eight_ports("IB 400 Gb/s, adaptive routing", "IBext_v10")).name,
            "h100-8x4nodes-8xib400");
  EXPECT_EQ(refine(before, eight_ports("IB")).name, "h100-8x4nodes-8xib");
  EXPECT_EQ(refine(before, eight_ports("IB", "AWS Libfabric")).name, "h100-8x4nodes-aws-libfabric");
  EXPECT_EQ(refine(before, {{FactKind::network, "network", "Socket", 32}}).name,
            "h100-8x4nodes-socket");
}

TEST(Fabric, NvlinkAcrossNodesIsNamed) {
  std::vector<Fact> facts = eight_ports("IB 400 Gb/s");
  facts.push_back({FactKind::transport, "P2P/MNNVL", "16", 72});
  EXPECT_EQ(refine(seen("NVIDIA GB200", 18, 4), facts).name, "gb200-4x18nodes-mnnvl-8xib400");
}

TEST(Fabric, TheSystemsSpeedStandsWhereNcclPrintsNone) {
  Fabric before = seen("NVIDIA H100", 2, 8);
  for (int port = 0; port < 9; ++port) {
    before.adapters["mlx5_" + std::to_string(port) + ":1"] = "IB 400 Gb/s";
  }
  before.name = gpu_fabric_name(before);
  EXPECT_EQ(before.name, "h100-8x2nodes-9xib400");
  const Fabric fabric = refine(before, eight_ports("IB"));
  EXPECT_EQ(fabric.name, "h100-8x2nodes-8xib400") << "the ninth is not NCCL's";
  EXPECT_EQ(adapters_text(fabric.adapters), "8 x IB 400 Gb/s");
}

TEST(Fabric, AMergedDeviceIsNotCountedBesideItsPorts) {
  std::vector<Fact> facts = eight_ports("IB 200 Gb/s");
  facts.push_back({FactKind::adapter, "mlx5_0+mlx5_1", "IB 400 Gb/s", 32});
  EXPECT_EQ(refine(seen("NVIDIA H100", 2, 8), facts).name, "h100-8x2nodes-8xib200");
}

TEST(Fabric, TheFingerprintHoldsWhatChangesTheSpeedAndNotTheVersions) {
  const Fabric before = seen("NVIDIA H100", 4, 8);
  const auto print = [&](const std::vector<Fact>& facts) {
    return refine(before, facts).fingerprint;
  };
  const std::vector<Fact> base = eight_ports("IB 400 Gb/s");
  std::vector<Fact> newer = base;
  newer.push_back({FactKind::version, "nccl", "2.30.7", 32});
  EXPECT_EQ(print(base), print(newer));
  std::vector<Fact> plugin = base;
  plugin.push_back({FactKind::plugin, "net", "IBext_v10", 32});
  std::vector<Fact> slower_link = base;
  slower_link[1].value = "8 x 206.1 GB/s";
  std::vector<Fact> fewer_ports(base.begin(), base.end() - 1);
  for (const auto& other : {plugin, slower_link, fewer_ports, eight_ports("IB 200 Gb/s")}) {
    EXPECT_NE(print(base), print(other));
  }
  EXPECT_NE(refine(seen("NVIDIA H100", 2, 8), base).fingerprint, print(base));
}

TEST(Fabric, AdaptersOfANodeByItselfDoNotCount) {
  const Fabric before = seen("NVIDIA H200", 1, 8);
  std::vector<Fact> facts = eight_ports("IB 400 Gb/s");
  const std::string with_all = refine(before, facts).fingerprint;
  facts.pop_back();
  EXPECT_EQ(refine(before, facts).fingerprint, with_all);
}

}  // namespace
}  // namespace nccl_sweep
