// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace nccl_sweep::statistics {
namespace {

// lgamma() of the C library writes the global signgam; arguments here are positive, so Lanczos
// (g = 5, n = 6, error below 2e-10) serves and is the same on every platform.
double log_gamma(double x) {
  constexpr double kCoefficients[] = {76.18009172947146,     -86.50532032941677,
                                      24.01409824083091,     -1.231739572450155,
                                      0.1208650973866179e-2, -0.5395239384953e-5};
  const double shifted = x + 5.5;
  const double log_part = (x + 0.5) * std::log(shifted) - shifted;
  double series = 1.000000000190015;
  double y = x;
  for (const double coefficient : kCoefficients) series += coefficient / ++y;
  return log_part + std::log(2.5066282746310005 * series / x);
}

double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kPrecision = 1e-15;
  constexpr int kMaximumTerms = 1000;
  const auto kept_off_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / kept_off_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMaximumTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept_off_zero(1 + even * d);
    c = kept_off_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept_off_zero(1 + odd * d);
    c = kept_off_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return fraction;
}

double student_t_density(double t, double degrees_of_freedom) {
  const double v = degrees_of_freedom;
  constexpr double kPi = 3.14159265358979324;
  return std::exp(log_gamma((v + 1) / 2) - log_gamma(v / 2) - (v + 1) / 2 * std::log1p(t * t / v)) /
         std::sqrt(v * kPi);
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = position - std::floor(position);
  return values[below] + part * (values[above] - values[below]);
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_t_cdf(double t, double degrees_of_freedom) {
  const double v = degrees_of_freedom;
  const double tail = 0.5 * incomplete_beta(v / 2, 0.5, v / (v + t * t));
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double degrees_of_freedom) {
  if (p == 0.5) return 0;
  if (p < 0.5) return -student_t_quantile(1 - p, degrees_of_freedom);
  double low = 0;
  double high = 1;
  while (student_t_cdf(high, degrees_of_freedom) < p && high < 1e12) high *= 2;
  // Newton's steps, each kept inside what is known to enclose the quantile.
  constexpr double kPrecision = 1e-13;
  constexpr int kMostSteps = 200;
  double t = (low + high) / 2;
  for (int step = 0; step < kMostSteps && high - low > kPrecision * high; ++step) {
    const double beyond = student_t_cdf(t, degrees_of_freedom) - p;
    (beyond < 0 ? low : high) = t;
    const double next = t - beyond / student_t_density(t, degrees_of_freedom);
    const double kept = next > low && next < high ? next : (low + high) / 2;
    if (std::abs(kept - t) <= kPrecision * t) return kept;
    t = kept;
  }
  return t;
}

Estimate estimate_mean(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  return {mean(values), standard_deviation(values) / std::sqrt(n), n - 1};
}

Interval two_sided_interval(const Estimate& e, double confidence) {
  const double reach =
      student_t_quantile(0.5 + confidence / 2, e.degrees_of_freedom) * e.standard_error;
  return {e.value - reach, e.value + reach};
}

double upper_bound(const Estimate& e, double confidence) {
  return e.value + student_t_quantile(confidence, e.degrees_of_freedom) * e.standard_error;
}

double p_value_greater(const Estimate& e, double null_value) {
  // Equal values (a model without noise) leave no doubt in either direction.
  if (!(e.standard_error > 0)) return e.value > null_value ? 0 : 1;
  return 1 - student_t_cdf((e.value - null_value) / e.standard_error, e.degrees_of_freedom);
}

double p_value_two_sided(const Estimate& e, double null_value) {
  if (!(e.standard_error > 0)) return e.value == null_value ? 1 : 0;
  const double t = std::abs(e.value - null_value) / e.standard_error;
  return 2 * (1 - student_t_cdf(t, e.degrees_of_freedom));
}

double sign_flip_p_value(std::span<const double> values) {
  constexpr std::size_t kLargest = 20;
  if (values.size() > kLargest) throw std::invalid_argument("sign_flip_p_value: too many values");
  const double seen = std::accumulate(values.begin(), values.end(), 0.0);
  const double rounding = 1e-12 * (1 + std::abs(seen));
  const std::uint32_t patterns = std::uint32_t{1} << values.size();
  std::uint32_t at_least = 0;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += (pattern >> i & 1U) != 0 ? -values[i] : values[i];
    }
    if (sum >= seen - rounding) ++at_least;
  }
  return static_cast<double>(at_least) / static_cast<double>(patterns);
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  const std::size_t count = p_values.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(count);
  double largest = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    largest = std::max(largest, p_values[order[rank]] * static_cast<double>(count - rank));
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

ResidualNoise two_way_noise(std::span<const std::vector<double>> table) {
  ResidualNoise noise;
  if (table.size() < 2 || table.front().size() < 2) return noise;
  const std::size_t columns = table.front().size();
  std::vector<double> column_mean(columns, 0.0);
  double grand = 0;
  for (const auto& row : table) {
    for (std::size_t c = 0; c < columns; ++c) {
      column_mean[c] += row[c] / static_cast<double>(table.size());
    }
  }
  grand = mean(column_mean);
  double squares = 0;
  for (const auto& row : table) {
    const double row_mean = mean(row);
    for (std::size_t c = 0; c < columns; ++c) {
      noise.residuals.push_back(row[c] - row_mean - column_mean[c] + grand);
      squares += noise.residuals.back() * noise.residuals.back();
    }
  }
  noise.degrees_of_freedom =
      static_cast<double>(table.size() - 1) * static_cast<double>(columns - 1);
  noise.standard_deviation = std::sqrt(squares / noise.degrees_of_freedom);
  const double scale =
      std::sqrt(static_cast<double>(noise.residuals.size()) / noise.degrees_of_freedom);
  for (double& residual : noise.residuals) residual *= scale;
  return noise;
}

PooledNoise pooled_noise(std::span<const std::vector<double>> groups) {
  double squares = 0;
  double freedom = 0;
  for (const std::vector<double>& values : groups) {
    if (values.size() < 2) continue;
    const double own = static_cast<double>(values.size()) - 1;
    squares += own * std::pow(standard_deviation(values), 2);
    freedom += own;
  }
  return {freedom > 0 ? std::sqrt(squares / freedom) : 0, freedom};
}

Estimate estimate_difference(std::span<const double> first, std::span<const double> second,
                             const PooledNoise& noise) {
  const auto one = static_cast<double>(first.size());
  const auto other = static_cast<double>(second.size());
  return {mean(first) - mean(second), noise.standard_deviation * std::sqrt(1 / one + 1 / other),
          noise.degrees_of_freedom};
}

int pairs_needed(double deviation, double effect, double alpha, double power) {
  constexpr int kMost = 100000;
  if (!(effect > 0)) return kMost;
  const auto enough = [&](int pairs) {
    const double reach =
        student_t_quantile(1 - alpha, pairs - 1) + student_t_quantile(power, pairs - 1);
    return effect * std::sqrt(static_cast<double>(pairs)) >= reach * deviation;
  };
  if (!enough(kMost)) return kMost;
  int too_few = 1;
  int sufficient = kMost;
  while (sufficient - too_few > 1) {
    const int middle = too_few + (sufficient - too_few) / 2;
    (enough(middle) ? sufficient : too_few) = middle;
  }
  return sufficient;
}

}  // namespace nccl_sweep::statistics
