// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/element.cuh"
#include "kernels/load.hpp"

namespace nccl_sweep::kernels {
namespace {

// One unit of work. 8 warps keep the four schedulers of a multiprocessor busy with two warps each,
// and 8 independent chains hide the 4 cycles of a multiply-add: one a cycle and scheduler. 5 us at
// 1.75 GHz are 8750 cycles; 2 warps x 8 chains x 550 steps are 8800.
constexpr int kChains = 8;
constexpr int kFmaSteps = 550;
// A multiprocessor of an H200 gets 1 / 132 of 4.2 TB/s: 160 KB in 5 us, half read, half written.
constexpr int kPieceBytes = 64 << 10;
constexpr int kPieces = 1;
constexpr int kCopiesInFlight = 8;

__global__ void __launch_bounds__(kThreads, 1)
    multiply_adds(float* scratch, std::int64_t floats, int units) {
  float chain[kChains];
  for (int c = 0; c < kChains; ++c) chain[c] = static_cast<float>(threadIdx.x + c) * 0x1p-12F;
  // Parameters that the compiler cannot fold; the chains approach 1.
  const float factor = 1 - 1.0F / static_cast<float>(floats);
  const float addend = 1 - factor;
  for (int step = 0; step < units * kFmaSteps; ++step) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = __fmaf_rn(chain[c], factor, addend);
  }
  float sum = 0;
  for (float value : chain) sum += value;
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  scratch[thread % floats] = sum;  // as a matrix product writes its tile: else nothing is computed
}

// The first half of scratch to the second, piece by piece and from the start again.
__global__ void __launch_bounds__(kThreads, 1)
    copies(uint4* scratch, std::int64_t half, int units) {
  constexpr int kPacks = kPieceBytes / 16;
  static_assert(kPacks % (kCopiesInFlight * kThreads) == 0);
  for (int piece = 0; piece < units * kPieces; ++piece) {
    const std::int64_t turn = std::int64_t{blockIdx.x} + std::int64_t{piece} * gridDim.x;
    const std::int64_t begin = turn % (half / kPacks) * kPacks;
    for (int at = static_cast<int>(threadIdx.x); at < kPacks; at += kCopiesInFlight * kThreads) {
      uint4 packs[kCopiesInFlight];
#pragma unroll
      for (int k = 0; k < kCopiesInFlight; ++k)
        packs[k] = __ldcs(scratch + begin + at + k * kThreads);
#pragma unroll
      for (int k = 0; k < kCopiesInFlight; ++k) {
        __stcs(scratch + half + begin + at + k * kThreads, packs[k]);
      }
    }
  }
}

const void* kernel_of(LoadKind kind) {
  return kind == LoadKind::fma ? reinterpret_cast<const void*>(&multiply_adds)
                               : reinterpret_cast<const void*>(&copies);
}

// A large matrix product's block holds most of the shared memory of its multiprocessor for the
// tiles in flight, so it is alone there, and a collective's block waits for a free multiprocessor
// or takes one away. Seven eighths are 198 KiB on an H200.
int shared_bytes() {
  int device = 0;
  int most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return most / 8 * 7;
}

}  // namespace

int resident_load_ctas(LoadKind kind) {
  const void* kernel = kernel_of(kind);
  const int shared = shared_bytes();
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  const bool known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) ==
          cudaSuccess &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, kernel, kThreads, static_cast<std::size_t>(shared)) == cudaSuccess;
  return known ? blocks * multiprocessors : 0;
}

void launch_load(LoadKind kind, int ctas, int waves, void* scratch, std::int64_t bytes,
                 cudaStream_t stream) {
  if (ctas <= 0 || waves <= 0) return;
  const auto shared = static_cast<std::size_t>(shared_bytes());
  const int resident = resident_load_ctas(kind);  // sets the attribute for so much shared memory
  if (resident == 0) return;
  // Short blocks that queue up, or, where multiprocessors are to stay free, blocks that stay.
  const bool queue = ctas >= resident;
  const auto blocks = static_cast<unsigned>(queue ? ctas * waves : ctas);
  const int units = queue ? 1 : waves;
  if (kind == LoadKind::fma) {
    multiply_adds<<<blocks, kThreads, shared, stream>>>(static_cast<float*>(scratch), bytes / 4,
                                                        units);
  } else {
    copies<<<blocks, kThreads, shared, stream>>>(static_cast<uint4*>(scratch), bytes / 32, units);
  }
}

}  // namespace nccl_sweep::kernels
