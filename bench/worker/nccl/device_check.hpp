// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Fills the buffers of an op with predictable data and checks its output on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/device_data.hpp"
#include "worker/backend.hpp"
#include "worker/layout.hpp"
#include "worker/nccl/cuda_device.hpp"

namespace nccl_sweep::worker {

struct BufferPlace {  // of one op on this rank, in device memory
  std::byte* in = nullptr;
  std::byte* out = nullptr;
  Layout layout;
};

class DeviceCheck {
 public:
  DeviceCheck(std::uint64_t seed, cudaStream_t stream);

  // Asynchronous on the stream: what no collective writes into the output, then the input.
  void fill(const Case& what, int index, int size, const BufferPlace& at);
  void poison(const Case& what, int index, int size, const BufferPlace& at);

  // Synchronous. `index` of `size` ranks of the group.
  Verification verify(const Case& what, int index, int size, const BufferPlace& at);

 private:
  void check(const Case& what, int index, int size, const BufferPlace& at,
             kernels::Mismatch* found);
  std::string first_wrong(const Case& what, int index, int size, const BufferPlace& at,
                          const kernels::Mismatch& found);
  kernels::Pattern pattern(const Case& what, int size) const;

  std::uint64_t seed_;
  cudaStream_t stream_;
  DeviceMemory result_;
};

}  // namespace nccl_sweep::worker
