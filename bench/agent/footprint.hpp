// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What supervising costs: the agents' own CPU and memory, and what rank 0 sends and receives. Goes
// into the end record, so that runs of few and of many agents can be compared.
#pragma once

#include <chrono>
#include <cstdint>

#include "agent/control.hpp"
#include "core/records.hpp"

namespace nccl_sweep::agent {

double own_cpu_seconds();  // user and system, of this process so far

// While its workers measure, and while it waits for other agents at the end of a phase, an agent
// has nothing to do but to look now and then.
class Idleness {
 public:
  template <class Waiting>
  auto during(const Waiting& waiting) {
    const double cpu_before = own_cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    auto result = waiting();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    cpu_seconds_ += own_cpu_seconds() - cpu_before;
    return result;
  }
  double cpu_per_second() const { return seconds_ > 0 ? cpu_seconds_ / seconds_ : 0; }

 private:
  double seconds_ = 0;
  double cpu_seconds_ = 0;
};

// Collective over all agents; the figures of the largest agent, on rank 0.
struct Footprint {
  std::int64_t peak_rss_bytes = 0;
  double cpu_seconds = 0;       // since `cpu_before`
  double idle_cpu_per_second = 0;
};
Footprint largest_footprint(ControlPlane&, double cpu_before, const Idleness&);

// Rank 0: what it handled in each trial.
class TrafficMeter {
 public:
  explicit TrafficMeter(const ControlPlane& control) : control_(control) {}
  void trial_begins() { before_ = control_.traffic(); }
  void trial_ends(double total_seconds, double measure_seconds);
  ControlFigures figures(const Footprint&) const;

 private:
  const ControlPlane& control_;
  Traffic before_;
  ControlFigures sums_;
  int trials_ = 0;
};

}  // namespace nccl_sweep::agent
