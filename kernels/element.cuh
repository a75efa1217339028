// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Device types of DataType, and the shape of our kernels: grid-stride loops in which a thread
// handles packs of 16 bytes where the buffer is aligned to that, else elements.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/collective.hpp"

namespace nccl_sweep::kernels {

template <class T>
__device__ T from_double(double x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(x);
  } else {
    return T(static_cast<float>(x));  // rounds to nearest even
  }
}
template <class T>
__device__ T from_integer(std::int64_t x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(x);  // wraps
  } else {
    return from_double<T>(static_cast<double>(x));
  }
}
template <class T>
__device__ double to_double(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(x);
  } else {
    return static_cast<double>(static_cast<float>(x));
  }
}

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T element[N];
};

// std::bit_cast is not for device code.
template <class To, class From>
__device__ To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

// Streaming accesses: the next kernel finds nothing of a large buffer in the cache anyway. P is a
// Pack of 16, 8 or 4 bytes.
template <class P>
using Bits =
    std::conditional_t<sizeof(P) == 16, uint4, std::conditional_t<sizeof(P) == 8, uint2, unsigned>>;
template <class P>
__device__ void store(P* to, const P& pack) {
  __stcs(reinterpret_cast<Bits<P>*>(to), as<Bits<P>>(pack));
}
template <class P>
__device__ P load(const P* from) {
  return as<P>(__ldcs(reinterpret_cast<const Bits<P>*>(from)));
}

template <class P>
__device__ bool same_bits(const P& a, const P& b) {
  using Words = Pack<std::uint32_t, sizeof(P) / 4>;
  const auto x = as<Words>(a);
  const auto y = as<Words>(b);
  std::uint32_t difference = 0;
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(P) / 4); ++w) {
    difference |= x.element[w] ^ y.element[w];
  }
  return difference == 0;
}

// f(tag of the device type)
template <class T>
struct Tag {
  using type = T;
};
template <class F>
void with_device_type(DataType type, F&& f) {
  switch (type) {
    case DataType::int8:
      return f(Tag<std::int8_t>{});
    case DataType::uint8:
      return f(Tag<std::uint8_t>{});
    case DataType::int32:
      return f(Tag<std::int32_t>{});
    case DataType::uint32:
      return f(Tag<std::uint32_t>{});
    case DataType::int64:
      return f(Tag<std::int64_t>{});
    case DataType::uint64:
      return f(Tag<std::uint64_t>{});
    case DataType::float16:
      return f(Tag<__half>{});
    case DataType::float32:
      return f(Tag<float>{});
    case DataType::float64:
      return f(Tag<double>{});
    case DataType::bfloat16:
      return f(Tag<__nv_bfloat16>{});
    case DataType::float8e4m3:
      return f(Tag<__nv_fp8_e4m3>{});
    case DataType::float8e5m2:
      return f(Tag<__nv_fp8_e5m2>{});
  }
}

inline bool aligned(const void* pointer, std::uint64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Thread blocks of kThreads; each thread has kInFlight packs in flight, kThreads apart, so that a
// multiprocessor always waits for enough memory accesses.
inline constexpr int kThreads = 256;
inline constexpr int kInFlight = 4;

// Four full GPUs' worth of blocks even out their ends; the loops below stride over the rest.
inline unsigned blocks_for(std::int64_t items) {
  int device = 0;
  int multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  constexpr std::int64_t kTile = kThreads * kInFlight;
  const std::int64_t most = std::int64_t{multiprocessors} * 4 * 2048 / kThreads;
  const std::int64_t blocks = (items + kTile - 1) / kTile;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

// f(i) for each i < items: for the few that are left over, and where nothing is aligned.
template <class F>
__device__ void for_each_item(std::int64_t items, F&& f) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < items; i += stride) {
    f(i);
  }
}

// out[i] = value(i)
template <class P, class F>
__device__ void write_packs(P* out, std::int64_t packs, F&& value) {
  constexpr std::int64_t kTile = kThreads * kInFlight;
  for (std::int64_t at = blockIdx.x * kTile + threadIdx.x; at < packs; at += gridDim.x * kTile) {
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const std::int64_t i = at + k * kThreads;
      const P pack = value(i);
      if (i < packs) store(out + i, pack);
    }
  }
}

// otherwise(i) for each i with in[i] != value(i), bit by bit. That is rare, so it stands apart.
template <class P, class F, class G>
__device__ void compare_packs(const P* in, std::int64_t packs, F&& value, G&& otherwise) {
  constexpr std::int64_t kTile = kThreads * kInFlight;
  for (std::int64_t at = blockIdx.x * kTile + threadIdx.x; at < packs; at += gridDim.x * kTile) {
    P seen[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      seen[k] = load(in + (at + k * kThreads < packs ? at + k * kThreads : at));
    }
    unsigned differ = 0;
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (!same_bits(seen[k], value(at + k * kThreads))) differ |= 1U << k;
    }
#pragma unroll 1
    for (; differ != 0; differ &= differ - 1) {
      const std::int64_t i = at + (__ffs(static_cast<int>(differ)) - 1) * kThreads;
      if (i < packs) otherwise(i);
    }
  }
}

}  // namespace nccl_sweep::kernels
