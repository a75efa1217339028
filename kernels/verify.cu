// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs are compared as bits; only one that differs is looked at element by element.
#include "kernels/device_data.hpp"
#include "kernels/number.cuh"

namespace nccl_sweep::kernels {
namespace {

// What one thread has found.
struct Found {
  unsigned long long count = 0;
  unsigned long long first = kNothingWrong;

  __device__ void add(std::int64_t element) {
    ++count;
    const auto at = static_cast<unsigned long long>(element);
    if (at < first) first = at;
  }
  __device__ void report(Mismatch* result) const {
    if (count == 0) return;  // the usual case: no atomics at all
    atomicAdd(&result->count, count);
    atomicMin(&result->first, first);
  }
};

// Bytes of a rank's stream of random words that should lie at `got`.
struct RandomSegment {
  const unsigned char* got;
  std::int64_t bytes;
  Key key;
  std::uint64_t start;  // got[0] is this byte of the stream
  int width;            // bytes of an element
  std::int64_t index;   // got[0] is in this element of the buffer

  __device__ void compare_elements(std::int64_t from, std::int64_t to, Found& found) const {
    for (std::int64_t at = from; at < to; at += width) {
      bool right = true;
      for (int k = 0; k < width; ++k) {
        right &= got[at + k] == random_byte(key, start + static_cast<std::uint64_t>(at + k));
      }
      if (!right) found.add(index + at / width);
    }
  }
  __device__ void compare_rest(std::int64_t from, Found& found) const {
    for_each_item((bytes - from) / width, [&](std::int64_t i) {
      compare_elements(from + i * width, from + (i + 1) * width, found);
    });
  }
};

// N words at a time, `got` and the start aligned to that and elements no wider; then the rest.
template <int N>
__global__ void __launch_bounds__(kThreads)
    random_mismatches(RandomSegment segment, Mismatch* result) {
  using Words = Pack<std::uint32_t, N>;
  constexpr int kBytes = 4 * N;
  const std::uint64_t first_pack = segment.start / kBytes;
  const std::int64_t packs = segment.bytes / kBytes;
  Found found;
  compare_packs(
      reinterpret_cast<const Words*>(segment.got), packs,
      [&](std::int64_t i) {
        return random_words<N>(segment.key, first_pack + static_cast<std::uint64_t>(i));
      },
      [&](std::int64_t i) { segment.compare_elements(i * kBytes, (i + 1) * kBytes, found); });
  segment.compare_rest(packs * kBytes, found);
  found.report(result);
}

__global__ void __launch_bounds__(kThreads)
    single_mismatches(RandomSegment segment, Mismatch* result) {
  Found found;
  segment.compare_rest(0, found);
  found.report(result);
}

// The answer of a reduction, divided by the ranks where it is an avg.
struct Wanted {
  Pattern pattern;
  float scale = 1;       // of floats, exact: 1 or 1 / ranks. Where it is not exact, every pack is
  double tolerance = 0;  // looked at element by element, within this tolerance
};

template <class T>
__device__ bool right(T got, const Wanted& wanted, std::uint64_t element) {
  const std::int64_t sum = answer(wanted.pattern, element);
  T expected;
  if (wanted.pattern.op != ReduceOp::avg) {
    expected = from_integer<T>(sum);
  } else if constexpr (std::is_integral_v<T>) {
    expected = from_integer<T>(sum / wanted.pattern.ranks);
  } else {
    expected = from_double<T>(static_cast<double>(sum) / wanted.pattern.ranks);
  }
  // 64-bit integers stay below 2^31: exact as double.
  const double difference = to_double(got) - to_double(expected);
  return difference <= wanted.tolerance && difference >= -wanted.tolerance;
}

template <class T, int N>
__device__ void scale(Pack<T, N>& pack, float factor) {
  if constexpr (sizeof(T) > 1 && !std::is_integral_v<T>) {
#pragma unroll
    for (int k = 0; k < N; ++k) pack.element[k] = pack.element[k] * static_cast<T>(factor);
  }
}

// got[0] is element `first` of the reduction, the first of a pack.
template <class T>
__global__ void __launch_bounds__(kThreads)
    answer_mismatches(const T* got, std::int64_t packs, Wanted wanted, std::int64_t first,
                      Mismatch* result) {
  constexpr int kWide = 16 / sizeof(T);
  using Wide = Pack<T, kWide>;
  const Numbers<T> numbers(wanted.pattern);
  const Role owner = owner_role(wanted.pattern);
  const std::int64_t first_pack = first / kWide;
  Found found;
  compare_packs(
      reinterpret_cast<const Wide*>(got), packs,
      [&](std::int64_t i) {
        const auto word = static_cast<std::uint64_t>(first_pack + i) * kWordsPerPack<T>;
        Wide answers = pack_of<T, false>(wanted.pattern, numbers, owner, word);
        scale(answers, wanted.scale);
        return answers;
      },
      [&](std::int64_t i) {
        for (std::int64_t at = i * kWide; at < (i + 1) * kWide; ++at) {
          if (!right(got[at], wanted, static_cast<std::uint64_t>(first + at))) found.add(at);
        }
      });
  found.report(result);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    single_answer_mismatches(const T* got, std::int64_t begin, std::int64_t count, Wanted wanted,
                             std::int64_t first, Mismatch* result) {
  Found found;
  for_each_item(count, [&](std::int64_t i) {
    const std::int64_t at = begin + i;
    if (!right(got[at], wanted, static_cast<std::uint64_t>(first + at))) found.add(at);
  });
  found.report(result);
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

Wanted wanted_of(DataType type, const Pattern& pattern) {
  Wanted wanted{pattern, 1, 0};
  if (pattern.op != ReduceOp::avg) return wanted;
  wanted.scale = 1.0F / static_cast<float>(pattern.ranks);
  const bool power_of_two = (pattern.ranks & (pattern.ranks - 1)) == 0;
  // An avg is the sum of terms rounded to 1 / n each: a few units in the last place of the largest.
  wanted.tolerance =
      power_of_two ? 0 : 4 * epsilon(type) * static_cast<double>(exact_limit(type)) / pattern.ranks;
  return wanted;
}

}  // namespace

void verify_random(const void* got, std::int64_t bytes, std::uint64_t seed, int rank,
                   int element_bytes, std::int64_t index, Mismatch* result, cudaStream_t stream,
                   std::int64_t start) {
  if (bytes <= 0) return;
  const RandomSegment segment{
      static_cast<const unsigned char*>(got), bytes,         key_of(seed, rank),
      static_cast<std::uint64_t>(start),      element_bytes, index};
  const auto fits = [&](int step) {
    return aligned(got, static_cast<std::uint64_t>(step)) && start % step == 0 &&
           element_bytes <= step;
  };
  if (fits(16)) {
    random_mismatches<4><<<blocks_for(bytes / 16), kThreads, 0, stream>>>(segment, result);
  } else if (fits(8)) {
    random_mismatches<2><<<blocks_for(bytes / 8), kThreads, 0, stream>>>(segment, result);
  } else if (fits(4)) {
    random_mismatches<1><<<blocks_for(bytes / 4), kThreads, 0, stream>>>(segment, result);
  } else {
    single_mismatches<<<blocks_for(bytes / element_bytes), kThreads, 0, stream>>>(segment, result);
  }
}

void verify_answer(DataType type, const Pattern& pattern, const void* got, std::int64_t first,
                   std::int64_t count, Mismatch* result, cudaStream_t stream) {
  const Wanted wanted = wanted_of(type, pattern);
  with_device_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kWide = 16 / sizeof(T);
    const auto* typed = static_cast<const T*>(got);
    const std::int64_t packs = aligned(got, 16) && first % kWide == 0 ? count / kWide : 0;
    const std::int64_t rest = count - packs * kWide;
    if (packs > 0) {
      answer_mismatches<T>
          <<<blocks_for(packs), kThreads, 0, stream>>>(typed, packs, wanted, first, result);
    }
    if (rest > 0) {
      single_answer_mismatches<T><<<blocks_for(rest), kThreads, 0, stream>>>(
          typed, packs * kWide, rest, wanted, first, result);
    }
  });
}

}  // namespace nccl_sweep::kernels
