// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Filling and checking a buffer beside a copy from device to device: bytes touched a second, and
// their ratio to the copy's, which reads and writes each byte. NCCL_SWEEP_KERNEL_BYTES sets the
// buffer's size (1 GiB).
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "kernels/device_data.hpp"

namespace nccl_sweep::kernels {
namespace {

constexpr int kRanks = 8;
constexpr int kRank = 3;
constexpr std::uint64_t kSeed = 7;
constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

struct Device {
  std::int64_t bytes = std::int64_t{1} << 30;
  void* buffer = nullptr;
  void* other = nullptr;
  Mismatch* found = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  double copy_rate = 0;  // bytes a second, reads and writes

  double seconds(const std::function<void()>& launch) const {
    cudaEventRecord(start);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, end);
    return static_cast<double>(milliseconds) / 1000;
  }
  void copy() const {
    cudaMemcpyAsync(other, buffer, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice);
  }
};

// Empty, or why nothing can be measured.
std::string open(Device& device) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return "no GPU";
  if (const char* text = std::getenv("NCCL_SWEEP_KERNEL_BYTES")) device.bytes = std::atoll(text);
  const auto size = static_cast<std::size_t>(device.bytes);
  void* found = nullptr;
  if (device.bytes <= 0 || cudaMalloc(&device.buffer, size) != cudaSuccess ||
      cudaMalloc(&device.other, size) != cudaSuccess ||
      cudaMalloc(&found, sizeof(Mismatch)) != cudaSuccess) {
    return "no device memory for two buffers of " + std::to_string(device.bytes) + " bytes";
  }
  device.found = static_cast<Mismatch*>(found);
  cudaEventCreate(&device.start);
  cudaEventCreate(&device.end);
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    best = std::min(best, device.seconds([&] { device.copy(); }));
  }
  device.copy_rate = 2 * static_cast<double>(device.bytes) / best;
  return "";
}

void add(const Device& device, const std::string& name, double touched,
         const std::function<void()>& prepare, const std::function<void()>& launch) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=, &device](benchmark::State& state) {
                                 prepare();
                                 Mismatch found{0, kNothingWrong};
                                 cudaMemcpy(device.found, &found, sizeof found, cudaMemcpyDefault);
                                 double total = 0;
                                 for (auto _ : state) {
                                   const double seconds = device.seconds(launch);
                                   total += seconds;
                                   state.SetIterationTime(seconds);
                                 }
                                 cudaMemcpy(&found, device.found, sizeof found, cudaMemcpyDefault);
                                 if (cudaGetLastError() != cudaSuccess)
                                   state.SkipWithError("a CUDA call failed");
                                 if (found.count != 0)
                                   state.SkipWithError("right data was called wrong");
                                 const double rate =
                                     touched * static_cast<double>(state.iterations()) / total;
                                 state.counters["GB/s"] = rate / 1e9;
                                 state.counters["of_copy"] = rate / device.copy_rate;
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void add_reduction(const Device& device, DataType type, ReduceOp op) {
  const std::int64_t count = device.bytes / element_bytes(type);
  const Pattern mine = make_pattern(type, op, kRanks, kSeed);
  const Pattern alone = make_pattern(type, op, 1, kSeed);  // its contribution is the answer
  const std::string name = std::string(to_string(type)) + "/" + std::string(to_string(op));
  const auto bytes = static_cast<double>(device.bytes);
  const auto nothing = [] {};
  add(device, "fill/" + name, bytes, nothing, [&device, type, mine, count] {
    fill_contribution(type, mine, kRank, device.buffer, count, nullptr);
  });
  add(
      device, "verify/" + name, bytes,
      [&device, type, alone, count] {
        fill_contribution(type, alone, 0, device.buffer, count, nullptr);
      },
      [&device, type, alone, count] {
        verify_answer(type, alone, device.buffer, 0, count, device.found, nullptr);
      });
}

void add_all(const Device& device) {
  const auto bytes = static_cast<double>(device.bytes);
  const auto nothing = [] {};
  add(device, "copy", 2 * bytes, nothing, [&device] { device.copy(); });
  add(device, "memset", bytes, nothing,
      [&device] { cudaMemsetAsync(device.buffer, 0, static_cast<std::size_t>(device.bytes)); });
  const auto fill = [&device] { fill_random(device.buffer, device.bytes, kSeed, kRank, nullptr); };
  add(device, "fill/random", bytes, nothing, fill);
  for (int width : {1, 4}) {
    add(device, "verify/random/" + std::to_string(width), bytes, fill, [&device, width] {
      verify_random(device.buffer, device.bytes, kSeed, kRank, width, 0, device.found, nullptr);
    });
  }
  for (int type = 0; type <= static_cast<int>(DataType::float8e5m2); ++type) {
    add_reduction(device, static_cast<DataType>(type), ReduceOp::sum);
  }
  for (DataType type : {DataType::float32, DataType::bfloat16}) {
    for (ReduceOp op : {ReduceOp::avg, ReduceOp::max}) add_reduction(device, type, op);
  }
}

}  // namespace
}  // namespace nccl_sweep::kernels

int main(int argc, char** argv) {
  using namespace nccl_sweep::kernels;
  Device device;
  const std::string missing = open(device);
  if (!missing.empty()) {
    std::printf("kernels_benchmark: skipped, %s\n", missing.c_str());
    return kSkipped;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all(device);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
