// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The worker's GPU: chosen by local rank, with one stream and device memory that is freed with its
// owner. The CUDA runtime is linked statically and opens the driver by itself.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "wire/messages.hpp"

namespace nccl_sweep::worker {

// Throws std::runtime_error with CUDA's own words.
void cuda_check(cudaError_t error, const char* what);

// Between host and device, waited for.
void copy_now(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::int64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  std::byte* get() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
};

// Makes this rank's GPU (core/device_index.hpp) the current one. Throws Unsupported: no driver, no
// GPU, fewer GPUs than ranks.
int choose_device(const wire::Request& request);

std::int64_t free_bytes();            // of the current device's memory
std::string device_uuid(int device);  // "GPU-6e1b...", as nvidia-smi -L prints it
std::string device_name(int device);
std::string driver_version();  // CUDA version of the driver: "12.8"
std::string runtime_version();

}  // namespace nccl_sweep::worker
