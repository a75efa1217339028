// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nccl_sweep {
namespace {

using statistics::Estimate;
using statistics::Interval;

constexpr double kConfidence = 0.95;
constexpr double kOneSided = (1 - kConfidence) / 2;
constexpr double kRounding = 1e-9;  // of ln: exactly at the threshold passes
constexpr double kExact = std::numeric_limits<double>::infinity();  // degrees of freedom

// Welch and Satterthwaite: the two sides are as noisy as they are, not alike.
Estimate difference(const Estimate& here, const Estimate& there) {
  const double a = here.standard_error * here.standard_error;
  const double b = there.standard_error * there.standard_error;
  Estimate d{here.value - there.value, std::sqrt(a + b), here.degrees_of_freedom};
  if (!(b > 0)) return d;
  const double spread = a * a / here.degrees_of_freedom + b * b / there.degrees_of_freedom;
  d.degrees_of_freedom = (a + b) * (a + b) / spread;
  return d;
}

Standing standing_of(double low, double high, double threshold) {
  if (low >= threshold - kRounding) return Standing::pass;
  return high < threshold - kRounding ? Standing::fail : Standing::undecided;
}

}  // namespace

std::string_view to_string(Standing standing) {
  constexpr std::array kWords{"pass", "fail", "undecided", "not comparable"};
  return kWords.at(static_cast<std::size_t>(standing));
}

Estimate log_estimate(const Figure& figure) {
  if (!figure.has_interval() || figure.launches < 2) return {std::log(figure.busbw), 0, kExact};
  const double degrees = figure.launches - 1;
  const double reach = std::log(figure.high / figure.low) / 2;
  return {std::log(figure.busbw),
          reach / statistics::student_t_quantile(0.5 + kConfidence / 2, degrees), degrees};
}

BusbwRatio judge_ratio(std::span<const double> here, const Estimate& there, int reference_launches,
                       const ThresholdRule& rule) {
  BusbwRatio ratio;
  const double threshold = std::log(rule.threshold);
  ratio.launches = static_cast<int>(here.size());
  ratio.reference_launches = reference_launches;
  const double value = statistics::mean(here) - there.value;
  ratio.value = std::exp(value);
  const bool few_there = reference_launches > 0 && reference_launches < kFewestLaunches;
  if (ratio.launches < kFewestLaunches || few_there) {
    if (!rule.single_launch) return ratio;
    ratio.standing = standing_of(value, value, threshold);
    ratio.p_value = ratio.standing == Standing::fail ? 0 : 1;
    return ratio;
  }
  const Estimate d = difference(statistics::estimate_mean(here), there);
  const Interval interval = d.standard_error > 0 ? statistics::two_sided_interval(d, kConfidence)
                                                 : Interval{value, value};
  ratio.interval = Interval{std::exp(interval.low), std::exp(interval.high)};
  ratio.standing = standing_of(interval.low, interval.high, threshold);
  const Estimate below{-d.value, d.standard_error, d.degrees_of_freedom};
  ratio.p_value = statistics::p_value_greater(below, kRounding - threshold);
  return ratio;
}

Estimate weighted_estimate(std::span<const Estimate> estimates, std::span<const double> weights) {
  Estimate sum{0, 0, kExact};
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    sum.value += weights[i] * estimates[i].value;
    sum.standard_error += weights[i] * estimates[i].standard_error;
    if (estimates[i].standard_error > 0) {
      sum.degrees_of_freedom = std::min(sum.degrees_of_freedom, estimates[i].degrees_of_freedom);
    }
  }
  return sum;
}

std::vector<bool> fail_after_holm(std::span<const BusbwRatio> ratios) {
  std::vector<double> p_values;
  for (const BusbwRatio& ratio : ratios) p_values.push_back(ratio.p_value);
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  std::vector<bool> failed;
  for (std::size_t i = 0; i < adjusted.size(); ++i) {
    failed.push_back(adjusted[i] <= kOneSided);
  }
  return failed;
}

}  // namespace nccl_sweep
