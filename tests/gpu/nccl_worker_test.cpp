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

TEST(NcclWorkers, GetRightDataAtEverySizeInBothPlacements) {
  const int ranks = gpus();
  if (ranks == 0) GTEST_SKIP() << "no GPU";
  wire::Request request = make_request("nccl");
  for (Collective collective :
       {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce}) {
    for (Placement placement : {Placement::out_of_place, Placement::in_place}) {
      for (std::int64_t bytes : {1024, 99996, 1 << 20, 33333332}) {
        request.cases.push_back(
            make_case(collective, DataType::bfloat16, ReduceOp::sum, bytes, ranks, placement));
      }
    }
  }
  expect_right(request, ranks);
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
