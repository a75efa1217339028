// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types, predictable data and reductions of the host backend.
#include "worker/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "worker/arithmetic.hpp"
#include "worker/host/ring.hpp"

namespace nccl_sweep::worker {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

template <class Number>
void expect_every_code_to_survive(unsigned codes) {
  for (unsigned code = 0; code < codes; ++code) {
    const auto bits = static_cast<typename Number::storage>(code);
    const float value = Number::load(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Number::load(Number::store(value)))) << code;
    } else if (std::isfinite(value)) {
      EXPECT_EQ(Number::store(value), bits) << code << " is " << value;
    }
  }
}

TEST(Numbers, EveryValueOfASmallFloatSurvivesTheWayToFloatAndBack) {
  expect_every_code_to_survive<Float16>(1u << 16);
  expect_every_code_to_survive<Bfloat16>(1u << 16);
  expect_every_code_to_survive<Float8e4m3>(1u << 8);
  expect_every_code_to_survive<Float8e5m2>(1u << 8);
}

TEST(Numbers, HaveTheirStandardsValues) {
  EXPECT_EQ(Float16::load(0x3c00), 1.0f);
  EXPECT_EQ(Float16::load(0x7bff), 65504.0f);
  EXPECT_EQ(Float16::load(0x0001), 0x1p-24f);
  EXPECT_EQ(Float16::load(0xfc00), -kInfinity);
  EXPECT_EQ(Bfloat16::load(0x3f80), 1.0f);
  EXPECT_EQ(Float8e4m3::load(0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(Float8e4m3::load(0x7f)));
  EXPECT_EQ(Float8e4m3::load(0x01), 0x1p-9f);
  EXPECT_EQ(Float8e5m2::load(0x7b), 57344.0f);
  EXPECT_EQ(Float8e5m2::load(0x7c), kInfinity);
  EXPECT_EQ(Float8e5m2::load(0x01), 0x1p-16f);
}

TEST(Numbers, RoundToNearestEven) {
  EXPECT_EQ(Bfloat16::store(1.00390625f), 0x3f80);  // half way: down to even
  EXPECT_EQ(Bfloat16::store(1.01171875f), 0x3f82);  // half way: up to even
  EXPECT_EQ(Float16::store(2049.0f), Float16::store(2048.0f));
  EXPECT_EQ(Float16::store(2051.0f), Float16::store(2052.0f));
  EXPECT_EQ(Float8e4m3::store(17.0f), Float8e4m3::store(16.0f));
  EXPECT_EQ(Float8e4m3::store(19.0f), Float8e4m3::store(20.0f));
  EXPECT_EQ(Float16::store(0x1p-25f), 0);  // half the smallest: to even
  EXPECT_EQ(Float16::store(0x1.8p-24f), 2);
}

TEST(Numbers, OverflowToInfinityOrSaturate) {
  EXPECT_EQ(Float16::store(65520.0f), 0x7c00);
  EXPECT_EQ(Float8e4m3::store(1e9f), 0x7e);
  EXPECT_EQ(Float8e4m3::store(-kInfinity), 0xfe);
  EXPECT_EQ(Float8e5m2::store(1e9f), 0x7b);
  EXPECT_TRUE(std::isnan(Bfloat16::load(Bfloat16::store(std::nanf("")))));
}

constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min,
                             ReduceOp::avg};

TEST(Pattern, ReducesToItsAnswerInEveryTypeOpAndOrder) {
  constexpr std::int64_t kCount = 500;
  for (int t = 0; t <= static_cast<int>(DataType::float8e5m2); ++t) {
    const auto type = static_cast<DataType>(t);
    const auto bytes = static_cast<std::size_t>(kCount * element_bytes(type));
    for (ReduceOp op : kOps) {
      for (int ranks : {1, 2, 3, 8, 17, 512}) {
        const auto pattern = kernels::make_pattern(type, op, ranks, 99);
        std::vector<std::byte> wanted(bytes);
        fill_answer(type, pattern, 1000, wanted.data(), kCount);
        for (int stride : {1, 5}) {  // 5 is coprime to all of them: another order
          std::vector<std::byte> sum(bytes);
          std::vector<std::byte> next(bytes);
          for (int i = 0; i < ranks; ++i) {
            fill_contribution(type, pattern, i * stride % ranks, 1000, next.data(), kCount);
            if (i == 0) {
              sum = next;
            } else {
              reduce(type, op, sum.data(), sum.data(), next.data(), kCount);
            }
          }
          if (op == ReduceOp::avg) divide(type, sum.data(), ranks, kCount);
          Differences wrong;
          compare(sum.data(), wanted.data(), kCount, element_bytes(type), 0, wrong);
          EXPECT_EQ(wrong.count, 0) << to_string(type) << " " << to_string(op) << " of " << ranks
                                    << ": element " << wrong.first;
        }
      }
    }
  }
}

// A check that passes without one rank's data would prove nothing.
TEST(Pattern, MissesAlmostNoRankThatIsLeftOut) {
  constexpr std::int64_t kCount = 4096;
  for (DataType type : {DataType::float32, DataType::bfloat16, DataType::float8e5m2}) {
    const int ranks = 4;
    const auto pattern = kernels::make_pattern(type, ReduceOp::sum, ranks, 7);
    for (int absent = 0; absent < ranks; ++absent) {
      std::int64_t differs = 0;
      for (std::int64_t e = 0; e < kCount; ++e) {
        differs += kernels::contribution(pattern, absent, static_cast<std::uint64_t>(e)) != 0;
      }
      EXPECT_GT(differs, kCount / 3) << to_string(type) << " rank " << absent;
    }
  }
}

