// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a single element of a case's output must be, on the host: tells where data went wrong, for
// host and device buffers. The bulk is compared elsewhere (compare(), kernels/verify.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/case.hpp"
#include "kernels/pattern.hpp"

namespace nccl_sweep::worker {

// The numbers that a reducing case of `size` ranks sends.
kernels::Pattern pattern_of(const Case&, std::uint64_t seed, int size);

// "offset 4096 from rank 3 got 0x00 expected 0x3f", or of a reduction, where the owner is the rank
// that put in the answer, "offset 4096 owner rank 2 got 7 expected -3". got[] is element `element`
// of the output of rank `index`.
std::string describe_wrong(const Case&, std::uint64_t seed, int index, int size,
                           std::int64_t element, const std::byte* got);

}  // namespace nccl_sweep::worker
