// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The host backend in real worker processes: right data at every size, type and placement.
#include <gtest/gtest.h>

#include "process/worker_fixture.hpp"

namespace nccl_sweep::testing {
namespace {

constexpr Collective kCollectives[] = {Collective::all_gather, Collective::reduce_scatter,
                                       Collective::all_reduce};
constexpr Placement kPlacements[] = {Placement::out_of_place, Placement::in_place};

void expect_right(WorkerGroup& group, const wire::Request& request) {
  const auto results = group.run(request);
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    ASSERT_EQ(results[rank].cases.size(), request.cases.size());
    EXPECT_GT(results[rank].peak_rss_bytes, 0);
    for (const wire::CaseBlocks& got : results[rank].cases) {
      const auto& asked = request.cases[static_cast<std::size_t>(got.case_index)];
      EXPECT_EQ(got.wrong_elements, 0)
          << describe(asked.what) << " rank " << rank << ": " << got.first_wrong;
      EXPECT_EQ(got.seconds_per_op.size(), static_cast<std::size_t>(asked.blocks));
      for (double seconds : got.seconds_per_op) EXPECT_GT(seconds, 0);
    }
  }
}

class HostWorkers : public ::testing::TestWithParam<int> {};

TEST_P(HostWorkers, GetRightDataAtEverySizeInBothPlacements) {
  const int ranks = GetParam();
  wire::Request request = make_request("host");
  for (Collective collective : kCollectives) {
    for (Placement placement : kPlacements) {
      // Tiny, odd, below and above one piece, not a multiple of ranks or pieces, several slots.
      for (std::int64_t bytes : {4 * ranks * 16, 12, 1000, 4100, 65536, 99996, 1 << 20, 3333332}) {
        auto item =
            make_case(collective, DataType::float32, ReduceOp::sum, bytes, ranks, placement);
        if (item.what.size.value > 0) request.cases.push_back(item);
      }
    }
  }
  request.knobs = {{"HOST_CHUNK_BYTES", "32K"}, {"HOST_STREAMS_PER_CONNECTION", "3"}};
  WorkerGroup group(ranks);
  expect_right(group, request);
}

TEST_P(HostWorkers, ReduceEveryTypeWithEveryOp) {
  const int ranks = GetParam();
  wire::Request request = make_request("host");
  for (int type = 0; type <= static_cast<int>(DataType::float8e5m2); ++type) {
    for (ReduceOp op :
         {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg}) {
      for (Placement placement : kPlacements) {
        for (Collective collective : {Collective::reduce_scatter, Collective::all_reduce}) {
          request.cases.push_back(
              make_case(collective, static_cast<DataType>(type), op, 20000, ranks, placement));
        }
      }
    }
  }
  request.knobs = {{"HOST_CHUNK_BYTES", "4K"}};
  WorkerGroup group(ranks);
  expect_right(group, request);
}

INSTANTIATE_TEST_SUITE_P(Ranks, HostWorkers, ::testing::Values(1, 2, 3, 4));

TEST(HostWorkers, GroupsOfAPartitionRunAtTheSameTime) {
  wire::Request request = make_request("host");
  request.partitions = {{{0, 1, 2, 3}}, {{0, 2}, {1, 3}}, {{0}, {1}, {2}, {3}}};
  for (int partition : {1, 0, 2}) {
    const int ranks =
        static_cast<int>(request.partitions[static_cast<std::size_t>(partition)][0].size());
    auto item = make_case(Collective::all_reduce, DataType::bfloat16, ReduceOp::sum, 40000, ranks);
    item.partition = partition;
    request.cases.push_back(item);
  }
  WorkerGroup group(4);
  expect_right(group, request);
}

TEST(HostWorkers, AgreeOnOneNumberOfOpsInTheBurnIn) {
  wire::Request request = make_request("host");
  for (std::int64_t bytes : {1 << 10, 1 << 22}) {
    auto item = make_case(Collective::all_gather, DataType::float32, ReduceOp::sum, bytes, 2);
    item.ops_per_block = item.blocks = item.warmup_ops = 0;
    request.cases.push_back(item);
  }
  WorkerGroup group(2);
  const auto results = group.run(request);
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    const auto& a = results[0].cases[i];
    const auto& b = results[1].cases[i];
    EXPECT_EQ(a.ops_per_block, b.ops_per_block);
    EXPECT_EQ(a.warmup_ops, b.warmup_ops);
    EXPECT_EQ(a.seconds_per_op.size(), b.seconds_per_op.size());
    EXPECT_GE(a.ops_per_block, 4);
    EXPECT_GE(a.warmup_ops, 5);
    EXPECT_GE(a.seconds_per_op.size(), 5u);
    EXPECT_GT(a.wall_seconds, 0);
    EXPECT_GT(a.cpu_seconds, 0);
  }
}

TEST(HostWorkers, TimeOneBlockOfNOpsInParityMode) {
  wire::Request request = make_request("host");
  request.parity_iters = 20;
  request.cases = {make_case(Collective::all_gather, DataType::float32, ReduceOp::sum, 4096, 2)};
  WorkerGroup group(2);
  const auto results = group.run(request);
  EXPECT_EQ(results[0].cases[0].seconds_per_op.size(), 1u);
  EXPECT_EQ(results[0].cases[0].ops_per_block, 20);
}

TEST(HostWorkers, SayWhichCollectiveIsNotThere) {
  wire::Request request = make_request("host");
  request.cases = {make_case(Collective::alltoall, DataType::float32, ReduceOp::sum, 4096, 2)};
  WorkerGroup group(2);
  group.connect(request);
  group.start_measuring();
  const auto failed = group.expect<wire::Failed>(0);
  EXPECT_EQ(failed.kind, "unsupported");
  EXPECT_NE(failed.message.find("alltoall"), std::string::npos);
  EXPECT_EQ(failed.case_index, 0);
  EXPECT_EQ(WEXITSTATUS(group.wait_exit(0)), 1);
}

TEST(HostWorkers, NameAKnobWithABadValue) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"HOST_STREAMS_PER_CONNECTION", "four"},
                                          {"HOST_CHUNK_BYTES", "1"},
                                          {"HOST_INTERFACE", "no-such-interface"}}) {
    wire::Request request = make_request("host");
    request.knobs = {{name, value}};
    WorkerGroup group(2);
    group.send_request(request);
    const auto failed = group.expect<wire::Failed>(0);
    EXPECT_EQ(failed.kind, "error");
    EXPECT_NE(failed.message.find(name), std::string::npos) << failed.message;
  }
}

TEST(HostWorkers, TakeKnobsFromTheEnvironmentToo) {
  WorkerGroup group(1, {{"HOST_STREAMS_PER_CONNECTION", "1000"}});
  group.send_request(make_request("host"));
  EXPECT_NE(group.expect<wire::Failed>(0).message.find("1000"), std::string::npos);
}

}  // namespace
}  // namespace nccl_sweep::testing
