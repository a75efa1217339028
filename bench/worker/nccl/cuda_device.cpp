// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/cuda_device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "core/device_index.hpp"
#include "worker/backend.hpp"

namespace nccl_sweep::worker {
namespace {

std::string version_text(int code) { return fmt::format("{}.{}", code / 1000, code % 1000 / 10); }

}  // namespace

void cuda_check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(fmt::format("{}: {}", what, cudaGetErrorString(error)));
  }
}

void copy_now(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

DeviceMemory::DeviceMemory(std::int64_t bytes) {
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)),
             fmt::format("cannot allocate {} bytes of device memory", bytes).c_str());
  memory_ = static_cast<std::byte*>(memory);
}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)) {}
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}
DeviceMemory::~DeviceMemory() {
  if (memory_ != nullptr) cudaFree(memory_);
}

int choose_device(const wire::Request& request) {
  // Asked first because the runtime's own answer does not name the file.
  if (::dlopen("libcuda.so.1", RTLD_NOW) == nullptr) {
    throw Unsupported(fmt::format("no CUDA driver: libcuda.so.1 not found ({})", ::dlerror()));
  }
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    throw Unsupported(fmt::format("no usable GPU: {}", cudaGetErrorString(error)));
  }
  const int device =
      device_index(count, request.local_rank, request.agent_rank, request.agent_size);
  if (device < 0) {
    throw Unsupported(
        fmt::format("this node has {} ranks but the job sees {} GPUs", request.local_size, count));
  }
  cuda_check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

std::string device_name(int device) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

std::string device_uuid(int device) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    const bool dash = i == 4 || i == 6 || i == 8 || i == 10;  // 8-4-4-4-12 digits
    text += fmt::format("{}{:02x}", dash ? "-" : "",
                        static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return text;
}

std::string driver_version() {
  int code = 0;
  cuda_check(cudaDriverGetVersion(&code), "cudaDriverGetVersion");
  return version_text(code);
}
std::string runtime_version() {
  int code = 0;
  cuda_check(cudaRuntimeGetVersion(&code), "cudaRuntimeGetVersion");
  return version_text(code);
}

}  // namespace nccl_sweep::worker
