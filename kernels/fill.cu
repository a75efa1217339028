// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_data.hpp"
#include "kernels/number.cuh"

namespace nccl_sweep::kernels {
namespace {

// N words at a time, `out` aligned to that; then the bytes of the rest.
template <int N>
__global__ void __launch_bounds__(kThreads)
    random_bytes(unsigned char* out, std::int64_t bytes, Key key) {
  const std::int64_t packs = bytes / (4 * N);
  write_packs(reinterpret_cast<Pack<std::uint32_t, N>*>(out), packs,
              [&](std::int64_t i) { return random_words<N>(key, static_cast<std::uint64_t>(i)); });
  for_each_item(bytes - packs * 4 * N, [&](std::int64_t i) {
    const std::int64_t at = packs * 4 * N + i;
    out[at] = random_byte(key, static_cast<std::uint64_t>(at));
  });
}

__global__ void __launch_bounds__(kThreads)
    single_bytes(unsigned char* out, std::int64_t bytes, Key key) {
  for_each_item(bytes,
                [&](std::int64_t i) { out[i] = random_byte(key, static_cast<std::uint64_t>(i)); });
}

template <class T, bool kOrdered>
__global__ void __launch_bounds__(kThreads)
    contributions(T* out, std::int64_t packs, Pattern p, int rank) {
  const Numbers<T> numbers(p);
  write_packs(reinterpret_cast<Pack<T, 16 / sizeof(T)>*>(out), packs, [&](std::int64_t i) {
    const auto pack = static_cast<std::uint64_t>(i);
    const Role role = role_of<kOrdered>(p, rank, pack);
    return pack_of<T, kOrdered>(p, numbers, role, pack * kWordsPerPack<T>);
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    single_contributions(T* out, std::int64_t begin, std::int64_t count, Pattern p, int rank) {
  for_each_item(count, [&](std::int64_t i) {
    out[begin + i] = from_integer<T>(contribution(p, rank, static_cast<std::uint64_t>(begin + i)));
  });
}

}  // namespace

void fill_random(void* out, std::int64_t bytes, std::uint64_t seed, int rank, cudaStream_t stream) {
  if (bytes <= 0) return;
  auto* start = static_cast<unsigned char*>(out);
  const Key key = key_of(seed, rank);
  if (aligned(out, 16)) {
    random_bytes<4><<<blocks_for(bytes / 16), kThreads, 0, stream>>>(start, bytes, key);
  } else if (aligned(out, 4)) {
    random_bytes<1><<<blocks_for(bytes / 4), kThreads, 0, stream>>>(start, bytes, key);
  } else {
    single_bytes<<<blocks_for(bytes), kThreads, 0, stream>>>(start, bytes, key);
  }
}

void fill_contribution(DataType type, const Pattern& pattern, int rank, void* out,
                       std::int64_t count, cudaStream_t stream) {
  with_device_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kWide = 16 / sizeof(T);
    auto* typed = static_cast<T*>(out);
    const std::int64_t packs = aligned(out, 16) ? count / kWide : 0;
    const std::int64_t rest = count - packs * kWide;
    if (packs > 0) {
      const auto kernel = ordered(pattern.op) ? contributions<T, true> : contributions<T, false>;
      kernel<<<blocks_for(packs), kThreads, 0, stream>>>(typed, packs, pattern, rank);
    }
    if (rest > 0) {
      single_contributions<T>
          <<<blocks_for(rest), kThreads, 0, stream>>>(typed, packs * kWide, rest, pattern, rank);
    }
  });
}

}  // namespace nccl_sweep::kernels
