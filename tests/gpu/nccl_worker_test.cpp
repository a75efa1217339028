// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The nccl backend in real worker processes, one per GPU of this machine (up to four).
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "process/worker_fixture.hpp"

namespace nccl_sweep::testing {
namespace {

int gpus() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? std::min(devices, 4) : 0;
}

void expect_right(const wire::Request& request, int ranks) {
  // NVLink multicast is not needed here, and cannot be had in every container.
  WorkerGroup group(ranks, {{"NCCL_NVLS_ENABLE", "0"}});
  for (const wire::Result& result : group.run(request, 100)) {
    for (const wire::CaseBlocks& got : result.cases) {
      const auto& asked = request.cases[static_cast<std::size_t>(got.case_index)];
      EXPECT_EQ(got.wrong_elements, 0) << describe(asked.what) << ": " << got.first_wrong;
      for (double seconds : got.seconds_per_op) EXPECT_GT(seconds, 0);
    }
  }
}

// Those made of sends and receives come last: NCCL 2.28 hangs in a broadcast that follows an
// alltoall on one communicator with windows.
constexpr Collective kCollectives[] = {
    Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
    Collective::broadcast,  Collective::reduce,         Collective::gather,
    Collective::scatter,    Collective::alltoall,       Collective::sendrecv};

bool has_in_place(Collective c) { return c != Collective::alltoall && c != Collective::sendrecv; }

TEST(NcclWorkers, GetRightDataFromEveryCollectiveAtEverySizeInBothPlacements) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  for (Collective collective : kCollectives) {
    for (Placement placement : {Placement::out_of_place, Placement::in_place}) {
      if (placement == Placement::in_place && !has_in_place(collective)) continue;
      for (std::int64_t bytes : {1024, 99996, 1 << 20, 33333332}) {
        request.cases.push_back(
            make_case(collective, DataType::bfloat16, ReduceOp::sum, bytes, ranks, placement));
      }
    }
  }
  expect_right(request, ranks);
}

class NcclBuffers : public ::testing::TestWithParam<const char*> {};

TEST_P(NcclBuffers, GiveRightDataFromEveryCollective) {
  const int ranks = gpus();
  if (ranks < 2) GTEST_SKIP() << "fewer than 2 GPUs";
  wire::Request request = make_request("nccl");
  request.knobs["buffer"] = GetParam();
  for (Collective collective : kCollectives) {
    for (std::int64_t bytes : {98304, 33554432}) {
      request.cases.push_back(
          make_case(collective, DataType::float32, ReduceOp::sum, bytes, ranks));
    }
  }
  expect_right(request, ranks);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NcclBuffers,
                         ::testing::Values("plain", "memalloc", "registered", "symmetric"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(NcclWorkers, ReplayGraphsOnACommunicatorOfTheirOwn) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  request.partitions = {{all}, {all}};
  for (Placement placement : {Placement::out_of_place, Placement::in_place}) {
    for (std::int64_t bytes : {65536, 4 << 20, 128 << 20}) {
      auto item = make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, bytes, ranks,
                            placement);
      item.what.graph = true;
      item.partition = 1;
      request.cases.push_back(item);
    }
  }
  expect_right(request, ranks);
}

TEST(NcclWorkers, TimeByTheDevicesClockToo) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  request.cases = {
      make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, 64 << 20, ranks)};
  WorkerGroup group(ranks, {{"NCCL_NVLS_ENABLE", "0"}});
  for (const wire::Result& result : group.run(request, 100)) {
    const wire::CaseBlocks& got = result.cases.at(0);
    EXPECT_EQ(got.device_seconds_per_op.size(), got.seconds_per_op.size());
    for (double seconds : got.device_seconds_per_op) EXPECT_GT(seconds, 0);
    EXPECT_GT(result.device_bytes, 0);
  }
}

TEST(NcclWorkers, TimeALoadBesideTheCollective) {
  const int ranks = gpus();
  if (ranks < 2) GTEST_SKIP() << "fewer than 2 GPUs";
  for (const char* kind : {"fma", "copy"}) {
    SCOPED_TRACE(kind);
    wire::Request request = make_request("nccl");
    request.load = kind;
    request.cases = {
        make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, 64 << 20, ranks)};
    WorkerGroup group(ranks, {{"NCCL_NVLS_ENABLE", "0"}});
    for (const wire::Result& result : group.run(request, 100)) {
      EXPECT_TRUE(result.cases.at(0).seconds_per_op.empty());
      EXPECT_GT(result.cases.at(0).load_alone_seconds, 0);
      EXPECT_GT(result.cases.at(0).load_beside_seconds, 0);
    }
  }
}

TEST(NcclWorkers, RefuseAKindOfBufferThatIsNone) {
  if (gpus() == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  request.knobs["buffer"] = "enchanted";
  request.cases = {make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, 1024, 1)};
  WorkerGroup group(1, {{"NCCL_NVLS_ENABLE", "0"}});
  group.send_request(request);
  EXPECT_EQ(group.expect<wire::Failed>(0).kind, "unsupported");
}

TEST(NcclWorkers, ReduceEveryTypeWithEveryOp) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  for (int type = 0; type <= static_cast<int>(DataType::float8e5m2); ++type) {
    for (ReduceOp op :
         {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg}) {
      request.cases.push_back(
          make_case(Collective::all_reduce, static_cast<DataType>(type), op, 200000, ranks));
    }
  }
  expect_right(request, ranks);
}

TEST(NcclWorkers, AgreeOnOneNumberOfOpsInTheBurnIn) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  auto item = make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, 1 << 20, ranks);
  item.ops_per_block = item.blocks = item.warmup_ops = 0;
  request.cases = {item};
  WorkerGroup group(ranks, {{"NCCL_NVLS_ENABLE", "0"}});
  const auto results = group.run(request, 100);
  for (const wire::Result& result : results) {
    EXPECT_EQ(result.cases[0].ops_per_block, results[0].cases[0].ops_per_block);
    EXPECT_EQ(result.cases[0].warmup_ops, results[0].cases[0].warmup_ops);
  }
}

}  // namespace
}  // namespace nccl_sweep::testing
