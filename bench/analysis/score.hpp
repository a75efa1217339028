// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The one number a run decides by: ln of the workload time (calls x time, summed over cases), or,
// without a workload, the mean of ln time over the sizes from 1 MiB on (over all sizes where none
// is that large). Natural logarithms, so a difference of scores is ln of a speed-up. Bandwidth is
// for people and decides nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/case.hpp"
#include "core/trial.hpp"

namespace nccl_sweep {

// Per case of the run the trial's value in seconds per op (core trial_value), NaN where missing.
std::vector<double> seconds_by_case(const std::vector<Case>& cases, const TrialOutcome& trial);

class Score {
 public:
  explicit Score(std::vector<Case> cases);

  // Smaller is faster. Nothing where the trial failed or one of the needed cases is missing.
  std::optional<double> of(const TrialOutcome& trial) const;
  std::optional<double> of_seconds(std::span<const double> seconds) const;

  bool is_workload() const { return workload_; }
  // Indices of the cases that enter, in the order of the run.
  const std::vector<std::size_t>& cases_used() const { return used_; }

 private:
  std::vector<Case> cases_;
  bool workload_ = false;
  std::vector<std::size_t> used_;
};

}  // namespace nccl_sweep
