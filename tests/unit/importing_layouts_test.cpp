// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of every layout that nccl-tests and rccl-tests have printed since 2018. Values are invented.
#include "importing/table_row.hpp"
#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

TableLayout layout_of(std::string_view header, std::string_view banner = "out-of-place in-place") {
  TableLayout layout;
  EXPECT_TRUE(read_header(header, layout)) << header;
  read_banner(banner, layout);
  return layout;
}

// Both with the header above it and, where that can be done, without.
std::vector<std::string> read(std::string_view row, const TableLayout& layout = {}) {
  const TableRow found = read_row(row, layout);
  EXPECT_EQ(found.kind, TableRow::Kind::whole) << row;
  std::vector<std::string> lines;
  for (const ImportedTiming& timing : found.timings) lines.push_back(described(timing));
  return lines;
}

using Lines = std::vector<std::string>;

constexpr std::string_view kCurrent =
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time   algbw   busbw  #wrong ";

TEST(TableLayouts, Version1IsInMilliseconds) {
  const TableLayout layout = layout_of(
      "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  "
      "busbw      res");
  EXPECT_EQ(read("     1048576        262144   float     sum    0.112   9.36  16.38    2e-06    "
                 "0.113   9.36  16.38    2e-06",
                 layout),
            (Lines{"1048576 262144 float32 sum out_of_place 112.027 9.36 16.38 -1",
                   "1048576 262144 float32 sum in_place 113 9.36 16.38 -1"}));
}

TEST(TableLayouts, Version1BroadcastHasOnePlacement) {
  const TableLayout layout =
      layout_of("#      bytes             N    type    root     time  algbw  busbw      res",
                "#   out-of-place");
  EXPECT_EQ(
      read("     1048576        262144   float       0    0.112   9.36   9.36      N/A", layout),
      (Lines{"1048576 262144 float32 sum out_of_place 112.027 9.36 9.36 -1"}));
}

TEST(TableLayouts, Version2HasItsOwnColumnsForEachCollective) {
  const std::string values = "time   algbw   busbw  error";
  const TableLayout reduce = layout_of("# size count type redop " + values + " " + values);
  const TableLayout gather = layout_of("# size count type " + values + " " + values);
  const TableLayout rooted = layout_of("# size count type redop root " + values + " " + values);
  const std::string row_of_reduce =
      " 1048576 262144 float sum 112.0 9.36 16.38 5e-07 113.0 9.36 16.38 5e-07";
  EXPECT_EQ(read(row_of_reduce, reduce),
            (Lines{"1048576 262144 float32 sum out_of_place 112 9.36 16.38 -1",
                   "1048576 262144 float32 sum in_place 113 9.36 16.38 -1"}));
  EXPECT_EQ(read(row_of_reduce)[1].substr(0, 44), "1048576 262144 float32 sum in_place 113 9.36");
  const std::string row_of_gather = " 1048576 32768 float 112.0 9.36 8.19 N/A 113.0 9.36 8.19 N/A";
  EXPECT_EQ(read(row_of_gather, gather),
            (Lines{"1048576 32768 float32 sum out_of_place 112 9.36 8.19 -1",
                   "1048576 32768 float32 sum in_place 113 9.36 8.19 -1"}));
  EXPECT_EQ(read(row_of_gather), read(row_of_gather, gather));
  EXPECT_EQ(read(" 1048576 262144 float max 0 112.0 9.36 9.36 0e+00 113.0 9.36 9.36 0e+00", rooted),
            (Lines{"1048576 262144 float32 max out_of_place 112 9.36 9.36 -1",
                   "1048576 262144 float32 max in_place 113 9.36 9.36 -1"}));
}

TEST(TableLayouts, AnEmptyRedopTakesNoColumn) {  // 2.13.0 to 2.13.3, hypercube until today
  const std::string row =
      "     1048576         32768     float              -1    112.0    9.36    8.19      0    "
      "113.0    9.36    8.19      2";
  const Lines expected{"1048576 32768 float32 sum out_of_place 112 9.36 8.19 0",
                       "1048576 32768 float32 sum in_place 113 9.36 8.19 2"};
  EXPECT_EQ(read(row, layout_of(kCurrent)), expected);
  EXPECT_EQ(read(row), expected);
}

TEST(TableLayouts, CurrentRows) {
  const TableLayout layout = layout_of(kCurrent);
  EXPECT_EQ(
      read("     1048576        262144  bfloat16     sum      -1   112.04    9.36   16.38       "
           "0   113.04    9.36   16.38       0",
           layout),
      (Lines{"1048576 262144 bfloat16 sum out_of_place 112.04 9.36 16.38 0",
             "1048576 262144 bfloat16 sum in_place 113.04 9.36 16.38 0"}));
  EXPECT_EQ(
      read("     1048576         32768     float    none      -1    112.0    9.36    8.19      0 "
           "   113.2    9.26    8.10    N/A",
           layout)
          .back(),
      "1048576 32768 float32 sum in_place 113.2 9.26 8.1 -1");
  EXPECT_EQ(
      read("           0             0     float    none      -1     5.12    0.00    0.00       "
           "0     5.12    0.00    0.00       0",
           layout)
          .front(),
      "0 0 float32 sum out_of_place 5.12 0 0 0");
}

