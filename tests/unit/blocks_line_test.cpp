// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/blocks_line.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;

BlocksRecord a_record() {
  BlocksRecord record;
  record.order = {7, Stage::confirm, 3, 1};
  record.timing.case_index = 2;
  record.timing.ops_per_block = 20;
  record.timing.mean_seconds = {1.60433e-05, 0.25, 3, 1e-300};
  record.timing.max_seconds = {0.0001604406, 2};
  record.timing.slowest_rank = {-1, 0, 511};
  record.timing.wrong_elements = 9007199254740993;
  record.timing.cpu_seconds = 1.0 / 3;
  return record;
}

// The library's text of the same values, which it sorts by key as well.
std::string of_the_library(const std::string& line) { return json::parse(line).dump(); }

TEST(BlocksLine, IsTheLibrarysJson) {
  BlocksRecord record = a_record();
  EXPECT_EQ(blocks_line(record), of_the_library(blocks_line(record)));
  record.timing.device_seconds = {1e-5};
  record.timing.load_alone_seconds = 1.5;
  record.timing.load_beside_seconds = 2.5;
  EXPECT_EQ(blocks_line(record), of_the_library(blocks_line(record)));
  const json parsed = json::parse(blocks_line(record));
  EXPECT_TRUE(parsed["max_seconds"][1].is_number_float()) << "a whole number of seconds stays real";
  EXPECT_EQ(parsed["stage"], "confirm");
  EXPECT_EQ(parsed["trial"], 7);
}

TEST(BlocksLine, ReadsBackEveryDigit) {
  BlocksRecord record = a_record();
  record.timing.device_seconds = {1.0 / 7};
  const auto back = read_blocks_line(blocks_line(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->order, record.order);
  EXPECT_EQ(back->timing.case_index, 2);
  EXPECT_EQ(back->timing.ops_per_block, 20);
  EXPECT_EQ(back->timing.mean_seconds, record.timing.mean_seconds);
  EXPECT_EQ(back->timing.max_seconds, record.timing.max_seconds);
  EXPECT_EQ(back->timing.slowest_rank, record.timing.slowest_rank);
  EXPECT_EQ(back->timing.wrong_elements, record.timing.wrong_elements);
  EXPECT_EQ(back->timing.cpu_seconds, record.timing.cpu_seconds);
  EXPECT_EQ(back->timing.device_seconds, record.timing.device_seconds);
}

TEST(BlocksLine, OtherLinesAreLeftToTheLibrary) {
  const std::string line = blocks_line(a_record());
  EXPECT_FALSE(read_blocks_line(line + " "));
  EXPECT_FALSE(read_blocks_line(line.substr(0, line.size() - 1)));
  EXPECT_FALSE(read_blocks_line("{\"record\":\"end\"}"));
  json other = json::parse(line);
  other["a_new_key"] = 1;
  EXPECT_FALSE(read_blocks_line(other.dump()));
  const Record record = parse_record(other.dump(), "x:1");
  EXPECT_EQ(to_line(record), line) << "a key more, of a newer version, is no harm";
}

TEST(BlocksLine, WhatIsNoNumberIsRefused) {
  const std::string line = blocks_line(a_record());
  for (const char* word : {"inf", "nan", "1e999", "", "\"3\"", "null"}) {
    std::string broken = line;
    broken.replace(broken.find("0.25"), 4, word);
    EXPECT_FALSE(read_blocks_line(broken)) << word;
    EXPECT_THROW(parse_record(broken, "x:1"), Error) << word;
  }
}

TEST(BlocksLine, AWholeNumberThatDoesNotFitIsRefused) {
  const std::string line = blocks_line(a_record());
  for (const char* number : {"511e80", "5110000000000000000000000", "3e9", "-1e300"}) {
    std::string broken = line;
    broken.replace(broken.find("511"), 3, number);
    EXPECT_THROW(parse_record(broken, "x:1"), Error) << number;
  }
  EXPECT_THROW(parse_record("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", "x:1"),
               Error);
}

TEST(BlocksLine, RealRecordsReadTheSameEitherWay) {
  std::ifstream in(TEST_DATA "/runs/h200-fsdp2/records.jsonl");
  int blocks = 0;
  for (std::string line; std::getline(in, line);) {
    const auto fast = read_blocks_line(line);
    EXPECT_EQ(fast.has_value(), json::parse(line)["record"] == "blocks");
    if (!fast) continue;
    ++blocks;
    EXPECT_EQ(blocks_line(*fast), line);
  }
  EXPECT_GT(blocks, 20);
}

}  // namespace
}  // namespace nccl_sweep
