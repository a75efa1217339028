// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The few statistics the decisions need, on plain numbers: no trials, no candidates, no records.
// Student's t comes from the incomplete beta function, so nothing depends on a platform's library.
// Who decides what with them is analysis/decision.hpp and analysis/verdict.hpp.
#pragma once

#include <span>
#include <vector>

namespace nccl_sweep::statistics {

struct Interval {
  double low = 0;
  double high = 0;
};

double mean(std::span<const double> values);                // not empty
double median(std::vector<double> values);                  // not empty
double quantile(std::vector<double> values, double p);      // linear between ranks (R type 7)
double standard_deviation(std::span<const double> values);  // n - 1; 0 for one value

// Regularised incomplete beta I_x(a, b) by Lentz's continued fraction (Numerical Recipes 6.4).
double incomplete_beta(double a, double b, double x);
double student_t_cdf(double t, double degrees_of_freedom);
double student_t_quantile(double p, double degrees_of_freedom);  // 0 < p < 1

// An estimated mean with what is needed to judge it.
struct Estimate {
  double value = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;
};

Estimate estimate_mean(std::span<const double> values);  // at least two values
Interval two_sided_interval(const Estimate&, double confidence);
double upper_bound(const Estimate&, double confidence);          // one-sided
double p_value_greater(const Estimate&, double null_value = 0);  // H0: value <= null
double p_value_two_sided(const Estimate&, double null_value = 0);

// Probability, over all 2^n sign patterns, of a mean at least as large as the one seen: needs no
// normal distribution. Exact up to 20 values (throws std::invalid_argument beyond).
double sign_flip_p_value(std::span<const double> values);

// Holm's step-down: adjusted[i] <= alpha exactly where hypothesis i is rejected at level alpha.
std::vector<double> holm_adjusted(std::span<const double> p_values);

// table[round][candidate], complete. Standard deviation of what is left after the candidates' and
// the rounds' own effects, that is launch-to-launch noise. Needs 2 x 2; degrees of freedom
// (rounds - 1) x (candidates - 1), 0 where the table is too small.
struct ResidualNoise {
  double standard_deviation = 0;
  double degrees_of_freedom = 0;
  std::vector<double> residuals;  // scaled so that their variance is the noise's
};
ResidualNoise two_way_noise(std::span<const std::vector<double>> table);

// Noise within groups of any sizes, pooled: squares about each group's mean. Degrees of freedom 0
// where no group has two values.
struct PooledNoise {
  double standard_deviation = 0;
  double degrees_of_freedom = 0;
};
PooledNoise pooled_noise(std::span<const std::vector<double>> groups);

// mean(first) - mean(second) of two groups that share that noise; neither is empty.
Estimate estimate_difference(std::span<const double> first, std::span<const double> second,
                             const PooledNoise& noise);

// Pairs until a one-sided paired t test at level alpha finds a mean difference of `effect` with
// the given power, when single differences vary by `deviation`. At most 100000.
int pairs_needed(double deviation, double effect, double alpha, double power);

}  // namespace nccl_sweep::statistics