TEST(TableLayouts, ALongTimeOfTwoDigitsIsTakenFromTheBandwidth) {
  const Lines lines = read(
      " 17179869184    2147483648    double     sum      -1  1.6e+07    1.09    1.91  1.67772e+07  "
      "1.7e+07    1.03    1.80    N/A",
      layout_of(kCurrent));
  EXPECT_EQ(lines, (Lines{"17179869184 2147483648 float64 sum out_of_place 1.57613e+07 1.09 1.91 "
                          "16777200",
                          "17179869184 2147483648 float64 sum in_place 1.66795e+07 1.03 1.8 -1"}));
}

TEST(TableLayouts, PerIterationColumnsAndTimeStampsArePassedOver) {
  const std::string header = std::string("# size count type redop root ") +
                             "time algbw busbw #wrong i_min i_max i_p99 i_cv% "
                             "time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp";
  const std::string row =
      " 1048576 262144 float sum -1 112.04 9.36 16.38 0 98.10 140.20 140.20 7.31 113.04 9.36 16.38 "
      "1 98.10 140.20 140.20 7.31 2026-07-10 09:15:02";
  const Lines expected{"1048576 262144 float32 sum out_of_place 112.04 9.36 16.38 0",
                       "1048576 262144 float32 sum in_place 113.04 9.36 16.38 1"};
  EXPECT_EQ(read(row, layout_of(header)), expected);
  EXPECT_EQ(read(row), expected);
}

TEST(TableLayouts, CpuTimeIsNotTheOperations) {
  const TableLayout layout = layout_of(
      "# size count type redop root cputime algbw busbw #wrong cputime algbw busbw #wrong");
  const TableRow row =
      read_row(" 104857600 26214400 float sum -1 3.10 100.00 175.00 0 3.10 0.00 0.00 0", layout);
  ASSERT_EQ(row.timings.size(), 1U);  // in place nothing tells the time
  EXPECT_NEAR(microseconds(row.timings.front()), 1048.576, 1e-6);
  EXPECT_TRUE(row.odd_number);
}

TEST(TableLayouts, RcclHasAColumnOfItsOwnAndMayLeaveOutOfPlaceOut) {
  const TableLayout one = layout_of(
      "#       size         count      type   redop    root     time   hipevt   algbw   busbw  "
      "#wrong  ",
      "#               in-place                 ");
  EXPECT_EQ(
      read("        1024           512  bfloat16     sum      -1     5.71     2.78    0.18    "
           "0.31       0",
           one),
      (Lines{"1024 512 bfloat16 sum in_place 5.71 0.18 0.31 0"}));
  const std::string blanks(32, ' ');
  EXPECT_EQ(read("     1048576        262144     float     sum      -1" + blanks +
                     "   113.04    9.36   16.38       0",
                 layout_of(kCurrent)),
            (Lines{"1048576 262144 float32 sum in_place 113.04 9.36 16.38 0"}));
}

TEST(TableLayouts, AnUnmeasuredPlacementIsNotThere) {
  EXPECT_EQ(
      read("     1048576        131072     float    none      -1   112.04    9.36    4.68       0 "
           "     N/A     N/A     N/A     N/A",
           layout_of(kCurrent)),
      (Lines{"1048576 131072 float32 sum out_of_place 112.04 9.36 4.68 0"}));
}

TEST(TableLayouts, WhatIsCutOffIsNoRowYet) {
  const TableLayout layout = layout_of(kCurrent);
  const std::string whole =
      "     1048576        262144     float     sum      -1   112.04    9.36   16.38       0   "
      "113.04 "
      "   9.36   16.38       0";
  for (std::size_t length = 43; length + 1 < whole.size(); ++length) {
    EXPECT_NE(read_row(whole.substr(0, length), layout).kind, TableRow::Kind::whole) << length;
  }
  EXPECT_EQ(read_row(whole, layout).kind, TableRow::Kind::whole);
}

TEST(TableLayouts, SentencesAndOtherTablesAreNoRows) {
  const TableLayout layout = layout_of(kCurrent);
  for (const std::string_view text :
       {"", "8", "it sent 8 16 float tensors to all",
        "1048576 262144 quaternion sum -1 1 2 3 4 5 6 7 8", "float float float",
        "-8 2 float sum -1 1 2 3 0 1 2 3 0", "node1:17:17 [0] NCCL INFO Channel 00/02 : 0 1"}) {
    EXPECT_EQ(read_row(text, layout).kind, TableRow::Kind::none) << text;
  }
  TableLayout none;
  EXPECT_FALSE(read_header("# size of the world: count type of time", none));
  EXPECT_FALSE(read_header("#", none));
}

}  // namespace
}  // namespace nccl_sweep::test