// Every owner gets its turn, also in a short buffer.
TEST(Pattern, SpreadsTheOwnersOverTheRanks) {
  for (int ranks : {1, 3, 8, 500}) {
    const auto pattern = kernels::make_pattern(DataType::bfloat16, ReduceOp::sum, ranks, 3);
    std::vector<int> packs(static_cast<std::size_t>(ranks));
    for (int pack = 0; pack < 4 * ranks; ++pack) {
      const int owner = kernels::owner_of(pattern, static_cast<std::uint64_t>(pack) * 8);
      ASSERT_TRUE(owner >= 0 && owner < ranks);
      ++packs[static_cast<std::size_t>(owner)];
    }
    for (int owned : packs) EXPECT_TRUE(owned >= 2 && owned <= 6) << owned << " of " << ranks;
  }
}

// Bytes that are equal by chance are 1 in 256; what is shifted, or another rank's, has no more.
TEST(RandomBytes, DependOnSeedRankAndPosition) {
  constexpr std::int64_t kBytes = 1 << 16;
  std::vector<std::byte> sent(kBytes);
  fill_random(5, 1, sent.data(), kBytes);
  const auto equal_bytes = [&](std::uint64_t seed, int rank, std::int64_t start) {
    std::vector<std::byte> other(kBytes);
    fill_random(seed, rank, other.data(), kBytes, start);
    std::int64_t equal = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) equal += sent[i] == other[i];
    return equal;
  };
  EXPECT_EQ(equal_bytes(5, 1, 0), kBytes);
  EXPECT_LT(equal_bytes(6, 1, 0), kBytes / 128);
  for (int rank : {0, 2, 3, 511}) EXPECT_LT(equal_bytes(5, rank, 0), kBytes / 128) << rank;
  for (std::int64_t shift : {1LL, 4LL, 16LL, 4096LL, 1LL << 20, 1LL << 34, 1LL << 40}) {
    EXPECT_LT(equal_bytes(5, 1, shift), kBytes / 128) << shift;
  }
}

TEST(RandomBytes, AreTheSameStreamFromAnyStart) {
  std::vector<std::byte> whole(300);
  fill_random(5, 1, whole.data(), 300);
  for (std::int64_t start = 0; start < 9; ++start) {
    for (std::int64_t bytes : {1, 2, 7, 64}) {
      std::vector<std::byte> part(static_cast<std::size_t>(bytes));
      fill_random(5, 1, part.data(), bytes, start);
      Differences wrong;
      compare(part.data(), whole.data() + start, bytes, 1, 0, wrong);
      EXPECT_EQ(wrong.count, 0) << bytes << " from " << start;
    }
  }
}

TEST(Compare, CountsWrongElementsAndFindsTheFirst) {
  std::vector<std::byte> wanted(64, std::byte{0x11});
  std::vector<std::byte> got = wanted;
  got[21] = std::byte{0x22};  // element 5, its second byte
  got[40] = got[41] = std::byte{0};
  Differences wrong;
  compare(got.data(), wanted.data(), 16, 4, 1000, wrong);
  EXPECT_EQ(wrong.count, 2);
  EXPECT_EQ(wrong.first, 1005);
  EXPECT_EQ(bits_text(got.data() + 20, 4), "0x11112211");
}

TEST(NumberText, IsWhatPeopleWrite) {
  const auto text = [](DataType type, std::uint64_t bits) {
    return number_text(type, static_cast<const std::byte*>(static_cast<const void*>(&bits)));
  };
  EXPECT_EQ(text(DataType::int8, 0xfd), "-3");
  EXPECT_EQ(text(DataType::uint8, 65), "65");
  EXPECT_EQ(text(DataType::int64, ~std::uint64_t{0}), "-1");
  EXPECT_EQ(text(DataType::float32, 0xc0200000), "-2.5");
  EXPECT_EQ(text(DataType::bfloat16, 0x4300), "128");
  EXPECT_EQ(text(DataType::float16, 0x7e00), "nan");
  EXPECT_EQ(text(DataType::float8e4m3, 0x38), "1");
}

TEST(Segments, CoverEverythingOnceAndDifferByOneAtMost) {
  for (std::int64_t count : {0, 1, 3, 4, 5, 1000, 1001}) {
    for (int parts : {1, 2, 3, 7}) {
      const auto segments = segments_of(count, parts);
      ASSERT_EQ(segments.size(), static_cast<std::size_t>(parts));
      std::int64_t at = 0;
      for (const Span& segment : segments) {
        EXPECT_EQ(segment.begin, at);
        EXPECT_LE(segments.front().end - (segment.end - segment.begin), 1);
        at = segment.end;
      }
      EXPECT_EQ(at, count);
    }
  }
}

TEST(Pieces, CoverASegmentWithoutCuttingElements) {
  EXPECT_TRUE(pieces_of({5, 5}, 4, 4096).empty());
  const auto pieces = pieces_of({10, 35}, 4, 42);  // ten elements fit into 42 bytes
  EXPECT_EQ(pieces, (std::vector<Span>{{10, 20}, {20, 30}, {30, 35}}));
  EXPECT_EQ(pieces_of({0, 2}, 8, 1).size(), 2u);  // an element is never cut
}

}  // namespace
}  // namespace nccl_sweep::worker
