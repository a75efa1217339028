// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The data that is sent, and the answer that must come out, each computed in constant time from
// (seed, rank, element). Reductions get small integers chosen so that every partial sum, in
// whatever order it is formed, is exact in the data type: one rank, the element's owner, holds the
// answer, and the other ranks hold values that cancel in pairs. The same code runs on host and
// device (constexpr). What is only copied (all_gather) gets random bits instead.
#pragma once

#include <cstdint>

#include "core/collective.hpp"

namespace nccl_sweep::kernels {

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of x changes every bit of it.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

// 0 <= result < bound without a division (Lemire 2019); the high half of `random` is used.
constexpr std::int64_t below(std::uint64_t random, std::int64_t bound) {
  return static_cast<std::int64_t>(((random >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

// Eight random bytes: word `word` of what `rank` sends where nothing is reduced.
constexpr std::uint64_t random_word(std::uint64_t seed, int rank, std::uint64_t word) {
  return mix(mix(seed + kGolden * (static_cast<std::uint64_t>(rank) + 1)) + kGolden * word);
}

// All integers up to this one are exact in the type (2^(mantissa bits + 1), or its largest value).
constexpr std::int64_t exact_limit(DataType type) {
  switch (type) {
    case DataType::int8:
      return 127;
    case DataType::uint8:
      return 255;
    case DataType::float16:
      return 2048;
    case DataType::bfloat16:
      return 256;
    case DataType::float8e4m3:
      return 16;
    case DataType::float8e5m2:
      return 8;
    case DataType::float32:
      return std::int64_t{1} << 24;
    default:
      return (std::int64_t{1} << 31) - 1;  // 32 and 64 bit: enough bits to tell apart
  }
}

constexpr bool has_sign(DataType type) {
  return type != DataType::uint8 && type != DataType::uint32 && type != DataType::uint64;
}

struct Pattern {
  std::uint64_t seed = 0;
  ReduceOp op = ReduceOp::sum;
  int ranks = 1;
  bool sign = true;
  std::int64_t largest = 0;  // of the owner's value
  std::int64_t filler = 0;   // largest value of a cancelling pair
  int filler_pairs = 0;      // how many of the pairs are not just zero
};

constexpr Pattern make_pattern(DataType type, ReduceOp op, int ranks, std::uint64_t seed) {
  Pattern p{seed, op, ranks, has_sign(type), exact_limit(type) / 2, 0, 0};
  const std::int64_t room = exact_limit(type) - p.largest;  // for the fillers' partial sums
  const std::int64_t pairs = (ranks - 1) / 2;
  if (pairs > 0) {
    p.filler_pairs = static_cast<int>(pairs < room ? pairs : room);
    p.filler = room / p.filler_pairs;
  }
  return p;
}

// The reduced value of an element; for avg the sum, which the collective divides by the ranks.
constexpr std::int64_t answer(const Pattern& p, std::uint64_t element) {
  const std::uint64_t h = mix(p.seed + kGolden * element);
  const std::int64_t value = below(mix(h), p.largest + 1);
  switch (p.op) {
    case ReduceOp::sum:
      return p.sign && (h & 1) != 0 ? -value : value;
    case ReduceOp::prod: {
      const std::int64_t factor = 1 + below(mix(h), 3);  // 1, 2, 3: exact in every type
      return p.sign && (h & 1) != 0 ? -factor : factor;
    }
    case ReduceOp::max:
    case ReduceOp::min:
      return p.sign && (h & 1) != 0 ? value - p.largest : value;
    case ReduceOp::avg:
      return value;
  }
  return 0;
}

// What `rank` of the group puts in.
constexpr std::int64_t contribution(const Pattern& p, int rank, std::uint64_t element) {
  const std::uint64_t h = mix(p.seed + kGolden * element);
  const int owner = static_cast<int>(below(h, p.ranks));
  const std::int64_t mine = answer(p, element);
  if (rank == owner) return mine;
  const int position = rank > owner ? rank - owner - 1 : rank - owner - 1 + p.ranks;
  const int pair = position / 2;
  const bool unpaired = position == p.ranks - 2 && p.ranks % 2 == 0;
  const std::uint64_t random = mix(h + kGolden * static_cast<std::uint64_t>(pair + 1));
  switch (p.op) {
    case ReduceOp::sum:
    case ReduceOp::avg: {
      if (unpaired || pair >= p.filler_pairs) return 0;
      const std::int64_t value = below(random, p.filler + 1);
      return position % 2 == 0 ? value : -value;
    }
    case ReduceOp::prod:
      return unpaired || !p.sign || (random & 1) == 0 ? 1 : -1;
    case ReduceOp::max:
    case ReduceOp::min: {
      // Anywhere between the answer and the end of the owner's range on the losing side.
      const std::int64_t bottom = p.sign && (h & 1) != 0 ? -p.largest : 0;
      const std::uint64_t own = mix(h + kGolden * static_cast<std::uint64_t>(position + 1));
      if (p.op == ReduceOp::max) return mine - below(own, mine - bottom + 1);
      return mine + below(own, bottom + p.largest - mine + 1);
    }
  }
  return 0;
}

}  // namespace nccl_sweep::kernels
