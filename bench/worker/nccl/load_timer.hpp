// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How much longer compute takes while a collective runs: short kernels of a load (kernels/load.hpp)
// one after another on a stream of their own, as a training step launches them, first by
// themselves, then beside ops of the collective that last longer than the load does.
#pragma once

#include <functional>
#include <string>

#include "kernels/load.hpp"
#include "worker/backend.hpp"
#include "worker/nccl/cuda_objects.hpp"

namespace nccl_sweep::worker {

class LoadTimer {
 public:
  // `kind` is "fma" or "copy" (else Unsupported); `ctas` thread blocks at a time, 0: as many as
  // fit.
  LoadTimer(const std::string& kind, int ctas);

  struct Collective {
    std::function<void(int n)> enqueue;   // n ops, not waited for
    std::function<void()> wait;           // until all of them are done
    std::function<double(double)> align;  // all ranks; the largest of the numbers
  };
  // Medians over a few repetitions. All ranks call it together.
  Backend::LoadTimes time(const Collective& collective);

 private:
  void launch();
  double time_load();

  kernels::LoadKind kind_;
  int ctas_;
  DeviceMemory scratch_;
  Stream stream_;
  Event start_;
  Event end_;
};

}  // namespace nccl_sweep::worker
