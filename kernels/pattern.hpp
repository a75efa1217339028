// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The data that is sent, and the answer that must come out, each computed in constant time from
// (seed, rank, element). What is only copied gets random bits. Reductions get small integers chosen
// so that every partial sum, in whatever order it is formed, is exact in the data type: one rank,
// the element's owner, holds the answer, and the other ranks hold values that cancel in pairs. The
// same code runs on host and device (constexpr); a GPU must keep up with its memory, so a hash
// costs two multiplications and yields the bits of all elements of a 32-bit word.
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
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio
inline constexpr std::uint32_t kGolden32 = 0x9e3779b1U;          // 2^32 / it, a prime

// Names one stream of random words. Two halves, used in different places of the hash, so that
// no stream is another one shifted.
struct Key {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};
constexpr Key key_of(std::uint64_t seed, int rank) {
  const std::uint64_t h = mix(seed + kGolden * (static_cast<std::uint64_t>(rank) + 1));
  return {static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(h >> 32)};
}

// Both halves of the product: two instructions of a GPU.
constexpr std::uint32_t fold(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t product = static_cast<std::uint64_t>(x) * y;
  return static_cast<std::uint32_t>(product) ^ static_cast<std::uint32_t>(product >> 32);
}

// Four random bytes: bytes 4 word .. 4 word + 3 of the stream. The multipliers are Philox's (Salmon
// et al. 2011); with two rounds each bit of `word` changes each bit of the result in half of the
// cases, within the 0.7 % that 200000 tries can tell.
constexpr std::uint32_t random_word(const Key& key, std::uint64_t word) {
  const std::uint32_t high = static_cast<std::uint32_t>(word >> 32) * kGolden32;
  const std::uint32_t x = fold(static_cast<std::uint32_t>(word) + key.a, 0xd2511f53U);
  return fold(x ^ (key.b + high), 0xcd9e8d57U) ^ key.a;
}
constexpr std::uint8_t random_byte(const Key& key, std::uint64_t at) {
  return static_cast<std::uint8_t>(random_word(key, at / 4) >> (8 * (at % 4)));
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

// Elements live in 32-bit words of random bits: 4, 2 or 1 to a word as in memory, and an element of
// 8 bytes also has one word. Each element's value is made of its own bits of its word:
//   (its bits under `mask`, + added) x (-1 where its top bit is set under `sign`, else 1).
// The masks below are for whole words, all elements at once.
struct Pattern {
  Key key;
  ReduceOp op = ReduceOp::sum;
  int ranks = 1;
  int word_shift = 0;  // 2^this elements to a word: 0, 1 or 2
  int pack_shift = 2;  // 2^this consecutive elements with one owner: 16 bytes of them
  std::int32_t added = 0;
  std::uint32_t owner_mask = 0;
  std::uint32_t filler_mask = 0;  // of a cancelling pair's values
  std::uint32_t sign_mask = 0;    // the top bits where the sign is random, else 0
  std::uint32_t flip_mask = 0;    // the top bits where the second of a pair has the other sign
  int filler_pairs = 0;           // how many of the pairs are not just zero
  std::uint32_t largest = 0;      // an element's part of owner_mask
};

// max and min have no cancelling pairs: the other ranks hold values that lose.
constexpr bool ordered(ReduceOp op) { return op == ReduceOp::max || op == ReduceOp::min; }

// The largest 2^k - 1 that is not above `limit`.
constexpr std::uint32_t mask_below(std::int64_t limit) {
  std::uint32_t mask = 0;
  while (2 * static_cast<std::int64_t>(mask) + 1 <= limit) mask = 2 * mask + 1;
  return mask;
}

inline Pattern make_pattern(DataType type, ReduceOp op, int ranks, std::uint64_t seed) {
  const auto width = static_cast<int>(element_bytes(type));
  Pattern p;
  p.key = key_of(seed, -1);  // no rank's own stream
  p.op = op;
  p.ranks = ranks;
  p.word_shift = width == 1 ? 2 : width == 2 ? 1 : 0;
  p.pack_shift = width == 1 ? 4 : width == 2 ? 3 : width == 4 ? 2 : 1;
  // One of this in each element of a word.
  const std::uint32_t each = width == 1 ? 0x01010101U : width == 2 ? 0x00010001U : 1U;
  const std::uint32_t top = each << ((32 >> p.word_shift) - 1);
  const int pairs = (ranks - 1) / 2;
  p.largest = op == ReduceOp::prod ? 3 : mask_below(exact_limit(type) / 2);
  p.owner_mask = p.largest * each;
  if (ordered(op)) {
    p.added = has_sign(type) ? -static_cast<std::int32_t>(p.largest / 2 + 1) : 0;
    return p;
  }
  if (op != ReduceOp::avg && has_sign(type)) p.sign_mask = top;
  p.filler_pairs = pairs;
  if (op == ReduceOp::prod) {
    p.added = 1;  // factors 1 to 4 of the owner, pairs of 1 or -1
  } else if (pairs > 0) {
    const std::int64_t room = exact_limit(type) - p.largest;  // for the fillers' partial sums
    p.filler_pairs = static_cast<int>(pairs < room ? pairs : room);
    p.filler_mask = mask_below(room / p.filler_pairs) * each;
    p.flip_mask = top;
  }
  return p;
}

// What one rank puts into the elements of one pack.
struct Role {
  Key key;
  std::uint32_t mask = 0;
  std::uint32_t sign = 0;
  std::uint32_t flip = 0;
  std::uint32_t noise = 0;  // max and min: what makes the losing values; 0 for the owner
};
constexpr Role owner_role(const Pattern& p) { return {p.key, p.owner_mask, p.sign_mask, 0, 0}; }

// Steps of the golden ratio spread the owners evenly over the ranks, in short buffers too; scaled
// to the number of ranks without a division (Lemire 2019).
constexpr int owner_of_pack(const Pattern& p, std::uint64_t pack) {
  const std::uint32_t step = static_cast<std::uint32_t>(pack) * kGolden32 + p.key.a;
  return static_cast<int>((std::uint64_t{step} * static_cast<std::uint32_t>(p.ranks)) >> 32);
}
constexpr int owner_of(const Pattern& p, std::uint64_t element) {
  return owner_of_pack(p, element >> p.pack_shift);
}

template <bool kOrdered>
constexpr Role role_of(const Pattern& p, int rank, std::uint64_t pack) {
  const int owner = owner_of_pack(p, pack);
  Role role = owner_role(p);
  if constexpr (kOrdered) {
    role.noise = rank == owner ? 0 : (static_cast<std::uint32_t>(rank) * 2 + 1) * kGolden32;
    return role;
  }
  const int behind = rank - owner - 1;  // 0, 1 are the first pair behind the owner, and so on
  const int position = behind < 0 ? behind + p.ranks : behind;
  const int pair = position >> 1;
  const bool first = (position & 1) == 0;
  if (rank == owner) return role;
  role.key.b += static_cast<std::uint32_t>(pair + 1) * kGolden32;
  role.mask = pair < p.filler_pairs ? p.filler_mask : 0;
  role.sign = pair < p.filler_pairs ? p.sign_mask : 0;  // also not where one rank has no partner
  role.flip = first ? 0 : p.flip_mask;
  return role;
}

// The elements of a word before they become numbers: value = (magnitude + added), negative where
// the element's top bit of `sign` is set.
struct Word {
  std::uint32_t magnitude = 0;
  std::uint32_t sign = 0;
};
template <bool kOrdered>
constexpr Word word_of(const Pattern& p, const Role& role, std::uint64_t word) {
  const std::uint32_t bits = random_word(role.key, word);
  const std::uint32_t magnitude = bits & role.mask;
  if constexpr (kOrdered) {
    if (role.noise == 0) return {magnitude, 0};
    const std::uint32_t other = fold(bits, role.noise);
    return {p.op == ReduceOp::max ? magnitude & other : magnitude | (other & role.mask), 0};
  }
  return {magnitude, (bits & role.sign) ^ role.flip};
}

// The element whose `bits` bits of the word begin at bit `shift`.
constexpr std::int64_t value_in(const Pattern& p, const Word& word, int shift, int bits) {
  const std::int64_t value =
      static_cast<std::int64_t>((word.magnitude >> shift) & p.largest) + p.added;
  return ((word.sign >> (shift + bits - 1)) & 1) != 0 ? -value : value;
}
constexpr std::int64_t value_of(const Pattern& p, const Word& word, std::uint64_t element) {
  const int bits = 32 >> p.word_shift;
  const int place = static_cast<int>(element & ((1U << p.word_shift) - 1));
  return value_in(p, word, place * bits, bits);
}

// The reduced value of an element; for avg the sum, which the collective divides by the ranks.
constexpr std::int64_t answer(const Pattern& p, std::uint64_t element) {
  return value_of(p, word_of<false>(p, owner_role(p), element >> p.word_shift), element);
}

// What `rank` of the group puts in.
constexpr std::int64_t contribution(const Pattern& p, int rank, std::uint64_t element) {
  const std::uint64_t pack = element >> p.pack_shift;
  const std::uint64_t word = element >> p.word_shift;
  if (ordered(p.op)) {
    return value_of(p, word_of<true>(p, role_of<true>(p, rank, pack), word), element);
  }
  return value_of(p, word_of<false>(p, role_of<false>(p, rank, pack), word), element);
}

}  // namespace nccl_sweep::kernels
