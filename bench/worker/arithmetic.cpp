// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "worker/number.hpp"

namespace nccl_sweep::worker {
namespace {

// Buffers come from mmap and are offset by whole elements, so the typed pointers are aligned.
template <class T>
T* typed(std::byte* bytes) {
  return static_cast<T*>(static_cast<void*>(bytes));
}
template <class T>
const T* typed(const std::byte* bytes) {
  return static_cast<const T*>(static_cast<const void*>(bytes));
}

// Integers add and multiply as unsigned 64 bit: they wrap instead of overflowing.
template <class Value, class F>
Value wrapping(Value a, Value b, F f) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<Value>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  } else {
    return f(a, b);
  }
}

template <class Number, class F>
void reduce_with(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t count, F f) {
  using storage = typename Number::storage;
  auto* result = typed<storage>(out);
  const auto* left = typed<storage>(a);
  const auto* right = typed<storage>(b);
#pragma GCC ivdep  // out equals a or b, or overlaps neither
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = Number::store(f(Number::load(left[i]), Number::load(right[i])));
  }
}

template <class Number>
typename Number::storage from_integer(std::int64_t x) {
  return Number::store(static_cast<typename Number::value>(x));
}

template <class Number>
typename Number::storage divided(typename Number::value x, int ranks) {
  using value = typename Number::value;
  if constexpr (Number::integer && sizeof(value) < sizeof(std::int64_t)) {
    return static_cast<value>(static_cast<std::int64_t>(x) / ranks);  // ranks may not fit in int8
  } else {
    return Number::store(x / static_cast<value>(ranks));
  }
}

}  // namespace

void reduce(DataType type, ReduceOp op, std::byte* out, const std::byte* a, const std::byte* b,
            std::int64_t count) {
  with_number(type, [&](auto number) {
    using Number = decltype(number);
    using Value = typename Number::value;
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::avg:
        return reduce_with<Number>(out, a, b, count, [](Value x, Value y) {
          return wrapping(x, y, [](auto p, auto q) { return p + q; });
        });
      case ReduceOp::prod:
        return reduce_with<Number>(out, a, b, count, [](Value x, Value y) {
          return wrapping(x, y, [](auto p, auto q) { return p * q; });
        });
      case ReduceOp::max:
        return reduce_with<Number>(out, a, b, count,
                                   [](Value x, Value y) { return x < y ? y : x; });
      case ReduceOp::min:
        return reduce_with<Number>(out, a, b, count,
                                   [](Value x, Value y) { return y < x ? y : x; });
    }
  });
}

void divide(DataType type, std::byte* values, int ranks, std::int64_t count) {
  with_number(type, [&](auto number) {
    using Number = decltype(number);
    auto* x = typed<typename Number::storage>(values);
    for (std::int64_t i = 0; i < count; ++i) x[i] = divided<Number>(Number::load(x[i]), ranks);
  });
}

void fill_contribution(DataType type, const kernels::Pattern& pattern, int rank, std::int64_t first,
                       std::byte* out, std::int64_t count) {
  with_number(type, [&](auto number) {
    using Number = decltype(number);
    auto* x = typed<typename Number::storage>(out);
    for (std::int64_t i = 0; i < count; ++i) {
      x[i] = from_integer<Number>(
          kernels::contribution(pattern, rank, static_cast<std::uint64_t>(first + i)));
    }
  });
}

void fill_answer(DataType type, const kernels::Pattern& pattern, std::int64_t first, std::byte* out,
                 std::int64_t count) {
  with_number(type, [&](auto number) {
    using Number = decltype(number);
    auto* x = typed<typename Number::storage>(out);
    for (std::int64_t i = 0; i < count; ++i) {
      x[i] = from_integer<Number>(kernels::answer(pattern, static_cast<std::uint64_t>(first + i)));
    }
  });
  if (pattern.op == ReduceOp::avg) divide(type, out, pattern.ranks, count);
}

void fill_random(std::uint64_t seed, int rank, std::byte* out, std::int64_t bytes,
                 std::int64_t start) {
  const kernels::Key key = kernels::key_of(seed, rank);
  std::int64_t at = 0;
  const auto put = [&](std::int64_t wanted) {
    const std::int64_t byte = start + at;
    const std::uint32_t word =
        kernels::random_word(key, static_cast<std::uint64_t>(byte / 4)) >> (8 * (byte % 4));
    const std::int64_t n = std::min({wanted, 4 - byte % 4, bytes - at});
    std::memcpy(out + at, &word, static_cast<std::size_t>(n));
    at += n;
  };
  while (at < bytes && (start + at) % 4 != 0) put(1);
  for (; at + 4 <= bytes; at += 4) {  // the bulk: simple enough to be vectorised
    const std::uint32_t word =
        kernels::random_word(key, static_cast<std::uint64_t>((start + at) / 4));
    std::memcpy(out + at, &word, 4);
  }
  while (at < bytes) put(4);
}

void compare(const std::byte* got, const std::byte* wanted, std::int64_t count,
             std::int64_t element_bytes, std::int64_t index, Differences& differences) {
  const auto width = static_cast<std::size_t>(element_bytes);
  if (std::memcmp(got, wanted, width * static_cast<std::size_t>(count)) == 0) return;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::memcmp(got + i * element_bytes, wanted + i * element_bytes, width) == 0) continue;
    if (differences.count++ == 0) differences.first = index + i;
  }
}

std::string number_text(DataType type, const std::byte* element) {
  return with_number(type, [&](auto number) {
    using Number = decltype(number);
    typename Number::storage bits{};
    std::memcpy(&bits, element, sizeof bits);
    const auto value = Number::load(bits);
    if constexpr (Number::integer && sizeof(value) == 1) {
      return fmt::format("{}", static_cast<int>(value));  // not a character
    } else {
      return fmt::format("{}", value);
    }
  });
}

std::string bits_text(const std::byte* element, std::int64_t element_bytes) {
  std::string text = "0x";  // most significant byte first, as one writes a number
  for (std::int64_t i = element_bytes - 1; i >= 0; --i) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
  }
  return text;
}

}  // namespace nccl_sweep::worker
