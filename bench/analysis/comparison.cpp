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
constexpr std::size_t kFewestPairsForCases = 6;  // the first look
constexpr std::size_t kUsualPairsForCases = 10;  // before, runs that stop early are a selection
constexpr double kEarlyError = 0.005;  // of all rows before: so rare even where nothing stops
constexpr double kPower = 0.8;            // for "how many pairs would it take"

// The true gain lies below the interval, and above it, with these probabilities.
Gain gain_of(const Estimate& difference, double below, double above, std::size_t pairs) {
  return {std::exp(difference.value),
          {std::exp(statistics::two_sided_interval(difference, 1 - 2 * below).low),
           std::exp(statistics::two_sided_interval(difference, 1 - 2 * above).high)},
          1 - below - above,
          static_cast<int>(pairs)};
}

Gain gain_of(const Estimate& difference, double confidence, std::size_t pairs) {
  return gain_of(difference, (1 - confidence) / 2, (1 - confidence) / 2, pairs);
}

// Nobody asked for this claim, so it has to be twice as sure as that of a gain.
bool clearly_slower(const Estimate& difference, const DecisionRule& rule) {
  return difference.value <= -std::log1p(rule.claimed_gain) &&
         statistics::upper_bound(difference, 1 - rule.alpha / 2) < 0;
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

Finding undecided(std::span<const double> differences, double confidence,
                  const DecisionRule& rule) {
  Finding finding;
  if (differences.empty()) return finding;
  if (differences.size() == 1) {
    finding.gain = Gain{std::exp(differences.front()), {0, 0}, 0, 1};
    return finding;
  }
  finding.gain = gain_of(statistics::estimate_mean(differences), confidence, differences.size());
  finding.pairs_needed = pairs_to_settle(differences, rule);
  return finding;
}

// A size needs the noise's number of pairs, and never fewer than the method asks for.
Finding undecided_case(std::span<const double> differences, const DecisionRule& rule) {
  Finding finding = undecided(differences, kConfidence, rule);
  if (differences.size() < kUsualPairsForCases) {
    finding.pairs_needed = std::max(finding.pairs_needed, static_cast<int>(kUsualPairsForCases));
  }
  return finding;
}

// Two-sided at Holm's level for a difference, one-sided bound for "no gain". The interval is that of
// the level which decided: Holm's p value is never below the plain one, so it leaves out 1.
Finding judge_case(std::span<const double> differences, double holm_p, const DecisionRule& rule) {
  const bool early = differences.size() < kUsualPairsForCases;
  const double error = early ? kEarlyError : 1 - kConfidence;
  const Estimate difference = statistics::estimate_mean(differences);
  const double named = std::log1p(rule.claimed_gain);
  if (holm_p <= error && std::abs(difference.value) >= named) {
    const Verdict verdict = difference.value > 0 ? Verdict::better : Verdict::worse;
    return {verdict, gain_of(difference, 1 - error, differences.size()), 0};
  }
  if (below_smallest_gain(difference, early ? 1 - kEarlyError : rule.bound_confidence, rule)) {
    return {Verdict::no_gain, gain_of(difference, kConfidence, differences.size()), 0};
  }
  return undecided_case(differences, rule);
}

// Up to the look that decided: an estimate from pairs after it could contradict the answer.
std::span<const double> deciding(std::span<const double> differences, Decision decision,
                                 const DecisionRule& rule) {
  for (const int look : rule.looks) {
    const auto pairs = static_cast<std::size_t>(look);
    if (pairs > differences.size()) break;
    if (decide(differences.first(pairs), rule) == decision) return differences.first(pairs);
  }
  return differences;
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
    // No test ends it: wide enough to hold although the run went on until nothing was clear.
    return undecided(differences, 1 - rule.alpha, rule);
  }
  const std::span<const double> used = deciding(differences, decision, rule);
  const Estimate difference = statistics::estimate_mean(used);
  // One end of the interval is the bound that decided, so a difference's interval leaves out 1; the
  // other end, which decided nothing, errs half as often.
  const auto finding = [&](Verdict verdict, double below, double above) {
    return Finding{verdict, gain_of(difference, below, above, used.size()), 0};
  };
  const double other = rule.alpha / 2;
  if (decision == Decision::better) return finding(Verdict::better, rule.alpha, other);
  if (clearly_slower(difference, rule)) return finding(Verdict::worse, other, other);
  const bool surely_below = below_smallest_gain(difference, 1 - other, rule);
  return finding(Verdict::no_gain, other, surely_below ? other : 1 - rule.bound_confidence);
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
