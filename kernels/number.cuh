// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of kernels/pattern.hpp, a whole word of them at a time. float32, float16 and bfloat16
// need no conversion instruction: an integer below 2^m, set into the mantissa bits of 2^m, is the
// float 2^m + integer, and one exact subtraction leaves the integer.
#pragma once

#include "kernels/element.cuh"
#include "kernels/pattern.hpp"

namespace nccl_sweep::kernels {

template <class T>
inline constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;

// N consecutive words of a stream, from word N * pack on.
template <int N>
__device__ Pack<std::uint32_t, N> random_words(const Key& key, std::uint64_t pack) {
  Pack<std::uint32_t, N> words;
#pragma unroll
  for (int w = 0; w < N; ++w) {
    words.element[w] = random_word(key, pack * N + static_cast<std::uint64_t>(w));
  }
  return words;
}

// Words of random bits that 16 bytes of elements take: 4, or 2 of 8-byte elements.
template <class T>
inline constexpr int kWordsPerPack = sizeof(T) == 8 ? 2 : 4;

// The elements of a word, one by one.
template <class T>
struct Numbers {
  __device__ explicit Numbers(const Pattern&) {}

  __device__ Pack<T, kPerWord<T>> of(const Pattern& p, const Word& word) const {
    constexpr int kBits = 32 / kPerWord<T>;
    Pack<T, kPerWord<T>> pack;
#pragma unroll
    for (int k = 0; k < kPerWord<T>; ++k) {
      pack.element[k] = from_integer<T>(value_in(p, word, k * kBits, kBits));
    }
    return pack;
  }
};

template <>
struct Numbers<float> {
  static constexpr std::uint32_t kUnit = 0x4b000000U;  // 2^23
  std::uint32_t base;                                  // 2^23 - added

  __device__ explicit Numbers(const Pattern& p) {
    base = as<std::uint32_t>(as<float>(kUnit) - static_cast<float>(p.added));
  }
  __device__ Pack<float, 1> of(const Pattern&, const Word& word) const {
    return {{as<float>((word.magnitude | kUnit) ^ word.sign) - as<float>(base ^ word.sign)}};
  }
};

// Two 16-bit floats at once. Two: __half2 or __nv_bfloat162; kUnit: 2^(mantissa bits), twice.
template <class Half, class Two, std::uint32_t kUnit>
struct HalfNumbers {
  std::uint32_t base;

  __device__ explicit HalfNumbers(const Pattern& p) {
    const Half unit = as<Pack<Half, 2>>(kUnit).element[0];
    const Half one = from_double<Half>(to_double(unit) - p.added);
    base = as<std::uint32_t>(Pack<Half, 2>{{one, one}});
  }
  __device__ Pack<Half, 2> of(const Pattern&, const Word& word) const {
    return as<Pack<Half, 2>>(
        __hsub2(as<Two>((word.magnitude | kUnit) ^ word.sign), as<Two>(base ^ word.sign)));
  }
};
template <>
struct Numbers<__half> : HalfNumbers<__half, __half2, 0x64006400U> {
  using HalfNumbers::HalfNumbers;
};
template <>
struct Numbers<__nv_bfloat16> : HalfNumbers<__nv_bfloat16, __nv_bfloat162, 0x43004300U> {
  using HalfNumbers::HalfNumbers;
};

// 16 bytes of a role's data. first_word is a multiple of kWordsPerPack.
template <class T, bool kOrdered>
__device__ Pack<T, 16 / sizeof(T)> pack_of(const Pattern& p, const Numbers<T>& numbers,
                                           const Role& role, std::uint64_t first_word) {
  Pack<T, 16 / sizeof(T)> pack;
  // What the compiler cannot know otherwise: adding w carries nothing into the upper half.
  first_word &= ~std::uint64_t{kWordsPerPack<T> - 1};
#pragma unroll
  for (int w = 0; w < kWordsPerPack<T>; ++w) {
    const auto word = word_of<kOrdered>(p, role, first_word + static_cast<std::uint64_t>(w));
    const Pack<T, kPerWord<T>> part = numbers.of(p, word);
#pragma unroll
    for (int k = 0; k < kPerWord<T>; ++k) pack.element[w * kPerWord<T> + k] = part.element[k];
  }
  return pack;
}

}  // namespace nccl_sweep::kernels
