// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nccl_sweep {
namespace {

// A cost is named where it grew by this factor and by an amount that somebody would miss.
constexpr double kGrown = 1.5;
constexpr double kCoresPerWorker = 0.1;
constexpr double kStartUpSeconds = 0.5;
constexpr double kDeviceBytes = 256 << 20;
constexpr double kLoadShare = 0.05;  // of the load kernel's time, beyond the baseline's loss

double ratio_of(double after, double before) {
  return before > 0 && after > 0 ? after / before : 0;
}

bool grew(double after, double before, double least) {
  return before > 0 && after >= kGrown * before && after - before > least;
}

std::string memory_text(std::int64_t bytes) { return format_size(Bytes{bytes}); }

// The case where compute loses most against the baseline.
std::string load_warning(const RunData& data, const RunFindings& findings, int candidate) {
  double most = kLoadShare;
  std::string line;
  for (const Point& point : findings.points) {
    if (point.candidate != candidate || !point.load_slowdown) continue;
    const Point* before = findings.point(0, point.case_index);
    if (before == nullptr || !before->load_slowdown) continue;
    const double more = *point.load_slowdown - *before->load_slowdown;
    if (more < most) continue;
    most = more;
    line = fmt::format("a kernel beside {} takes {:.2f}x its own time, {:.2f}x with the default",
                       describe(data.run.cases[static_cast<std::size_t>(point.case_index)]),
                       *point.load_slowdown, *before->load_slowdown);
  }
  return line;
}

// Whoever pays a cost wants to know of settings that screened almost as well: one may cost less.
std::string near_one(const RunData& data, const RunFindings& findings, int candidate) {
  const CandidateFinding& winner = findings.candidates[static_cast<std::size_t>(candidate)];
  const CandidateFinding* next = nullptr;
  for (const CandidateFinding& other : findings.candidates) {
    const bool screened = other.score.verdict == Verdict::not_confirmed && other.score.gain;
    if (!screened || other.failures > 0) continue;
    if (next == nullptr || other.score.gain->ratio > next->score.gain->ratio) next = &other;
  }
  constexpr double kWorthIt = 1.01;
  if (next == nullptr || !winner.score.gain || next->score.gain->ratio < kWorthIt) return {};
  const double behind = winner.score.gain->ratio / next->score.gain->ratio - 1;
  if (behind > data.run.smallest_gain) return {};
  const std::string name =
      name_of(data.run.candidates[static_cast<std::size_t>(next->candidate)]);
  return fmt::format("{} screened {:.2f}x: --only \"{}\" would confirm it and tell its cost", name,
                     next->score.gain->ratio, name);
}

}  // namespace

CostRatios cost_ratios(const RunFindings& findings, int candidate) {
  const CandidateFinding& before = findings.candidates.front();
  const CandidateFinding& after = findings.candidates[static_cast<std::size_t>(candidate)];
  const auto bytes = [](std::int64_t count) { return static_cast<double>(count); };
  return {ratio_of(after.cpu_share, before.cpu_share),
          ratio_of(after.start_up_seconds, before.start_up_seconds),
          ratio_of(after.connect_seconds, before.connect_seconds),
          ratio_of(bytes(after.peak_rss_bytes), bytes(before.peak_rss_bytes)),
          ratio_of(bytes(after.device_bytes), bytes(before.device_bytes))};
}

std::vector<std::string> cost_warnings(const RunData& data, const RunFindings& findings,
                                       int candidate) {
  const CandidateFinding& before = findings.candidates.front();
  const CandidateFinding& after = findings.candidates[static_cast<std::size_t>(candidate)];
  const CostRatios ratios = cost_ratios(findings, candidate);
  std::vector<std::string> lines;
  if (grew(after.cpu_share, before.cpu_share, kCoresPerWorker * std::max(1, data.run.workers))) {
    lines.push_back(fmt::format("host CPU {:.1f}x: {:.1f} cores over all workers, {:.1f} with the "
                                "default",
                                ratios.cpu, after.cpu_share, before.cpu_share));
  }
  if (grew(after.start_up_seconds, before.start_up_seconds, kStartUpSeconds)) {
    lines.push_back(fmt::format("start-up {:.1f}x: {}, {} with the default", ratios.start_up,
                                format_seconds(Seconds{after.start_up_seconds}),
                                format_seconds(Seconds{before.start_up_seconds})));
  }
  if (grew(static_cast<double>(after.device_bytes), static_cast<double>(before.device_bytes),
           kDeviceBytes)) {
    lines.push_back(fmt::format("device memory {:.1f}x: {}, {} with the default",
                                ratios.device_memory, memory_text(after.device_bytes),
                                memory_text(before.device_bytes)));
  }
  if (std::string line = load_warning(data, findings, candidate); !line.empty()) {
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return lines;
  if (std::string line = near_one(data, findings, candidate); !line.empty()) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace nccl_sweep
