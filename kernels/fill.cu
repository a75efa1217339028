// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_data.hpp"
#include "kernels/element.cuh"

namespace nccl_sweep::kernels {
namespace {

__global__ void random_bytes(unsigned char* out, std::int64_t bytes, std::uint64_t seed, int rank) {
  const std::int64_t packs = bytes / 16;
  for (std::int64_t i = first_item(); i < packs; i += item_stride()) {
    const auto word = static_cast<std::uint64_t>(2 * i);
    reinterpret_cast<ulonglong2*>(out)[i] =
        ulonglong2{random_word(seed, rank, word), random_word(seed, rank, word + 1)};
  }
  for (std::int64_t at = packs * 16 + first_item(); at < bytes; at += item_stride()) {
    const std::uint64_t word = random_word(seed, rank, static_cast<std::uint64_t>(at / 8));
    out[at] = static_cast<unsigned char>(word >> (8 * (at % 8)));
  }
}

template <class T, int N>
__global__ void contributions(T* out, std::int64_t begin, std::int64_t packs, Pattern pattern,
                              int rank) {
  for (std::int64_t i = first_item(); i < packs; i += item_stride()) {
    const std::int64_t at = begin + i * N;
    Pack<T, N> pack;
    for (int k = 0; k < N; ++k) {
      pack.element[k] =
          from_integer<T>(contribution(pattern, rank, static_cast<std::uint64_t>(at + k)));
    }
    *reinterpret_cast<Pack<T, N>*>(out + at) = pack;
  }
}

}  // namespace

void fill_random(void* out, std::int64_t bytes, std::uint64_t seed, int rank, cudaStream_t stream) {
  if (bytes <= 0) return;
  random_bytes<<<blocks_for(bytes / 16), kThreads, 0, stream>>>(static_cast<unsigned char*>(out),
                                                                bytes, seed, rank);
}

void fill_contribution(DataType type, const Pattern& pattern, int rank, void* out,
                       std::int64_t count, cudaStream_t stream) {
  with_device_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kWide = 16 / sizeof(T);
    auto* typed = static_cast<T*>(out);
    const std::int64_t packs = aligned_to_16(out) ? count / kWide : 0;
    const std::int64_t rest = count - packs * kWide;
    if (packs > 0) {
      contributions<T, kWide>
          <<<blocks_for(packs), kThreads, 0, stream>>>(typed, 0, packs, pattern, rank);
    }
    if (rest > 0) {
      contributions<T, 1>
          <<<blocks_for(rest), kThreads, 0, stream>>>(typed, packs * kWide, rest, pattern, rank);
    }
  });
}

}  // namespace nccl_sweep::kernels
