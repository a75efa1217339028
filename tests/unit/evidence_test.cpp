// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "core/launched_path.hpp"
#include "evidence/nccl_log.hpp"
#include "shipped_log.hpp"

namespace nccl_sweep::test {
namespace {

using evidence::read_nccl_log;
using Lines = std::vector<std::string>;

// "kind | subject | value xRANKS", so that a failed test shows what was read.
Lines lines_of(const std::vector<Fact>& facts) {
  Lines lines;
  for (const Fact& it : facts) {
    lines.push_back(
        fmt::format("{} | {} | {} x{}", to_string(it.kind), it.subject, it.value, it.ranks));
  }
  return lines;
}

Lines read_text(const std::string& text) {
  std::istringstream stream(text);
  return lines_of(read_nccl_log(stream));
}

constexpr std::string_view kRank0 = "node01:4100:4100 [0] ";
constexpr std::string_view kRank1 = "node01:4101:4101 [1] ";

std::string info(std::string_view text, std::string_view prefix = kRank0) {
  return fmt::format("{}NCCL INFO {}\n", prefix, text);
}

// The facts of these messages of one rank.
Lines facts_of(const Lines& messages) {
  std::string text;
  for (const std::string& message : messages) text += info(message);
  return read_text(text);
}

Lines with_kind(const Lines& lines, std::string_view kind) {
  Lines found;
  for (const std::string& line : lines) {
    if (line.starts_with(fmt::format("{} | ", kind))) found.push_back(line);
  }
  return found;
}

bool has(const Lines& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(Evidence, TheSocketRunShowsItsThreadsSocketsAndTransport) {
  const Lines facts = read_text(shipped_log("evidence_socket_4x2.log.gz"));
  EXPECT_EQ(with_kind(facts, "variable"),
            (Lines{"variable | NCCL_NSOCKS_PERTHREAD | 2 x2", "variable | NCCL_NVLS_ENABLE | 0 x2",
                   "variable | NCCL_P2P_DISABLE | 1 x2", "variable | NCCL_SHM_DISABLE | 1 x2",
                   "variable | NCCL_SOCKET_NTHREADS | 4 x2"}));
  EXPECT_EQ(with_kind(facts, "sockets"), Lines{"sockets | threads x sockets | 4 x 2 x2"});
  EXPECT_EQ(with_kind(facts, "transport"), Lines{"transport | NET/Socket | 2 x2"});
  EXPECT_EQ(with_kind(facts, "network"), Lines{"network | network | Socket x2"});
  EXPECT_EQ(with_kind(facts, "adapter"), Lines{"adapter | eth0 | Socket x2"});
  EXPECT_TRUE(has(facts, "path | AllGather 524288 | RING SIMPLE 2 channels x1"));
  EXPECT_EQ(with_kind(facts, "path").size(), 5U);  // 21 launches of five sizes
}

TEST(Evidence, AMissingTopologyFileAndAnEffectiveLimitOfCtas) {
  const Lines facts = read_text(shipped_log("evidence_missing_topo_file.log.gz"));
  EXPECT_EQ(with_kind(facts, "topology file"),
            Lines{"topology file | /etc/nccl/missing.xml | missing: No such file or directory x2"});
  EXPECT_EQ(with_kind(facts, "config reset"), Lines{"config reset | maxCTAs | NCCL_MAX_CTAS=4 x2"});
  EXPECT_TRUE(has(facts, "variable | NCCL_MAX_CTAS | 4 x2"));
  EXPECT_TRUE(has(facts, "channels | coll | 4 x2"));
  EXPECT_TRUE(has(facts, "transport | P2P/CUMEM | 4 x2"));
  EXPECT_TRUE(has(facts, "link | NVL | 2 x 370.8 GB/s x2"));
  for (const std::string& line : facts) {  // never read: there is no IB, and no such variable
    EXPECT_EQ(line.find("QPS"), line.npos);
    EXPECT_EQ(line.find("NTHREAD"), line.npos);
  }
}

TEST(Evidence, SymmetricKernelsHaveTheCtasThatWereAskedFor) {
  const Lines facts = read_text(shipped_log("evidence_symmetric_ctas32.log.gz"));
  EXPECT_TRUE(has(facts, "variable | NCCL_SYM_CTAS | 32 x2"));
  EXPECT_TRUE(has(facts, "path | AllGather 524288 | symmetric AllGather_ST 32 channels x1"));
  EXPECT_TRUE(has(facts, "version | nccl | 2.28.9+cuda13.0 x2"));
  EXPECT_TRUE(has(facts, "version | cuda_driver | 13.0 x2"));
}

TEST(Evidence, ALogOfEverythingNamesPathsAndPlugins) {
  const Lines facts =
      read_text(shipped_log("allgather_init_env_graph_net_tuning_coll_rank0.log.gz"));
  EXPECT_EQ(with_kind(facts, "path").size(), 15U);
  EXPECT_TRUE(has(facts, "path | AllGather 32768 | RING LL 8 channels x1"));
  EXPECT_EQ(
      with_kind(facts, "plugin"),
      (Lines{"plugin | net | none x1", "plugin | profiler | none x1", "plugin | tuner | none x1"}));
  EXPECT_EQ(with_kind(facts, "channels"),
            (Lines{"channels | coll | 24 x1", "channels | nvls | 0 x1", "channels | p2p | 32 x1",
                   "channels | p2p per peer | 32 x1"}));
}

TEST(Evidence, SendAndReceiveHaveChannelsOfTheirOwn) {
  EXPECT_EQ(with_kind(read_text(shipped_log("moe_nccl_rank0.log.gz")), "transport"),
            Lines{"transport | P2P/CUMEM | 24 + 32 p2p x1"});
}

TEST(Evidence, VariablesAreReadInEveryWording) {
  EXPECT_EQ(
      facts_of(
          {"NCCL_IB_TC set by environment to 106.", "NCCL_ALGO set by environment to Ring,Tree",
           "NCCL_COLLNET_ENABLE set by environment to 1.", "NCCL_IB_HCA set to =mlx5_0:1,mlx5_1:1",
           "NCCL_TOPO_DUMP_FILE set by environment to /tmp/a.",
           "TUNER/Plugin: NCCL_TUNER_PLUGIN set to example",
           "NCCL_IB_AR_THRESHOLD set by environment to -2."}),
      (Lines{"variable | NCCL_ALGO | Ring,Tree x1", "variable | NCCL_COLLNET_ENABLE | 1 x1",
             "variable | NCCL_IB_AR_THRESHOLD | -2 x1",
             "variable | NCCL_IB_HCA | =mlx5_0:1,mlx5_1:1 x1", "variable | NCCL_IB_TC | 106 x1",
             "variable | NCCL_TOPO_DUMP_FILE | /tmp/a. x1",
             "variable | NCCL_TUNER_PLUGIN | example x1"}));
}

TEST(Evidence, BadValuesConfigurationAndClamping) {
  EXPECT_EQ(facts_of({"Invalid value 99999999999999999999 for NCCL_BUFFSIZE, using default -2.",
                      "Comm config minCTAs set to 8", "Comm config netName reset to NCCL_NET=IB",
                      "Comm config graphUsageMode reset to 1 by NCCL_GRAPH_MIXING_SUPPORT=0",
                      "NCCL_MIN_CTAS 0 is too low, leaving it set at 1",
                      "minCTAs 32 is larger than maxCTAs 4, set both to 4"}),
            (Lines{"variable | NCCL_GRAPH_MIXING_SUPPORT | 0 x1", "variable | NCCL_NET | IB x1",
                   "bad value | NCCL_BUFFSIZE | 99999999999999999999 x1", "config | minCTAs | 8 x1",
                   "config reset | graphUsageMode | NCCL_GRAPH_MIXING_SUPPORT=0 x1",
                   "config reset | netName | NCCL_NET=IB x1",
                   "note | NCCL_MIN_CTAS | 0 is too low, leaving it set at 1 x1",
                   "note | minCTAs | 32 is larger than maxCTAs 4, set both to 4 x1"}));
}

TEST(Evidence, TransportsAreCountedByKindNotByDevice) {
  EXPECT_EQ(
      facts_of({"Channel 00/0 : 3[3] -> 8[0] [send] via NET/IB/0/GDRDMA",
                "Channel 01/0 : 3[3] -> 8[0] [send] via NET/IB/1/GDRDMA(PCI)/Shared",
                "Channel 01/0 : 12[4] -> 3[3] [receive] via NET/IB/1/GDRDMA",
                "Channel 02/0 : 3[3] -> 8[0] [send] via NET/IB/0(5)/GDRDMA",
                "Channel 03/1 : 3[3] -> 8[0] [send] via NET/AWS Libfabric/0",
                "Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read",
                "Channel 00/0 : 3[3] -> 4[4] via P2P/direct pointer",
                "Channel 00/0 : 3[3] -> 4[4] via P2P/indirect/5[5]",
                "Channel 00/0 : 3[3] -> 4[4] via P2P/MNNVL",
                "Channel 00 : 3[3] -> 4[4] via SHM/direct/direct",
                "Channel 01 : 3[3] -> 4[4] via SHM/CE/direct",
                "CollNet 00/0 : 3 [send] via COLLNET/SHARP/0/GDRDMA", "Channel 00/24 : 0 1 2 3"}),
      (Lines{"transport | COLLNET/SHARP/GDRDMA | 1 x1", "transport | NET/AWS Libfabric | 1 p2p x1",
             "transport | NET/IB/GDRDMA | 2 x1", "transport | NET/IB/PXN/GDRDMA | 1 x1",
             "transport | P2P/CUMEM/read | 1 x1", "transport | P2P/MNNVL | 1 x1",
             "transport | P2P/direct pointer | 1 x1", "transport | P2P/indirect | 1 x1",
             "transport | SHM | 1 x1", "transport | SHM/CE | 1 x1"}));
}

TEST(Evidence, AdaptersHaveTheirSpeedWhereTheLogTellsIt) {
  EXPECT_EQ(facts_of({"NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x5 "
                      "pciPath=/sys/devices/x ar=1",
                      "NET/IB : Made virtual device [0] name=mlx5_0 speed=400000 ndevs=1",
                      "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=800000 ndevs=2",
                      "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:192.0.2.2<0>",
                      "NET/Socket : Using [0]eth0:192.0.2.2<0> [1]eth1:fe80::1%eth1<0>"}),
            (Lines{"adapter | eth0 | Socket x1", "adapter | eth1 | Socket x1",
                   "adapter | mlx5_0+mlx5_1 | 2 ports, 800 Gb/s x1",
                   "adapter | mlx5_0:1 | IB 400 Gb/s, adaptive routing x1",
                   "adapter | mlx5_1:1 | RoCE x1", "note | IB relaxed ordering | on x1"}));
}

TEST(Evidence, QueuePairsAreCountedPerConnection) {
  Lines messages{"NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ; OOB eth0:192.0.2.2<0>"};
  for (const std::string connection : {"0x1a", "0x1b", "0x1c"}) {
    for (int q = 0; q < 4; ++q) {
      messages.push_back(
          fmt::format("NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn {} mtu 5 LID 7 "
                      "subnet-prefix 1 FLID 0 fifoRkey={} fifoLkey={}",
                      q, connection, connection));
    }
  }
  for (int q = 0; q < 2; ++q) {  // 2.30
    messages.push_back(
        fmt::format("NET/IB: ncclIbConnect: NCCL MergedDev 1 IbDev 1 Port 1 qp_num "
                    "{} mtu 5 GID 3 (80FE/1) ctsFifoRkey=0x9 ctsFifoLkey=0x9",
                    q));
  }
  messages.push_back("NET/IB: IbDev 0 Port 1 qpn 7 set_ece={supported=1, vendor_id=0x15b3}");
  const Lines facts = facts_of(messages);
  EXPECT_EQ(with_kind(facts, "queue pairs"),
            (Lines{"queue pairs | mlx5_0:1 | 4 x1", "queue pairs | mlx5_1:1 | 2 x1"}));
  EXPECT_TRUE(has(facts, "note | GID index | 3 x1"));
}

TEST(Evidence, TopologyFilesAreLoadedMissingOrNotReached) {
  const std::string set = "NCCL_TOPO_FILE set by environment to /a.xml";
  EXPECT_EQ(with_kind(facts_of({set, "Loading topology file /a.xml", "Loading topology GB300"}),
                      "topology file"),
            Lines{"topology file | /a.xml | loaded x1"});
  EXPECT_EQ(with_kind(facts_of({set}), "topology file"),
            Lines{"topology file | /a.xml | not reached x1"});
  EXPECT_EQ(facts_of({"Loading topology file /a.xml", "Loading unnamed topology"}),
            (Lines{"topology file | /a.xml | loaded x1", "note | topology | unnamed x1"}));
}

TEST(Evidence, PluginsOfEveryKindAndWording) {
  EXPECT_EQ(
      facts_of({"NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
                "NET/Plugin: Loaded net plugin AWS Libfabric (v8)",
                "NET/Plugin: Loaded collnet plugin SHARP (v9)",
                "TUNER/Plugin: Using internal tuner plugin.", "TUNER/Plugin: Using Example (v5)",
                "Successfully loaded external profiler plugin libinspector.so",
                "ENV/Plugin: Using recorder (v1)", "GIN/Plugin: Assigned plugin GDAKI type 2",
                "Assigned NET plugin IB to comm"}),
      (Lines{"plugin | collnet | SHARP x1", "plugin | env | recorder x1", "plugin | gin | GDAKI x1",
             "plugin | net | AWS Libfabric x1", "plugin | profiler | libinspector.so x1",
             "plugin | tuner | Example x1"}));
}

TEST(Evidence, MulticastChunksAndDirectRdma) {
  EXPECT_EQ(
      facts_of({"NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)",
                "NVLS comm 0x55 headRank 0 nHeads 8 nvlsRanks 8 buffSize 1 nvlsPerRankSize 2",
                "NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
                "GPU Direct RDMA Disabled for GPU 3 / HCA 12 (distance 7 > 4)",
                "DMA-BUF is available on GPU device 0", "P2P Chunksize set to 131072",
                "Connected all rings, use ring PXN 1 GDR 1",
                "comm 0x5 rank 3 nRanks 16 nNodes 2 localRanks 8 localRank 3 MNNVL 1"}),
      (Lines{"multicast | NVLink SHARP | available x1",
             "multicast | NVLink SHARP buffers | set up x1", "note | DMA-BUF | available x1",
             "note | GPUDirect RDMA | off at distance 7 > 4 x1",
             "note | GPUDirect RDMA | on for mlx5_0 x1",
             "note | communicator | 16 ranks on 2 nodes x1", "note | multi-node NVLink | used x1",
             "note | p2p chunk size | 131072 x1", "note | rings | PXN 1 GDR 1 x1"}));
  EXPECT_EQ(facts_of({"NVLS multicast support is not available on dev 0"}),
            Lines{"multicast | NVLink SHARP | not available x1"});
  EXPECT_EQ(facts_of({"Failed to bind NVLink SHARP (NVLS) Multicast memory of size 1 : CUDA error "
                      "401 'x'. Proceeding without NVLS support."}),
            Lines{"multicast | NVLink SHARP | bind failed x1"});
}

TEST(Evidence, PathsOfEveryLayout) {
  EXPECT_EQ(facts_of({"AllReduce: 4096 Bytes -> Algo NVLS proto SIMPLE channel{Lo..Hi}={0..15}",
                      "ReduceScatter [Symmetric]: 64 Bytes -> Kernel ReduceScatter_LD nchannels 1 "
                      "nthreads 512 nWorks 1",
                      "AllGather [Copy Engine]: 128 Bytes -> cudaMemcpy",
                      "AlltoAll [Hierarchical CE]: 32 Bytes -> RMA proxy + CE"}),
            (Lines{"path | AllGather 128 | copy engine x1",
                   "path | AllReduce 4096 | NVLS SIMPLE 16 channels x1",
                   "path | AlltoAll 32 | copy engine x1",
                   "path | ReduceScatter 64 | symmetric ReduceScatter_LD 1 channel x1"}));
}

TEST(Evidence, OlderPathsAreForTheBytesOfAllRanks) {
  const std::string call =
      "AllGather: opCount 3 sendbuff 0x1 recvbuff 0x2 count 512 datatype 1 op 0 root 0 comm 0x5 "
      "[nranks=8] stream 0x1";
  const Lines per_rank{"path | AllGather 512 | RING LL128 x1"};
  EXPECT_EQ(facts_of({call, "AllGather: 4096 Bytes -> Algo 1 proto 1 time 12.5"}), per_rank);
  EXPECT_EQ(facts_of({call, "4096 Bytes -> Algo 1 proto 1 time 12.5"}), per_rank);  // to 2.22
  EXPECT_EQ(with_kind(facts_of({"comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8",
                                "AllGather: 4096 Bytes -> Algo 1 proto 1 time 12.5"}),
                      "path"),
            per_rank);
  EXPECT_EQ(facts_of({"4096 Bytes -> Algo 1 proto 1 time 12.5"}), Lines{});  // of what function?
  EXPECT_EQ(facts_of({"AllReduce: 4096 Bytes -> Algo 0 proto 2 time 12.5"}),
            Lines{"path | AllReduce 4096 | TREE SIMPLE x1"});
}

TEST(Evidence, RegisteredBuffersAndWarnings) {
  EXPECT_EQ(
      facts_of({"rank 0 - IPC register buffer 0x7f size 64 (baseAddr 0x7 size 9) to peer 1",
                "rank 0 - IPC deregistered buffer 0x7f peer 1 ipc remote buffer 0x5",
                "rank 0 successfully registered NVLS sendbuff 0x1, recvbuff 0x2",
                "rank 0 failed to NET register userbuff 0x5 buffSize 64 GDR flag 0"}),
      (Lines{"note | registered buffers | IPC x1", "note | registered buffers | NET failed x1",
             "note | registered buffers | NVLS x1"}));
  EXPECT_EQ(
      read_text("\n[2026-01-02 03:04:05] node01:4100:4100 [0] net.cc:7 (f) NCCL WARN Call to "
                "ibv_modify_qp failed comm 0x7fab\n"),
      Lines{"note | warning | Call to ibv_modify_qp failed comm 0x.. x1"});
}

TEST(Evidence, RanksAreCountedHoweverOftenTheySpeak) {
  const std::string message = "NCCL_IB_TC set by environment to 106.";
  const std::string proxy = "node01:4100:4188 [0] ";      // another thread of rank 0
  const std::string elsewhere = "node02:4100:4100 [0] ";  // the same process number
  EXPECT_EQ(read_text(info(message) + info(message, proxy) + info(message, kRank1) + info(message)),
            Lines{"variable | NCCL_IB_TC | 106 x2"});
  EXPECT_EQ(read_text(info(message) + info(message, elsewhere)),
            Lines{"variable | NCCL_IB_TC | 106 x2"});
  EXPECT_EQ(read_text(info(message) + info("NCCL_IB_TC set by environment to 0.", kRank1)),
            (Lines{"variable | NCCL_IB_TC | 0 x1", "variable | NCCL_IB_TC | 106 x1"}));
}

TEST(Evidence, WhatStandsBeforeTheMessageDoesNotMatter) {
  const Lines expected{"network | network | IB x2"};
  const std::string text = info("Using network IB") + info("Using network IB", kRank1);
  EXPECT_EQ(read_text(text), expected);
  EXPECT_EQ(read_text(text + "   20.94   50.08       0" + info("Using network IB", kRank1)),
            expected);
  EXPECT_EQ(read_text(text + "0: \x1b[1;32m" + info("Using network IB", kRank1)), expected);
  EXPECT_EQ(read_text(text + "[1,0]<stdout>:" + info("Using network IB", kRank1)), expected);
  EXPECT_EQ(read_text(text + "[2026-01-02 03:04:05] " + info("Using network IB")), expected);
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read_text(crlf), expected);
}

TEST(Evidence, TornAndCutLinesGiveNoHalfValues) {
  const std::string whole = info("NCCL_IB_TC set by environment to 106.");
  const std::string torn = whole.substr(0, whole.find("06."));
  EXPECT_EQ(read_text(torn), Lines{});  // the end of a log of a killed process
  EXPECT_EQ(read_text(torn + info("Using network IB", kRank1)), Lines{"network | network | IB x1"});
  std::string devices = "NET/IB : Using";
  for (int i = 0; devices.size() < 2000; ++i) {
    devices += fmt::format(" [{}]mlx5_bond_{}:1/RoCE", i, i);
  }
  const Lines facts = read_text(info(devices).substr(0, 1023) + "\n");
  EXPECT_EQ(facts.size(), 41U);  // of the 42nd only " [41]mlx5_bond_" fits
  for (const std::string& fact : facts) EXPECT_TRUE(fact.ends_with(":1 | RoCE x1")) << fact;
  const std::string list = info("NCCL_IB_HCA set to " + std::string(2000, 'm'));
  const Lines cut = read_text(list.substr(0, 1023) + "\n");
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_TRUE(cut[0].ends_with("mmm... x1")) << cut[0];
}

TEST(Evidence, NoiseNeverThrowsAndDoesNotHideTheRest) {
  std::mt19937 random(7);
  const std::string good = shipped_log("evidence_socket_4x2.log.gz");
  for (int round = 0; round < 300; ++round) {
    std::string text = good.substr(0, 20000);
    for (int i = 0; i < 200; ++i) text[random() % text.size()] = static_cast<char>(random());
    const std::size_t from = random() % text.size();
    text.erase(from, random() % 50);
    const Lines facts = read_text(text + "\n" + info("Using network IBext_v8"));
    EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), [](const std::string& fact) {
      return fact.starts_with("network | network | IBext_v8");
    }));
  }
  for (const std::string damaged :
       {"Channel 99999999999999999999/0 : 0[0] -> 1[1] via SHM", "Channel 0/x : -> via ",
        "AllReduce: 5 Bytes -> Algo RING proto LL channel{Lo..Hi}={-2147483648..2147483647}",
        "AllReduce: 99999999999999999999 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}",
        " Bytes -> ", "AllGather: 8 Bytes -> Algo 9 proto 9 time 1", "NET/IB: [",
        "NET/IB : Using [", "Comm config ", "Comm config x", "/Plugin: ", "rank 1",
        "=== System : ", "comm 0x"}) {
    EXPECT_EQ(facts_of({damaged}), Lines{}) << damaged;
  }
}

