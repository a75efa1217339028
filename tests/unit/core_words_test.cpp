// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/case.hpp"
#include "core/collective.hpp"
#include "core/error.hpp"
#include "core/units.hpp"

namespace nccl_sweep {
namespace {

TEST(Units, SizesAreBinaryAsInNcclTests) {
  EXPECT_EQ(parse_size("8").value, 8);
  EXPECT_EQ(parse_size("64K").value, 65536);
  EXPECT_EQ(parse_size("1.5G").value, 1610612736);
  EXPECT_EQ(parse_size("2MiB").value, 2097152);
  EXPECT_EQ(parse_size("1T").value, std::int64_t{1} << 40);
}

TEST(Units, AmbiguousOrBrokenSizesAreRefused) {
  for (const char* text : {"", "64KB", "1e6", "-1", "12X", "K", "0x10", "9999999T"}) {
    EXPECT_THROW(parse_size(text), Error) << text;
  }
}

TEST(Units, ExactSizesAreReadBack) {
  for (const std::int64_t size : {1LL, 1000LL, 1024LL, 25192448LL, 1LL << 30, 5LL << 40}) {
    EXPECT_EQ(parse_size(format_size_exact(Bytes{size})).value, size);
  }
}

TEST(Units, DurationsHaveUnits) {
  EXPECT_DOUBLE_EQ(parse_duration("30m").count(), 1800);
  EXPECT_DOUBLE_EQ(parse_duration("90").count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("250ms").count(), 0.25);
  EXPECT_THROW(parse_duration("soon"), Error);
  EXPECT_THROW(parse_duration("3 days"), Error);
}

TEST(Collectives, BusbwFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::reduce_scatter, 2), 0.5);
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::alltoall, 4), 0.75);
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::broadcast, 4), 1);
  EXPECT_DOUBLE_EQ(busbw_factor(Collective::sendrecv, 4), 1);
}

TEST(Collectives, ARowOfNcclTestsIsReproduced) {
  // nccl-tests 2.19.6 on 2 GPUs printed: 67108864 B all_gather, 157.60 us, 425.82, 212.91.
  const Seconds time{157.60e-6};
  EXPECT_NEAR(algorithm_bandwidth(Bytes{67108864}, time).bytes_per_second / 1e9, 425.82, 0.01);
  EXPECT_NEAR(
      bus_bandwidth(Collective::all_gather, Bytes{67108864}, 2, time).bytes_per_second / 1e9,
      212.91, 0.01);
}

TEST(Collectives, SharesAreRoundedDownToSixteenBytes) {
  const CaseSize exact = nccl_tests_size(Collective::all_gather, DataType::float32, Bytes{65536}, 2);
  EXPECT_EQ(exact.size.value, 65536);
  EXPECT_EQ(exact.count_column, 8192);
  EXPECT_EQ(exact.elements, 16384);
  const CaseSize six =
      nccl_tests_size(Collective::all_gather, DataType::float32, Bytes{33554432}, 6);
  EXPECT_EQ(six.size.value, 33554400);  // seen in logs of 6 ranks
  EXPECT_EQ(nccl_tests_size(Collective::reduce_scatter, DataType::float32, Bytes{4096}, 512)
                .size.value,
            0);
  EXPECT_EQ(
      nccl_tests_size(Collective::all_reduce, DataType::float32, Bytes{1023}, 512).size.value,
      1020);
}

TEST(Words, NcclTestsWordsAreTakenAndOursArePrinted) {
  EXPECT_EQ(to_string(parse_data_type("float")), "float32");
  EXPECT_EQ(to_string(parse_data_type("half")), "float16");
  EXPECT_EQ(to_string(parse_data_type("f8e4m3")), "float8e4m3");
  EXPECT_EQ(parse_collective("all_gather_perf"), Collective::all_gather);
  try {
    parse_collective("all_gater", "spec.json:3");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "spec.json:3");
    EXPECT_EQ(error.hint(), "did you mean 'all_gather'?");
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
  }
}

TEST(Groups, TextsAreReadBack) {
  for (const char* text : {"world", "node", "rail", "1/8", "8/4"}) {
    EXPECT_EQ(to_string(parse_group(text)), text);
  }
  for (const char* text : {"", "rails", "0/4", "4/", "/", "2/x", "-1/2"}) {
    EXPECT_THROW(parse_group(text), Error) << text;
  }
}

TEST(Groups, EveryShapePartitionsTheWorld) {
  const std::vector<int> two_nodes{0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_EQ(partition_world(parse_group("world"), two_nodes),
            (Partition{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(partition_world(parse_group("node"), two_nodes),
            (Partition{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(partition_world(parse_group("rail"), two_nodes),
            (Partition{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(partition_world(parse_group("1/2"), two_nodes),
            (Partition{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(partition_world(parse_group("2/4"), two_nodes),
            (Partition{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(Groups, CountsThatDoNotDivideAreRefused) {
  EXPECT_THROW(partition_world(parse_group("1/3"), {0, 0, 0, 0}), Error);
  EXPECT_THROW(partition_world(parse_group("node"), {0, 0, 1}), Error);
}

}  // namespace
}  // namespace nccl_sweep
