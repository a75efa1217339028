// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Fills device buffers with the predictable data of kernels/pattern.hpp and counts what is wrong in
// them afterwards. All calls are asynchronous on `stream`; buffers are device memory, aligned to
// their element (16-byte accesses where they are aligned to that). Counts are elements.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/collective.hpp"
#include "kernels/pattern.hpp"

namespace nccl_sweep::kernels {

void fill_random(void* out, std::int64_t bytes, std::uint64_t seed, int rank, cudaStream_t stream);
void fill_contribution(DataType, const Pattern&, int rank, void* out, std::int64_t count,
                       cudaStream_t stream);

// In device memory. Start with {0, kNothingWrong}.
struct Mismatch {
  unsigned long long count;
  unsigned long long first;  // smallest wrong element index
};
inline constexpr unsigned long long kNothingWrong = ~0ULL;

// got[0] is element `index` of the buffer that mismatches are numbered by, and byte `start` of what
// `rank` sent. bytes is a multiple of element_bytes. Fast where start is a multiple of 16.
void verify_random(const void* got, std::int64_t bytes, std::uint64_t seed, int rank,
                   int element_bytes, std::int64_t index, Mismatch*, cudaStream_t stream,
                   std::int64_t start = 0);

// got[0] is element `first` of the reduction. An avg of floats over ranks that are no power of two
// may differ by rounding (NCCL multiplies by 1 / n before it adds); everything else is exact. Fast
// where got[0] starts 16 bytes of the reduction, as each rank's share does in nccl-tests.
void verify_answer(DataType, const Pattern&, const void* got, std::int64_t first,
                   std::int64_t count, Mismatch*, cudaStream_t stream);

}  // namespace nccl_sweep::kernels
