// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/device_data.hpp"
#include "kernels/element.cuh"

namespace nccl_sweep::kernels {
namespace {

__device__ void report(Mismatch* result, unsigned long long count, unsigned long long first) {
  if (count == 0) return;  // the usual case: no atomics at all
  atomicAdd(&result->count, count);
  atomicMin(&result->first, first);
}

// Counts the elements of `width` bytes that differ between two words.
__device__ void compare_word(std::uint64_t got, std::uint64_t wanted, int bytes, int width,
                             unsigned long long at, unsigned long long& count,
                             unsigned long long& first) {
  if (got == wanted) return;
  for (int offset = 0; offset < bytes; offset += width) {
    const int bits = 8 * (width < 8 ? width : 8);
    const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    if ((((got ^ wanted) >> (8 * offset)) & mask) == 0) continue;
    ++count;
    const unsigned long long element =
        (at + static_cast<unsigned long long>(offset)) / static_cast<unsigned long long>(width);
    if (element < first) first = element;
  }
}

__global__ void random_mismatches(const unsigned char* got, std::int64_t bytes, std::uint64_t seed,
                                  int rank, int width, std::int64_t index, Mismatch* result) {
  unsigned long long count = 0;
  unsigned long long first = kNothingWrong;
  const std::int64_t packs = bytes / 16;
  for (std::int64_t i = first_item(); i < packs; i += item_stride()) {
    const ulonglong2 pack = reinterpret_cast<const ulonglong2*>(got)[i];
    const auto word = static_cast<std::uint64_t>(2 * i);
    const auto at = static_cast<unsigned long long>(16 * i);
    compare_word(pack.x, random_word(seed, rank, word), 8, width, at, count, first);
    compare_word(pack.y, random_word(seed, rank, word + 1), 8, width, at + 8, count, first);
  }
  for (std::int64_t at = packs * 16 + first_item() * width; at < bytes;
       at += item_stride() * width) {
    std::uint64_t word = random_word(seed, rank, static_cast<std::uint64_t>(at / 8));
    std::uint64_t seen = 0;
    for (int k = 0; k < width; ++k) {
      seen |= static_cast<std::uint64_t>(got[at + k]) << (8 * k);
    }
    word >>= 8 * (at % 8);
    if (width < 8) word &= (1ULL << (8 * width)) - 1;
    compare_word(seen, word, width, width, static_cast<unsigned long long>(at), count, first);
  }
  if (first != kNothingWrong) first += static_cast<unsigned long long>(index);
  report(result, count, first);
}

template <class T>
__device__ bool right(T got, const Pattern& pattern, std::uint64_t element, double tolerance) {
  const std::int64_t sum = answer(pattern, element);
  T wanted;
  if (pattern.op != ReduceOp::avg) {
    wanted = from_integer<T>(sum);
  } else if constexpr (std::is_integral_v<T>) {
    wanted = from_integer<T>(sum / pattern.ranks);
  } else {
    wanted = from_double<T>(static_cast<double>(sum) / pattern.ranks);
  }
  const double difference = to_double(got) - to_double(wanted);
  if (tolerance > 0) return difference <= tolerance && difference >= -tolerance;
  return to_double(got) == to_double(wanted);  // 64-bit integers stay below 2^31: exact as double
}

template <class T, int N>
__global__ void answer_mismatches(const T* got, std::int64_t begin, std::int64_t packs,
                                  Pattern pattern, std::int64_t first_element, double tolerance,
                                  Mismatch* result) {
  unsigned long long count = 0;
  unsigned long long first = kNothingWrong;
  for (std::int64_t i = first_item(); i < packs; i += item_stride()) {
    const std::int64_t at = begin + i * N;
    const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N>*>(got + at);
    for (int k = 0; k < N; ++k) {
      const auto element = static_cast<std::uint64_t>(first_element + at + k);
      if (right(pack.element[k], pattern, element, tolerance)) continue;
      ++count;
      const auto index = static_cast<unsigned long long>(at + k);
      if (index < first) first = index;
    }
  }
  report(result, count, first);
}

// Distance between neighbouring floats at 1; 0 for integers.
double epsilon(DataType type) {
  switch (type) {
    case DataType::float16:
      return 0x1p-10;
    case DataType::bfloat16:
      return 0x1p-7;
    case DataType::float8e4m3:
      return 0x1p-3;
    case DataType::float8e5m2:
      return 0x1p-2;
    case DataType::float32:
      return 0x1p-23;
    case DataType::float64:
      return 0x1p-52;
    default:
      return 0;
  }
}

// An avg is the sum of terms rounded to 1 / n each: a few units in the last place of the largest.
double tolerance_of(DataType type, const Pattern& pattern) {
  const bool power_of_two = (pattern.ranks & (pattern.ranks - 1)) == 0;
  if (pattern.op != ReduceOp::avg || power_of_two) return 0;
  return 4 * epsilon(type) * static_cast<double>(exact_limit(type)) / pattern.ranks;
}

}  // namespace

void verify_random(const void* got, std::int64_t bytes, std::uint64_t seed, int rank,
                   int element_bytes, std::int64_t index, Mismatch* result, cudaStream_t stream) {
  if (bytes <= 0) return;
  random_mismatches<<<blocks_for(bytes / 16), kThreads, 0, stream>>>(
      static_cast<const unsigned char*>(got), bytes, seed, rank, element_bytes, index, result);
}

void verify_answer(DataType type, const Pattern& pattern, const void* got, std::int64_t first,
                   std::int64_t count, Mismatch* result, cudaStream_t stream) {
  const double tolerance = tolerance_of(type, pattern);
  with_device_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kWide = 16 / sizeof(T);
    const auto* typed = static_cast<const T*>(got);
    const std::int64_t packs = aligned_to_16(got) ? count / kWide : 0;
    const std::int64_t rest = count - packs * kWide;
    if (packs > 0) {
      answer_mismatches<T, kWide><<<blocks_for(packs), kThreads, 0, stream>>>(
          typed, 0, packs, pattern, first, tolerance, result);
    }
    if (rest > 0) {
      answer_mismatches<T, 1><<<blocks_for(rest), kThreads, 0, stream>>>(
          typed, packs * kWide, rest, pattern, first, tolerance, result);
    }
  });
}

}  // namespace nccl_sweep::kernels
