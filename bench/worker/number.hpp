// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The element types of the host backend. A Number type has `storage` (what lies in memory), `value`
// (what is calculated with) and load/store between them; store rounds to nearest even. with_number
// turns a DataType into one of them. No loops over buffers here: worker/arithmetic.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/collective.hpp"

namespace nccl_sweep::worker {

template <class T>
struct Plain {
  using storage = T;
  using value = T;
  static constexpr bool integer = std::is_integral_v<T>;
  static constexpr T load(T x) { return x; }
  static constexpr T store(T x) { return x; }
};

struct Bfloat16 {
  using storage = std::uint16_t;
  using value = float;
  static constexpr bool integer = false;
  static constexpr float load(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  // Free of branches, so that loops over it vectorise.
  static constexpr std::uint16_t store(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return static_cast<std::uint16_t>(nan ? 0x7fffu : rounded >> 16);
  }
};

// IEEE-like float of one sign bit, Exponent and Mantissa bits. kLargest is the code of the largest
// finite value, kInfinity that of infinity (0: the type has none), kOver what overflow becomes.
template <class Storage, int Exponent, int Mantissa, unsigned kLargest, unsigned kInfinity,
          unsigned kOver, unsigned kNan>
struct SmallFloat {
  using storage = Storage;
  using value = float;
  static constexpr bool integer = false;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr unsigned kSign = 1u << (Exponent + Mantissa);
  static constexpr int kDrop = 23 - Mantissa;  // float mantissa bits that are rounded away

  static constexpr float load(Storage bits) {
    const unsigned code = bits & (kSign - 1u);
    const std::uint32_t sign = (bits & kSign) != 0 ? 0x80000000u : 0u;
    std::uint32_t magnitude = 0;
    if (code > kLargest) {
      magnitude = code == kInfinity ? 0x7f800000u : 0x7fc00000u;
    } else if ((code >> Mantissa) == 0) {  // subnormal: code x 2^(1 - bias - mantissa bits)
      const float unit =
          std::bit_cast<float>(static_cast<std::uint32_t>(127 + 1 - kBias - Mantissa) << 23);
      magnitude = std::bit_cast<std::uint32_t>(static_cast<float>(code) * unit);
    } else {
      magnitude = (code << kDrop) + (static_cast<std::uint32_t>(127 - kBias) << 23);
    }
    return std::bit_cast<float>(magnitude | sign);
  }

  static Storage store(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const unsigned sign = (bits >> 31) != 0 ? kSign : 0u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(127 + 1 - kBias) << 23;
    unsigned code = 0;
    if (magnitude > 0x7f800000u) {
      code = kNan;
    } else if (magnitude < kSmallestNormal) {
      const float per_unit =
          std::bit_cast<float>(static_cast<std::uint32_t>(127 - 1 + kBias + Mantissa) << 23);
      code = static_cast<unsigned>(std::nearbyint(std::bit_cast<float>(magnitude) * per_unit));
    } else {
      const std::uint32_t rounded =
          magnitude + ((1u << (kDrop - 1)) - 1u) + ((magnitude >> kDrop) & 1u);
      code = (rounded >> kDrop) - (static_cast<unsigned>(127 - kBias) << Mantissa);
      if (code > kLargest) code = kOver;
    }
    return static_cast<Storage>(code | sign);
  }
};

using Float16 = SmallFloat<std::uint16_t, 5, 10, 0x7bff, 0x7c00, 0x7c00, 0x7e00>;
// OCP 8-bit floats; they saturate, as CUDA's conversions do (__NV_SATFINITE). e4m3 has no infinity.
using Float8e4m3 = SmallFloat<std::uint8_t, 4, 3, 0x7e, 0, 0x7e, 0x7f>;
using Float8e5m2 = SmallFloat<std::uint8_t, 5, 2, 0x7b, 0x7c, 0x7b, 0x7f>;

// Calls f with a value of the Number type that stands for `type`.
template <class F>
decltype(auto) with_number(DataType type, F&& f) {
  switch (type) {
    case DataType::int8:
      return f(Plain<std::int8_t>{});
    case DataType::uint8:
      return f(Plain<std::uint8_t>{});
    case DataType::int32:
      return f(Plain<std::int32_t>{});
    case DataType::uint32:
      return f(Plain<std::uint32_t>{});
    case DataType::int64:
      return f(Plain<std::int64_t>{});
    case DataType::uint64:
      return f(Plain<std::uint64_t>{});
    case DataType::float16:
      return f(Float16{});
    case DataType::float32:
      return f(Plain<float>{});
    case DataType::float64:
      return f(Plain<double>{});
    case DataType::bfloat16:
      return f(Bfloat16{});
    case DataType::float8e4m3:
      return f(Float8e4m3{});
    case DataType::float8e5m2:
      break;
  }
  return f(Float8e5m2{});
}

}  // namespace nccl_sweep::worker
