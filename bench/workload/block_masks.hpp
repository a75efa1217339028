// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// 64 bytes of JSON at a time as bit masks, bit i for byte i: SSE2, which every x86-64 has, or plain
// loops elsewhere. Used by the event scanner only.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nccl_sweep {

struct BlockMasks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t newlines = 0;
  std::uint64_t opens = 0;   // {
  std::uint64_t closes = 0;  // }
  // Where one of the words that make an event interesting may be: '#', "cc" and "m_" are rare.
  std::uint64_t candidates = 0;
};

#if defined(__SSE2__)
// Reads 65 bytes from `at`.
inline BlockMasks block_masks(const char* at) {
  BlockMasks masks;
  for (int lane = 0; lane < 4; ++lane) {
    const auto* here = reinterpret_cast<const __m128i*>(at + 16 * lane);
    const auto* after = reinterpret_cast<const __m128i*>(at + 16 * lane + 1);
    const __m128i bytes = _mm_loadu_si128(here);
    const __m128i next = _mm_loadu_si128(after);
    const auto equal = [](__m128i value, char c) {
      return _mm_cmpeq_epi8(value, _mm_set1_epi8(c));
    };
    const auto bits = [lane](__m128i value) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(value)))
             << (16 * lane);
    };
    masks.quotes |= bits(equal(bytes, '"'));
    masks.backslashes |= bits(equal(bytes, '\\'));
    masks.newlines |= bits(equal(bytes, '\n'));
    masks.opens |= bits(equal(bytes, '{'));
    masks.closes |= bits(equal(bytes, '}'));
    const __m128i pair_cc = _mm_and_si128(equal(bytes, 'c'), equal(next, 'c'));
    const __m128i pair_m_ = _mm_and_si128(equal(bytes, 'm'), equal(next, '_'));
    masks.candidates |= bits(_mm_or_si128(equal(bytes, '#'), _mm_or_si128(pair_cc, pair_m_)));
  }
  return masks;
}
#else
inline BlockMasks block_masks(const char* at) {
  BlockMasks masks;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = at[i];
    if (c == '"') masks.quotes |= bit;
    if (c == '\\') masks.backslashes |= bit;
    if (c == '\n') masks.newlines |= bit;
    if (c == '{') masks.opens |= bit;
    if (c == '}') masks.closes |= bit;
    if (c == '#' || (c == 'c' && at[i + 1] == 'c') || (c == 'm' && at[i + 1] == '_')) {
      masks.candidates |= bit;
    }
  }
  return masks;
}
#endif

// Bit i of the result is the parity of bits 0..i: turns quotes into "inside a string".
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// The bytes that a backslash before them escapes. `carry`: the last byte of the block before was
// an escaping backslash; updated for the next block.
inline std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  carry = false;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const std::uint64_t lowest = backslashes & (~backslashes + 1);
    const std::uint64_t after = lowest << 1;
    if (after == 0) carry = true;  // it was bit 63
    escaped |= after;
    backslashes &= ~(lowest | after);
  }
  return escaped;
}

}  // namespace nccl_sweep
