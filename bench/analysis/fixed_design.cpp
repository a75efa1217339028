// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/fixed_design.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/dunnett.hpp"
#include "analysis/permutation.hpp"

namespace nccl_sweep {
namespace {

using statistics::Estimate;

constexpr double kConfidence = 0.95;  // of all intervals of all families together
constexpr std::size_t kFewest = 4;    // rounds, or launches of a setting
constexpr double kPower = 0.8;        // for "how many would it take"
constexpr double kEqualShare = 0.5;   // as many launches as the baseline

bool is_claim(const Finding& finding) {
  return finding.verdict == Verdict::better || finding.verdict == Verdict::worse;
}

bool claims_something(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), is_claim);
}

// A claim that shuffled labels reach too often is taken back.
void object(std::vector<Finding>& findings, const std::vector<double>& p_values, double level) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (is_claim(findings[i]) && p_values[i] > level) findings[i].verdict = Verdict::undecided;
  }
}

// Too few for a verdict: the ratio, with a plain interval where there are enough to have one.
Finding too_few(std::span<const double> differences) {
  Finding finding;
  if (differences.empty()) return finding;
  const auto count = static_cast<int>(differences.size());
  finding.gain = Gain{std::exp(statistics::mean(differences)), {0, 0}, 0, count};
  if (count < 2) return finding;
  const auto interval =
      statistics::two_sided_interval(statistics::estimate_mean(differences), kConfidence);
  finding.gain->interval = {std::exp(interval.low), std::exp(interval.high)};
  finding.gain->confidence = kConfidence;
  return finding;
}


int replicates(std::span<const double> baseline, std::span<const double> own) {
  return static_cast<int>(std::min(baseline.size(), own.size()));
}

}  // namespace

double FixedDesign::confidence() const { return 1 - (1 - kConfidence) / families_; }

double FixedDesign::critical(std::span<const double> shares, double degrees_of_freedom) const {
  return statistics::dunnett_critical(confidence(), shares, degrees_of_freedom);
}

// Rounds, or launches of each setting, until the smallest gain is found. Bonferroni stands for
// Dunnett here.
void FixedDesign::add_needed(std::vector<Finding>& findings, double deviation) const {
  const double level = (1 - confidence()) / 2 / static_cast<double>(findings.size());
  const int needed = statistics::pairs_needed(deviation * std::sqrt(2.0),
                                              std::log1p(rule_.smallest_gain), level, kPower);
  for (Finding& finding : findings) {
    const bool more = finding.verdict == Verdict::undecided && finding.gain &&
                      needed > finding.gain->pairs;
    finding.pairs_needed = more ? needed : 0;
  }
}

Finding FixedDesign::judge(const Estimate& difference, double critical, int replicates) const {
  const double reach = critical * difference.standard_error;
  const double low = difference.value - reach;
  const double high = difference.value + reach;
  const double named = std::log1p(rule_.claimed_gain);
  Finding finding;
  finding.gain =
      Gain{std::exp(difference.value), {std::exp(low), std::exp(high)}, confidence(), replicates};
  if (low > 0 && difference.value >= named) {
    finding.verdict = Verdict::better;
  } else if (high < 0 && difference.value <= -named) {
    finding.verdict = Verdict::worse;
  } else if (high < std::log1p(rule_.smallest_gain)) {
    finding.verdict = Verdict::no_gain;
  }
  return finding;
}

std::vector<Finding> FixedDesign::judge_rounds(std::span<const std::vector<double>> differences,
                                               std::span<const std::vector<double>> table) const {
  std::vector<Finding> findings;
  if (table.size() < kFewest) {
    for (const auto& of_setting : differences) findings.push_back(too_few(of_setting));
    return findings;
  }
  const statistics::ResidualNoise noise = statistics::two_way_noise(table);
  const std::vector<double> shares(differences.size(), kEqualShare);
  const double factor = critical(shares, noise.degrees_of_freedom);
  for (const auto& of_setting : differences) {
    const auto rounds = static_cast<double>(of_setting.size());
    const Estimate difference{statistics::mean(of_setting),
                              noise.standard_deviation * std::sqrt(2 / rounds),
                              noise.degrees_of_freedom};
    findings.push_back(judge(difference, factor, static_cast<int>(of_setting.size())));
  }
  const double level = 1 - confidence();
  if (claims_something(findings)) {
    object(findings, statistics::permutation_p_values_of_rounds(table, level), level);
  }
  add_needed(findings, noise.standard_deviation);
  return findings;
}

std::vector<Finding> FixedDesign::judge_enough(
    std::span<const std::vector<double>> launches) const {
  const auto baseline = static_cast<double>(launches.front().size());
  std::vector<double> shares;
  for (const auto& values : launches.subspan(1)) {
    const auto own = static_cast<double>(values.size());
    shares.push_back(own / (own + baseline));
  }
  const statistics::PooledNoise noise = statistics::pooled_noise(launches);
  const double factor = critical(shares, noise.degrees_of_freedom);
  std::vector<Finding> judged;
  for (const auto& values : launches.subspan(1)) {
    const Estimate difference = statistics::estimate_difference(launches.front(), values, noise);
    judged.push_back(judge(difference, factor, replicates(launches.front(), values)));
  }
  const double level = 1 - confidence();
  if (claims_something(judged)) {
    object(judged, statistics::permutation_p_values(launches, level), level);
  }
  add_needed(judged, noise.standard_deviation);
  return judged;
}

// Ratios, plain intervals and the number of launches that would settle it.
std::vector<Finding> FixedDesign::describe_few(
    std::span<const std::vector<double>> launches) const {
  const std::vector<double>& baseline = launches.front();
  const statistics::PooledNoise noise = statistics::pooled_noise(launches);
  std::vector<Finding> findings(launches.size() - 1);
  for (std::size_t c = 0; c < findings.size(); ++c) {
    const std::vector<double>& own = launches[c + 1];
    if (own.empty() || baseline.empty()) continue;
    const double ratio = std::exp(statistics::mean(baseline) - statistics::mean(own));
    findings[c].gain = Gain{ratio, {0, 0}, 0, replicates(baseline, own)};
    if (noise.degrees_of_freedom < 1) continue;
    const auto interval = statistics::two_sided_interval(
        statistics::estimate_difference(baseline, own, noise), kConfidence);
    findings[c].gain->interval = {std::exp(interval.low), std::exp(interval.high)};
    findings[c].gain->confidence = kConfidence;
  }
  if (noise.degrees_of_freedom < 1) return findings;
  add_needed(findings, noise.standard_deviation);
  for (Finding& finding : findings) {
    if (!finding.gain) continue;
    finding.pairs_needed = std::max(finding.pairs_needed, static_cast<int>(kFewest));
  }
  return findings;
}

std::vector<Finding> FixedDesign::judge_launches(
    std::span<const std::vector<double>> launches) const {
  std::vector<Finding> findings = describe_few(launches);
  if (launches.front().size() < kFewest) return findings;
  std::vector<std::vector<double>> enough{launches.front()};
  std::vector<std::size_t> settings;
  for (std::size_t c = 1; c < launches.size(); ++c) {
    if (launches[c].size() < kFewest) continue;
    enough.push_back(launches[c]);
    settings.push_back(c - 1);
  }
  if (settings.empty()) return findings;
  const std::vector<Finding> judged = judge_enough(enough);
  for (std::size_t i = 0; i < settings.size(); ++i) findings[settings[i]] = judged[i];
  return findings;
}

}  // namespace nccl_sweep
