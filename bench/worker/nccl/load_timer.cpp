// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/load_timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace nccl_sweep::worker {
namespace {

constexpr std::int64_t kScratchBytes = std::int64_t{256} << 20;
constexpr int kRepetitions = 5;
// 0.2 ms a kernel, as a matrix product of a training step. Many waves of short blocks: with four
// of 50 us one multiprocessor less cost a whole fifth wave, as much as 24 did (measured: 1.25).
constexpr int kWaves = 40;
constexpr int kKernels = 50;
// The collective lasts this much longer than the load by itself, for a load that is slowed down.
constexpr double kCover = 3;
constexpr int kMostOps = 4000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

kernels::LoadKind parse_kind(const std::string& kind) {
  if (kind == "fma") return kernels::LoadKind::fma;
  if (kind == "copy") return kernels::LoadKind::copy;
  throw Unsupported(fmt::format("unknown load kernel '{}'", kind));
}

}  // namespace

LoadTimer::LoadTimer(const std::string& kind, int ctas)
    : kind_(parse_kind(kind)),
      ctas_(ctas > 0 ? ctas : kernels::resident_load_ctas(kind_)),
      scratch_(kScratchBytes) {}

void LoadTimer::launch() {
  start_.record(stream_.get());
  for (int i = 0; i < kKernels; ++i) {
    kernels::launch_load(kind_, ctas_, kWaves, scratch_.get(), kScratchBytes, stream_.get());
  }
  end_.record(stream_.get());
  cuda_check(cudaGetLastError(), "load kernel");
}

double LoadTimer::time_load() {
  cuda_check(cudaStreamSynchronize(stream_.get()), "load kernel");
  return seconds_between(start_, end_);
}

Backend::LoadTimes LoadTimer::time(const Collective& collective) {
  launch();  // the first launch loads the kernel's code
  time_load();
  std::vector<double> alone;
  std::vector<double> beside;
  for (int i = 0; i < kRepetitions; ++i) {
    launch();
    alone.push_back(time_load());
  }
  constexpr int kTrialOps = 10;
  const auto start = std::chrono::steady_clock::now();
  collective.enqueue(kTrialOps);
  collective.wait();
  const std::chrono::duration<double> ten = std::chrono::steady_clock::now() - start;
  // All ranks must launch the same number of ops.
  const double wanted = collective.align(kCover * median(alone) / (ten.count() / kTrialOps));
  const int ops = std::clamp(static_cast<int>(std::ceil(wanted)), 4, kMostOps);
  for (int i = 0; i < kRepetitions; ++i) {
    collective.align(0);
    launch();
    collective.enqueue(ops);
    beside.push_back(time_load());
    collective.wait();
  }
  return {Seconds{median(alone)}, Seconds{median(beside)}};
}

}  // namespace nccl_sweep::worker
