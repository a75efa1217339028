// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/footprint.hpp"

#include <algorithm>

#include <sys/resource.h>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr double kPatience = 120;  // seconds; nothing but the end record is left to do

std::int64_t own_peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Footprint largest_footprint(ControlPlane& control, double cpu_before, const Idleness& idle) {
  Footprint largest{own_peak_rss_bytes(), own_cpu_seconds() - cpu_before,
                    idle.cpu_per_second()};
  const auto combine = [&](const std::vector<std::string>& children) {
    for (const std::string& child : children) {
      Unpacker packed(child);
      largest.peak_rss_bytes = std::max(largest.peak_rss_bytes, packed.get<std::int64_t>());
      largest.cpu_seconds = std::max(largest.cpu_seconds, packed.get<double>());
      largest.idle_cpu_per_second = std::max(largest.idle_cpu_per_second, packed.get<double>());
    }
    Packer packed;
    packed.put(largest.peak_rss_bytes);
    packed.put(largest.cpu_seconds);
    packed.put(largest.idle_cpu_per_second);
    return control.rank() == 0 ? std::string() : packed.take();
  };
  control.exchange(combine, {kPatience});
  return largest;
}

void TrafficMeter::trial_ends(double total_seconds, double measure_seconds) {
  const Traffic now = control_.traffic();
  const std::int64_t messages = now.messages - before_.messages;
  const std::int64_t bytes = now.bytes - before_.bytes;
  ++trials_;
  sums_.messages_per_trial += static_cast<double>(messages);
  sums_.bytes_per_trial += static_cast<double>(bytes);
  sums_.most_messages = std::max(sums_.most_messages, messages);
  sums_.most_bytes = std::max(sums_.most_bytes, bytes);
  sums_.trial_seconds += total_seconds;
  sums_.supervision_seconds += total_seconds - measure_seconds;
}

ControlFigures TrafficMeter::figures(const Footprint& largest) const {
  ControlFigures figures = sums_;
  const double trials = std::max(1, trials_);
  for (double* sum : {&figures.messages_per_trial, &figures.bytes_per_trial,
                      &figures.trial_seconds, &figures.supervision_seconds}) {
    *sum /= trials;
  }
  figures.agents = control_.size();
  figures.messages = control_.traffic().messages;
  figures.bytes = control_.traffic().bytes;
  figures.agent_rss_bytes = largest.peak_rss_bytes;
  figures.agent_cpu_seconds = largest.cpu_seconds;
  figures.idle_cpu_per_second = largest.idle_cpu_per_second;
  return figures;
}

}  // namespace nccl_sweep::agent
