// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Device types of DataType, and the shape of our kernels: grid-stride loops in which a thread
// handles one pack of 16 bytes where the buffer is aligned to that, else one element.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
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

inline bool aligned_to_16(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

// Enough blocks to fill any present GPU; the loops stride over the rest.
inline constexpr int kThreads = 256;
inline unsigned blocks_for(std::int64_t items) {
  const std::int64_t blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 2048 ? 2048 : blocks);
}

__device__ inline std::int64_t first_item() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t item_stride() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace nccl_sweep::kernels
