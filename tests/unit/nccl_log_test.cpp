// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "small_traces.hpp"
#include "workload/nccl_log_line.hpp"

namespace nccl_sweep::test {
namespace {

struct Call {
  std::string function = "AllReduce";
  std::int64_t count = 256;
  int root = 0;
  int ranks = 2;
  std::string comm = "0xa0";
  std::string prefix = "host:10:10 [0] ";
  int datatype = 7;
};

std::string line(const Call& it) {
  return fmt::format(
      "{}NCCL INFO {}: opCount 0 sendbuff 0x1 recvbuff 0x2 count {} datatype {} op 0 root {} comm "
      "{} [nranks={}] stream (nil)\n",
      it.prefix, it.function, it.count, it.datatype, it.root, it.comm, it.ranks);
}

std::string init(const std::string& comm, int rank, int ranks, const std::string& id,
                 const std::string& prefix, int device = 0) {
  return fmt::format(
      "{}NCCL INFO ncclCommInitRankConfig comm {} rank {} nranks {} cudaDev {} nvmlDev 0 busId 60 "
      "commId {} - Init COMPLETE\n",
      prefix, comm, rank, ranks, device, id);
}

std::vector<std::filesystem::path> shipped(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names) files.push_back(kData / "nccl-logs" / name);
  return files;
}

TEST(NcclLog, TheFsdp2LogHasTheTracesSizesAndTheRunsCounts) {
  const Workload workload = read_traces(shipped({"fsdp2_coll_rank0.log.gz"}), {});
  EXPECT_EQ(lines_of(workload),
            (Lines{"all_gather bfloat16 25192448 x2/0 60", "all_reduce float32 4 x2/0 6",
                   "reduce_scatter bfloat16 25192448 x2/0 30"}));
  EXPECT_EQ(workload.iterations, 0);
  EXPECT_TRUE(has_note(workload, "whole run"));
  EXPECT_EQ(workload.sources.at(0).producer, "NCCL 2.28.9+cuda13.0");
  EXPECT_EQ(workload.cases.at(1).op, ReduceOp::avg);
}

TEST(NcclLog, TwoLogsOfOneJobAreNotAddedUp) {
  const Workload both =
      read_traces(shipped({"fsdp2_coll_rank0.log.gz", "fsdp2_coll_rank1.log.gz"}), {});
  EXPECT_EQ(lines_of(both), lines_of(read_traces(shipped({"fsdp2_coll_rank0.log.gz"}), {})));
}

TEST(NcclLog, ItersDividesTheCounts) {
  const Workload workload = read_traces(shipped({"fsdp2_coll_rank0.log.gz"}), {.iterations = 5});
  EXPECT_EQ(lines_of(workload).front(), "all_gather bfloat16 25192448 x2/0 12");
  EXPECT_EQ(workload.iterations, 5);
}

TEST(NcclLog, TheMoeLogFusesSendsAndReceivesIntoItsAlltoalls) {
  const Workload workload = read_traces(shipped({"moe_nccl_rank0.log.gz"}), {.iterations = 6});
  EXPECT_EQ(lines_of(workload),
            (Lines{"all_gather bfloat16 8388608 x2/1 6", "all_gather uint8 4194304 x2/1 3",
                   "all_reduce float32 4 x2/1 1.16667", "all_reduce float32 4000 x2/1 4",
                   "alltoall bfloat16 4194304 x2/1 6", "broadcast bfloat16 8388608 x2/1 1",
                   "reduce_scatter bfloat16 8388608 x2/1 3",
                   "reduce_scatter float32 16777216 x2/1 3", "sendrecv bfloat16 4194304 x2/1 1"}));
  EXPECT_EQ(workload.world_size, 2);
  EXPECT_EQ(workload.sources.at(0).rank, 0);
}

TEST(NcclLog, RanksInterleavedInOneFileAreNotAddedUp) {
  // 42 lines of two ranks, the benchmark's table between them.
  const Workload workload = read_traces(shipped({"evidence_socket_4x2.log.gz"}), {});
  double calls = 0;
  for (const WorkloadCase& it : workload.cases) calls += it.calls;
  EXPECT_EQ(calls, 21);
  EXPECT_TRUE(has_note(workload, "2 ranks in one log"));
}

TEST(NcclLog, OneProcessWithTwoGpusIsTwoRanks) {
  const std::string gpu0 = "host:10:11 [0] ";
  const std::string gpu1 = "host:10:12 [1] ";
  const std::string text = init("0xa0", 0, 2, "0x1f", gpu0) + init("0xb0", 1, 2, "0x1f", gpu1, 1) +
                           line({.comm = "0xa0", .prefix = gpu0}) +
                           line({.comm = "0xb0", .prefix = gpu1});
  EXPECT_EQ(lines_of(import_text(text)), Lines{"all_reduce float32 1024 x2/1 1"});
}

TEST(NcclLog, CommunicatorsOfOneRankAreAddedUp) {
  const std::string rank0 = "host:10:10 [0] ";
  const std::string rank1 = "host:20:20 [1] ";
  std::string text;
  for (const std::string id : {"0x1", "0x2"}) {
    text +=
        init("0xa" + id.substr(2), 0, 2, id, rank0) + init("0xb" + id.substr(2), 1, 2, id, rank1);
    text += line({.comm = "0xa" + id.substr(2), .prefix = rank0});
    text += line({.comm = "0xb" + id.substr(2), .prefix = rank1});
  }
  EXPECT_EQ(lines_of(import_text(text)), Lines{"all_reduce float32 1024 x2/1 2"});
}

TEST(NcclLog, CountsPerRankBecomeTotals) {
  const std::string text = line({.function = "AllGather", .ranks = 8}) +
                           line({.function = "ReduceScatter", .ranks = 8}) +
                           line({.function = "AlltoAll", .ranks = 8}) +
                           line({.function = "Broadcast", .ranks = 8});
  EXPECT_EQ(lines_of(import_text(text)),
            (Lines{"all_gather float32 8192 x8/0 1", "alltoall float32 8192 x8/0 1",
                   "broadcast float32 1024 x8/0 1", "reduce_scatter float32 8192 x8/0 1"}));
}

TEST(NcclLog, SendsAndReceivesOfAllPeersAreAnAlltoall) {
  std::string text;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int peer = 0; peer < 4; ++peer) {
      text += line({.function = "Send", .root = peer, .ranks = 4});
      text += line({.function = "Recv", .root = peer, .ranks = 4});
    }
  }
  EXPECT_EQ(lines_of(import_text(text)), Lines{"alltoall float32 4096 x4/0 2"});
}

