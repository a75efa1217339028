// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/decision.hpp"

#include <cmath>

#include "analysis/statistics.hpp"

namespace nccl_sweep {

Decision decide_at_look(std::span<const double> differences, const DecisionRule& rule) {
  const statistics::Estimate gain = statistics::estimate_mean(differences);
  if (statistics::p_value_greater(gain) <= rule.alpha &&
      gain.value >= std::log1p(rule.claimed_gain)) {
    return Decision::better;
  }
  if (statistics::upper_bound(gain, rule.bound_confidence) < std::log1p(rule.smallest_gain)) {
    return Decision::no_gain;
  }
  return Decision::go_on;
}

Decision decide(std::span<const double> differences, const DecisionRule& rule) {
  for (const int look : rule.looks) {
    const auto pairs = static_cast<std::size_t>(look);
    if (differences.size() < pairs) return Decision::go_on;
    const Decision decision = decide_at_look(differences.first(pairs), rule);
    if (decision != Decision::go_on) return decision;
  }
  return Decision::undecided;
}

}  // namespace nccl_sweep