TEST(LaunchedPath, TextAndPathAreTheSame) {
  for (const LaunchedPath& path : {LaunchedPath{PathKind::channels, "RING", "LL128", 24},
                                   LaunchedPath{PathKind::channels, "TREE", "LL", 1},
                                   LaunchedPath{PathKind::channels, "NVLS", "SIMPLE", 0},
                                   LaunchedPath{PathKind::symmetric, "AllGather_ST", "", 32},
                                   LaunchedPath{PathKind::copy_engine, "", "", 0}}) {
    EXPECT_EQ(parse_launched_path(to_string(path)), path) << to_string(path);
  }
}

TEST(LaunchedPath, TheSubjectCountsOneRanksShareAsTheLogDoes) {
  Case what;
  what.size = Bytes{1 << 20};
  what.group_size = 2;
  what.dtype = DataType::bfloat16;
  EXPECT_EQ(path_subject(what), "AllGather 524288");
  what.collective = Collective::reduce_scatter;
  EXPECT_EQ(path_subject(what), "ReduceScatter 524288");
  what.collective = Collective::all_reduce;
  EXPECT_EQ(path_subject(what), "AllReduce 1048576");
  what.collective = Collective::broadcast;
  EXPECT_EQ(path_subject(what), "Broadcast 1048576");
}

}  // namespace
}  // namespace nccl_sweep::test
