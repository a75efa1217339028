// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel that stands for the compute that runs beside a collective: many short thread blocks of
// multiply-adds or of copies, scheduled like a matrix product's. How much longer it takes while
// the collective runs is what the collective costs in SMs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace nccl_sweep::kernels {

enum class LoadKind { fma, copy };

// Thread blocks of the load kernel that the current device runs at a time. Throws nothing; 0 on a
// CUDA error (cudaGetLastError tells it).
int resident_load_ctas(LoadKind kind);

// `waves` times `ctas` thread blocks' work, each about 5 us on an H200. From
// resident_load_ctas() on they are short blocks that queue up; fewer are blocks that stay for all
// waves and leave the other multiprocessors free all the while, as a persistent matrix product
// that spares some. Each block has a multiprocessor to itself. `scratch` is device memory of
// `bytes`, at least 1 MiB; LoadKind::copy copies its first half to its second (larger than the L2
// cache, or it loads that only), LoadKind::fma writes one float a thread. Asynchronous on `stream`.
// On a CUDA error nothing runs, and cudaGetLastError tells it.
void launch_load(LoadKind kind, int ctas, int waves, void* scratch, std::int64_t bytes,
                 cudaStream_t stream);

}  // namespace nccl_sweep::kernels