TEST(NcclLog, AnUnevenAlltoallHasItsLargerSideAndANote) {
  std::string text;
  for (int peer = 0; peer < 2; ++peer) {
    text += line({.function = "Send", .count = 100 + 100 * peer, .root = peer});
    text += line({.function = "Recv", .count = 100, .root = peer});
  }
  const Workload workload = import_text(text);
  EXPECT_EQ(lines_of(workload), Lines{"alltoall float32 1200 x2/0 1"});
  EXPECT_TRUE(has_note(workload, "uneven alltoall"));
}

TEST(NcclLog, APairOfSendAndRecvIsOneSendrecv) {
  const std::string text = line({.function = "Send", .root = 1, .ranks = 4}) +
                           line({.function = "Recv", .root = 3, .ranks = 4}) + line({.ranks = 4}) +
                           line({.function = "Send", .root = 1, .ranks = 4});
  EXPECT_EQ(lines_of(import_text(text)),
            (Lines{"all_reduce float32 1024 x4/0 1", "sendrecv float32 1024 x4/0 2"}));
}

TEST(NcclLog, WhateverALauncherPutsInFrontIsTolerated) {
  for (const std::string prefix :
       {"2: host:10:10 [0] ", "[1,3]<stdout>:host:10:10 [0] ", "(RayWorker pid=7) host:10:10 [0] ",
        "2026-01-01T00:00:00Z stdout F host:10:10 [0] ", "[rank3]: host:10:10 [0] ",
        "[2026-01-01 00:00:00] host:10:10 [0] ", "      0host:10:10 [0] ", "host:10:10 ", ""}) {
    EXPECT_EQ(lines_of(import_text("epoch 1 loss 2.0\n" + line({.prefix = prefix}))),
              Lines{"all_reduce float32 1024 x2/0 1"})
        << prefix;
  }
}

