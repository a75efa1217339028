// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/fixed_design.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/dunnett.hpp"
#include "analysis/permutation.hpp"

namespace nccl_sweep {
namespace {

using Values = std::vector<double>;
using Table = std::vector<Values>;

double two_sided(int settings, double degrees_of_freedom) {
  const Values shares(static_cast<std::size_t>(settings), 0.5);
  return statistics::dunnett_critical(0.95, shares, degrees_of_freedom);
}

// Dunnett, New Tables for Multiple Comparisons with a Control, Biometrics 20 (1964), table II.
TEST(Dunnett, MatchesThePrintedTable) {
  EXPECT_NEAR(two_sided(1, 20), 2.09, 0.005);
  EXPECT_NEAR(two_sided(2, 20), 2.38, 0.005);
  EXPECT_NEAR(two_sided(3, 20), 2.54, 0.005);
  EXPECT_NEAR(two_sided(9, 20), 2.95, 0.005);
  EXPECT_NEAR(two_sided(2, 10), 2.57, 0.005);
  EXPECT_NEAR(two_sided(5, 60), 2.58, 0.005);
  EXPECT_NEAR(two_sided(5, 1e5), 2.51, 0.005);
}

TEST(Dunnett, OneComparisonIsStudents) {
  EXPECT_NEAR(two_sided(1, 7), statistics::student_t_quantile(0.975, 7), 1e-9);
}

// All of a few settings' launches shared with a huge baseline: independent, so Sidak's formula.
TEST(Dunnett, WithoutACommonErrorTheComparisonsAreIndependent) {
  const Values shares(4, 1e-9);
  const double level = 1 - std::pow(0.95, 1.0 / 4);
  EXPECT_NEAR(statistics::dunnett_critical(0.95, shares, 1e5),
              statistics::student_t_quantile(1 - level / 2, 1e5), 1e-3);
}

TEST(Permutation, CountsRelabellingsThatShowAsMuch) {
  // 8 launches in two settings of 4, completely apart: 2 of 70 divisions are as extreme.
  const Table apart{{1.0, 1.1, 1.2, 1.3}, {2.0, 2.1, 2.2, 2.3}};
  EXPECT_NEAR(statistics::permutation_p_values(apart, 0.05).front(), 2.0 / 70, 0.012);
  const Table mixed{{1.0, 2.1, 1.2, 2.3}, {2.0, 1.1, 2.2, 1.3}};
  EXPECT_GT(statistics::permutation_p_values(mixed, 0.05).front(), 0.5);
}

TEST(Permutation, CannotObjectWhereTooFewLabellingsExist) {
  const Table two_each{{1.0, 1.1}, {2.0, 2.1}};  // 6 divisions: no p value below 1/3
  EXPECT_EQ(statistics::permutation_p_values(two_each, 0.05).front(), 0);
}

TEST(Permutation, ShufflesWithinRoundsOnly) {
  Table rounds;
  for (int round = 0; round < 8; ++round) {  // the rounds differ by far more than the settings
    const double wiggle = 0.01 * (round % 3);
    rounds.push_back({10.0 * round, 10.0 * round + 1 + wiggle, 10.0 * round + 0.02 * wiggle});
  }
  const Values p = statistics::permutation_p_values_of_rounds(rounds, 0.05);
  EXPECT_LT(p[0], 0.01);
  EXPECT_GT(p[1], 0.2);
}

Values launches(double centre, int count) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(centre + 0.002 * ((i * 7) % 5 - 2));
  return values;
}

TEST(FixedDesign, LaunchesOfUnequalNumbersGetTheirOwnWords) {
  const Table data{launches(0, 8), launches(-0.05, 6), launches(0.05, 5), launches(0.001, 12)};
  const auto found = FixedDesign(DecisionRule{}, 1).judge_launches(data);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].verdict, Verdict::better);
  EXPECT_EQ(found[1].verdict, Verdict::worse);
  EXPECT_EQ(found[2].verdict, Verdict::no_gain);
  EXPECT_EQ(found[0].gain->pairs, 6);
  EXPECT_EQ(found[0].gain->confidence, 0.95);
}

TEST(FixedDesign, FewerThanFourLaunchesDecideNothing) {
  const DecisionRule rule;
  const Table few{launches(0, 8), launches(-0.5, 3), launches(-0.05, 8)};
  const auto found = FixedDesign(rule, 1).judge_launches(few);
  EXPECT_EQ(found[0].verdict, Verdict::undecided);
  EXPECT_EQ(found[1].verdict, Verdict::better);
  const Table few_of_default{launches(0, 3), launches(-0.5, 8)};
  EXPECT_EQ(FixedDesign(rule, 1).judge_launches(few_of_default)[0].verdict, Verdict::undecided);
}

TEST(FixedDesign, NoiseAsksForMoreLaunches) {
  const Table noisy{{0, 0.2, -0.2, 0.1}, {0.1, -0.1, 0.2, -0.2}};
  const Finding found = FixedDesign(DecisionRule{}, 1).judge_launches(noisy).front();
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_GT(found.pairs_needed, 300);
}

TEST(FixedDesign, MoreCasesSideBySideMakeEachWider) {
  const Table data{launches(0, 8), launches(-0.05, 8)};
  const auto width = [&](int families) {
    const Finding found = FixedDesign(DecisionRule{}, families).judge_launches(data).front();
    return found.gain->interval.high - found.gain->interval.low;
  };
  EXPECT_GT(width(20), 1.3 * width(1));
}

}  // namespace
}  // namespace nccl_sweep
