// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the launches of a run's default measured, case by case: the side of a comparison that comes
// from records. Burn-in, sentinels and trials that only describe are not among them.
#pragma once

#include <optional>
#include <vector>

#include "core/records.hpp"

namespace nccl_sweep {

class DefaultLaunches {
 public:
  explicit DefaultLaunches(const RunData& data);

  int count() const { return static_cast<int>(seconds_.size()); }
  // [launch]: ln of the case's busbw in GB/s; launches that lack it are left out.
  std::vector<double> log_busbw(int case_index) const;
  // [launch]: of several cases the mean or the best busbw; of launches that have them all.
  std::vector<double> log_mean_busbw(const std::vector<int>& cases) const;
  std::vector<double> log_peak_busbw(const std::vector<int>& cases) const;
  // [launch]: mean of ln busbw over cases; of launches that have them all.
  std::vector<double> mean_log_busbw(const std::vector<int>& cases) const;
  // [launch]: -ln of the sum of calls x time.
  std::vector<double> log_speed(const std::vector<int>& cases,
                                const std::vector<double>& calls) const;

 private:
  template <class Fold>
  std::vector<double> folded(const std::vector<int>& cases, Fold&& fold) const;

  std::vector<Case> cases_;
  std::vector<std::vector<double>> seconds_;  // [launch][case], NaN where missing
};

// GB/s (1e9 bytes a second), as in baseline files, to seconds an op and back.
double seconds_at(const Case& c, double busbw);
double busbw_at(const Case& c, double seconds);

}  // namespace nccl_sweep