TEST(NcclLog, ALogThatBeginsWithJsonIsALog) {
  EXPECT_EQ(lines_of(import_text("{\"lr\": 0.1}\nprofiled with Nsight Systems\n" + line({}))),
            Lines{"all_reduce float32 1024 x2/0 1"});
}

TEST(NcclLog, WindowsLineEndsAndAMissingLastOneAreFine) {
  std::string text = line({}) + line({});
  replace_all(text, "\n", "\r\n");
  text.resize(text.size() - 2);
  EXPECT_EQ(lines_of(import_text(text)), Lines{"all_reduce float32 1024 x2/0 2"});
}

TEST(NcclLog, TwoRecordsOnOneLineAreBothRead) {
  std::string text = line({}) + line({});
  text.erase(text.find('\n'), 1);
  EXPECT_EQ(lines_of(import_text(text)), Lines{"all_reduce float32 1024 x2/0 2"});
}

TEST(NcclLog, GarbledLinesAreCountedAndSaid) {
  const std::string whole = line({});
  const std::string cut = whole.substr(0, whole.find("comm 0x")) + "\n";
  const std::string headless = whole.substr(whole.find(": opCount") - 4);
  const Workload workload = import_text(whole + cut + headless);
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/0 1"});
  EXPECT_TRUE(has_note(workload, "garbled COLL lines: 2"));
}

TEST(NcclLog, AReusedPointerIsAnotherCommunicator) {
  const std::string prefix = "host:10:10 [0] ";
  const std::string text = init("0xa0", 0, 2, "0x1", prefix) + line({}) +
                           init("0xa0", 0, 4, "0x2", prefix) + line({.ranks = 4});
  EXPECT_EQ(lines_of(import_text(text)),
            (Lines{"all_reduce float32 1024 x2/0 1", "all_reduce float32 1024 x4/1 1"}));
}

TEST(NcclLog, UnknownTypesAndOperationsAreSaid) {
  const Workload workload = import_text(line({}) + line({.datatype = 42}) +
                                        line({.function = "PutSignal"}) + line({.ranks = 1}));
  EXPECT_EQ(workload.cases.size(), 1U);
  EXPECT_TRUE(has_note(workload, "unknown datatype 42: 1"));
  EXPECT_TRUE(has_note(workload, "unknown operation 'PutSignal': 1"));
  EXPECT_TRUE(has_note(workload, "calls in groups of one rank: 1"));
}

TEST(NcclLog, ALogWithoutCollectivesSaysHowToGetThem) {
  const Folder folder;
  const auto file = folder.write("log", "host:1:1 [0] NCCL INFO NET/IB : No device found.\n");
  EXPECT_NE(import_error(file).find("NCCL_DEBUG_SUBSYS=INIT,COLL"), std::string::npos);
}

TEST(NcclLog, FieldsThatRcclAddsAreSkipped) {
  const LogLine parsed = parse_log_line(
      "h:1:2 [3] NCCL INFO AllReduce: opCount 1f sendbuff 0x1 recvbuff 0x2 acc (nil) count 12 "
      "datatype 9 op 0 root 0 comm 0xb [nranks=8] stream 0x3 task 0 globalrank 5");
  ASSERT_EQ(parsed.calls.size(), 1U);
  EXPECT_EQ(parsed.calls[0].count, 12);
  EXPECT_EQ(parsed.calls[0].comm, 0xbU);
  EXPECT_EQ(parsed.calls[0].ranks, 8);
  EXPECT_EQ(parsed.calls[0].process, 1);
  EXPECT_EQ(parsed.calls[0].thread, 2);
  EXPECT_EQ(parsed.calls[0].device, 3);
}

}  // namespace
}  // namespace nccl_sweep::test
