// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nccl_sweep::statistics {
namespace {

TEST(Statistics, MedianAndQuantilesInterpolateBetweenRanks) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.1), 1.3);  // R: quantile(1:4, 0.1)
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(Statistics, StandardDeviationDividesByNMinusOne) {
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}),
                   2.1380899352993950);
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector<double>{5}), 0);
}

// Any printed table of Student's t.
TEST(Statistics, StudentQuantilesMatchTheTextbookTable) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.30265, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.95, 5), 2.01505, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 5), 2.57058, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.995, 10), 3.16927, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 23), 2.06866, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.95997, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.05, 5), -2.01505, 1e-5);
}

// For 1 and 2 degrees of freedom the distribution has a closed form.
TEST(Statistics, StudentCdfMatchesItsClosedForms) {
  for (const double t : {-8.0, -1.0, -0.1, 0.0, 0.3, 2.0, 30.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / 3.14159265358979324, 1e-9);
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-9);
  }
}

TEST(Statistics, QuantileInvertsTheCdf) {
  for (const double df : {1.0, 3.0, 5.0, 11.0, 23.0, 200.0}) {
    for (const double p : {0.001, 0.0167, 0.3, 0.5, 0.9, 0.9833, 0.9999}) {
      EXPECT_NEAR(student_t_cdf(student_t_quantile(p, df), df), p, 1e-9);
    }
  }
}

// Student's own data (The Probable Error of a Mean, 1908): extra sleep with two drugs, paired.
TEST(Statistics, PairedTestAgreesWithStudentsSleepData) {
  const std::vector<double> more{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
  const Estimate e = estimate_mean(more);
  EXPECT_NEAR(e.value, 1.58, 1e-12);
  EXPECT_NEAR(e.value / e.standard_error, 4.0621, 1e-4);
  EXPECT_NEAR(p_value_two_sided(e), 0.002833, 1e-6);  // R: t.test(extra ~ group, paired = TRUE)
  EXPECT_NEAR(p_value_greater(e), 0.002833 / 2, 1e-6);
  const Interval interval = two_sided_interval(e, 0.95);
  EXPECT_NEAR(interval.low, 0.7001142, 1e-6);
  EXPECT_NEAR(interval.high, 2.4598858, 1e-6);
  EXPECT_NEAR(upper_bound(e, 0.975), interval.high, 1e-9);
}

TEST(Statistics, EqualDifferencesLeaveNoDoubt) {
  const Estimate gain = estimate_mean(std::vector<double>(6, 0.02));
  EXPECT_EQ(p_value_greater(Estimate{0.02, 0, 5}), 0);
  EXPECT_EQ(p_value_greater(Estimate{0, 0, 5}), 1);
  EXPECT_EQ(p_value_two_sided(Estimate{0, 0, 5}), 1);
  EXPECT_LT(p_value_greater(gain), 1e-9);
}

TEST(Statistics, SignFlipCountsPatternsAtLeastAsLarge) {
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>{1, 2, 3}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>{-1, 2, 3}), 2.0 / 8);
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>{1, -1}), 3.0 / 4);
  EXPECT_THROW(sign_flip_p_value(std::vector<double>(21, 1.0)), std::invalid_argument);
}

// The oracle needs no normal distribution; on normal data the t test has to agree with it.
TEST(Statistics, TTestAgreesWithTheSignFlipOracle) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0.004, 0.01);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> differences(14);
    for (double& d : differences) d = noise(random);
    EXPECT_NEAR(p_value_greater(estimate_mean(differences)), sign_flip_p_value(differences), 0.02);
  }
}

// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
TEST(Statistics, HolmAdjustsStepDown) {
  const std::vector<double> adjusted = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(Statistics, TwoWayNoiseIgnoresCandidateAndRoundEffects) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::vector<double>> table;
  for (int round = 0; round < 200; ++round) {
    table.push_back({});
    for (int candidate = 0; candidate < 5; ++candidate) {
      table.back().push_back(round * 0.1 + candidate * 3.0 + noise(random));
    }
  }
  const ResidualNoise found = two_way_noise(table);
  EXPECT_NEAR(found.standard_deviation, 0.01, 0.0008);
  EXPECT_DOUBLE_EQ(found.degrees_of_freedom, 199 * 4);
  EXPECT_NEAR(standard_deviation(found.residuals), 0.01, 0.0008);
  EXPECT_EQ(two_way_noise(std::vector<std::vector<double>>{{1, 2}}).degrees_of_freedom, 0);
}

TEST(Statistics, TwoWayNoiseOfPairsIsTheDifferencesDeviationOverRootTwo) {
  const std::vector<std::vector<double>> pairs{{1.0, 1.1}, {2.0, 2.3}, {1.5, 1.4}};
  const double deviation = standard_deviation(std::vector<double>{0.1, 0.3, -0.1});
  EXPECT_NEAR(two_way_noise(pairs).standard_deviation, deviation / std::sqrt(2.0), 1e-12);
}

TEST(Statistics, PairsNeededGrowWithNoiseAndAreEnough) {
  EXPECT_LE(pairs_needed(0.01, 0.03, 0.05 / 3, 0.8), 6);
  const int noisy = pairs_needed(0.1 * std::sqrt(2.0), std::log1p(0.03), 0.05 / 3, 0.9);
  EXPECT_GT(noisy, 220);  // method: +3 % at 10 % noise needs about 240 pairs
  EXPECT_LT(noisy, 270);
  EXPECT_EQ(pairs_needed(1, 0, 0.05, 0.8), 100000);
}

}  // namespace
}  // namespace nccl_sweep::statistics
