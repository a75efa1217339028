// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace nccl_sweep {
namespace {

using statistics::Estimate;
using statistics::Interval;

constexpr double kConfidence = 0.95;
constexpr double kClaimConfidence = 0.983;  // of an interval that backs a claim
constexpr std::size_t kFewestPairsForCases = 10;  // below, words would rest on the stopping rule
constexpr double kPower = 0.8;            // for "how many pairs would it take"

Gain gain_of(const Estimate& difference, double confidence, std::size_t pairs) {
  const Interval interval = statistics::two_sided_interval(difference, confidence);
  return {std::exp(difference.value),
          {std::exp(interval.low), std::exp(interval.high)},
          confidence,
          static_cast<int>(pairs)};
}

// A claim needs the wider interval to leave out 1, and the estimate to be worth naming.
bool clearly_slower(const Estimate& difference, double confidence, const DecisionRule& rule) {
  return difference.value <= -std::log1p(rule.claimed_gain) &&
         statistics::two_sided_interval(difference, confidence).high < 0;
}

bool below_smallest_gain(const Estimate& difference, double confidence, const DecisionRule& rule) {
  return statistics::upper_bound(difference, confidence) < std::log1p(rule.smallest_gain);
}

int pairs_to_settle(std::span<const double> differences, const DecisionRule& rule) {
  const int pairs = statistics::pairs_needed(statistics::standard_deviation(differences),
                                             std::log1p(rule.smallest_gain), rule.alpha, kPower);
  // Enough are there, and yet the gain lies where neither answer holds: no number would settle it.
  return pairs > static_cast<int>(differences.size()) ? pairs : 0;
}

Finding undecided(std::span<const double> differences, const DecisionRule& rule) {
  Finding finding;
  if (differences.empty()) return finding;
  if (differences.size() == 1) {
    finding.gain = Gain{std::exp(differences.front()), {0, 0}, 0, 1};
    return finding;
  }
  finding.gain = gain_of(statistics::estimate_mean(differences), kConfidence, differences.size());
  finding.pairs_needed = pairs_to_settle(differences, rule);
  return finding;
}

// A size needs the noise's number of pairs, and never fewer than the method asks for.
Finding undecided_case(std::span<const double> differences, const DecisionRule& rule) {
  Finding finding = undecided(differences, rule);
  finding.pairs_needed = std::max(finding.pairs_needed, static_cast<int>(kFewestPairsForCases));
  return finding;
}

// Two-sided at Holm's level for a difference, one-sided bound for "no gain".
Finding judge_case(std::span<const double> differences, double holm_p, const DecisionRule& rule) {
  const Estimate difference = statistics::estimate_mean(differences);
  const double named = std::log1p(rule.claimed_gain);
  if (holm_p <= 1 - kConfidence && std::abs(difference.value) >= named) {
    const Verdict verdict = difference.value > 0 ? Verdict::better : Verdict::worse;
    return {verdict, gain_of(difference, kClaimConfidence, differences.size()), 0};
  }
  if (below_smallest_gain(difference, rule.bound_confidence, rule)) {
    return {Verdict::no_gain, gain_of(difference, kConfidence, differences.size()), 0};
  }
  return undecided(differences, rule);
}

}  // namespace

DecisionRule rule_of(const RunRecord& run) {
  DecisionRule rule;
  rule.smallest_gain = run.smallest_gain;
  return rule;
}

Gain uncorrected_gain(std::span<const double> differences) {
  return gain_of(statistics::estimate_mean(differences), kConfidence, differences.size());
}

Gain uncorrected_gain(std::span<const double> baseline, std::span<const double> candidate) {
  const std::vector<std::vector<double>> groups{{baseline.begin(), baseline.end()},
                                                {candidate.begin(), candidate.end()}};
  return gain_of(
      statistics::estimate_difference(baseline, candidate, statistics::pooled_noise(groups)),
      kConfidence, std::min(baseline.size(), candidate.size()));
}

Finding judge_score(std::span<const double> differences, const DecisionRule& rule) {
  const Decision decision = decide(differences, rule);
  if (decision == Decision::go_on || decision == Decision::undecided) {
    return undecided(differences, rule);
  }
  const Estimate difference = statistics::estimate_mean(differences);
  const std::size_t pairs = differences.size();
  if (decision == Decision::better) {
    return {Verdict::better, gain_of(difference, kClaimConfidence, pairs), 0};
  }
  if (clearly_slower(difference, kClaimConfidence, rule)) {
    return {Verdict::worse, gain_of(difference, kClaimConfidence, pairs), 0};
  }
  // The interval whose upper end is the bound that decided.
  return {Verdict::no_gain, gain_of(difference, 2 * rule.bound_confidence - 1, pairs), 0};
}

Finding judge_alarm(std::span<const double> differences, DecisionRule rule) {
  rule.looks = {static_cast<int>(differences.size())};
  return judge_score(differences, rule);
}

std::vector<Finding> judge_cases(std::span<const std::vector<double>> differences,
                                 const DecisionRule& rule) {
  std::vector<Finding> findings;
  const bool enough = std::all_of(differences.begin(), differences.end(),
                                  [](const auto& d) { return d.size() >= kFewestPairsForCases; });
  if (!enough) {
    for (const auto& of_case : differences) findings.push_back(undecided_case(of_case, rule));
    return findings;
  }
  std::vector<double> p_values;
  for (const auto& of_case : differences) {
    p_values.push_back(statistics::p_value_two_sided(statistics::estimate_mean(of_case)));
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    findings.push_back(judge_case(differences[i], adjusted[i], rule));
  }
  return findings;
}

}  // namespace nccl_sweep
