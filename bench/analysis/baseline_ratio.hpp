// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a comparison with a reference, on plain numbers: ln busbw of launches here, a
// figure with or without an interval there, their ratio against a threshold. What may be compared
// at all is baseline_match.hpp's.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/statistics.hpp"
#include "core/baseline_file.hpp"

namespace nccl_sweep {

enum class Standing { pass, fail, undecided, not_comparable };
std::string_view to_string(Standing);  // "not comparable"

// Below it a ratio has no interval: two launches would give one over orders of magnitude.
inline constexpr int kFewestLaunches = 3;

struct ThresholdRule {
  double threshold = 0.95;     // of busbw: a convention of this program
  bool single_launch = false;  // judge fewer than kFewestLaunches by their value alone
};

struct BusbwRatio {
  double value = 0;                              // here / there
  std::optional<statistics::Interval> interval;  // 95 %
  int launches = 0;                              // here
  int reference_launches = 0;                    // there; 0: unknown, taken as exact
  Standing standing = Standing::undecided;
  double p_value = 1;  // of "at least the threshold"; 0 or 1 by value alone
};

// ln of a reference. Its standard error is read back from the interval; without one it is exact.
statistics::Estimate log_estimate(const Figure& figure);

// pass: the lower end of the interval reaches the threshold; fail: the upper end does not.
BusbwRatio judge_ratio(std::span<const double> here, const statistics::Estimate& there,
                       int reference_launches, const ThresholdRule& rule);

// The reference of several sizes together: the weighted mean of estimates, whose launches may have
// been fast together, so standard errors add up. Weights sum to 1.
statistics::Estimate weighted_estimate(std::span<const statistics::Estimate> estimates,
                                       std::span<const double> weights);

// Which of them fall below the threshold after Holm's correction, at 2.5 % one-sided.
std::vector<bool> fail_after_holm(std::span<const BusbwRatio> ratios);

}  // namespace nccl_sweep
