// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over buffers of the host backend: reduce, divide, fill with the predictable data of
// kernels/pattern.hpp, and compare with its answer. Buffers are raw bytes, counts are elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/collective.hpp"
#include "kernels/pattern.hpp"

namespace nccl_sweep::worker {

// out[i] = a[i] op b[i]; avg adds (divide() follows at the end). out may be a or b. Floats smaller
// than 32 bits are calculated as float and rounded once per call; integers wrap.
void reduce(DataType, ReduceOp, std::byte* out, const std::byte* a, const std::byte* b,
            std::int64_t count);

// values[i] /= ranks: the end of an avg.
void divide(DataType, std::byte* values, int ranks, std::int64_t count);

// What `rank` sends: elements first .. first + count of a reduction's input.
void fill_contribution(DataType, const kernels::Pattern&, int rank, std::int64_t first,
                       std::byte* out, std::int64_t count);

// The reduction's answer for the same elements, rounded as reduce() and divide() round.
void fill_answer(DataType, const kernels::Pattern&, std::int64_t first, std::byte* out,
                 std::int64_t count);

// `bytes` random bytes: what `rank` sends where nothing is reduced, from its byte `start` on.
void fill_random(std::uint64_t seed, int rank, std::byte* out, std::int64_t bytes,
                 std::int64_t start = 0);

// Elements that are not as they should be; `first` is the index of the first one.
struct Differences {
  std::int64_t count = 0;
  std::int64_t first = -1;
};
// Adds the elements of got[] that differ from wanted[] bit by bit; got[0] is element `index`.
void compare(const std::byte* got, const std::byte* wanted, std::int64_t count,
             std::int64_t element_bytes, std::int64_t index, Differences&);

// An element as people write it: "-3", "0.5", "nan"; or its bits, "0x3f80".
std::string number_text(DataType, const std::byte* element);
std::string bits_text(const std::byte* element, std::int64_t element_bytes);

}  // namespace nccl_sweep::worker
