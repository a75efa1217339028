// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From differences of ln time to a finding: the rules of analysis/README.md for the score, and for
// the sizes behind it. Numbers in, findings out; called by analysis/verdict.cpp.
#pragma once

#include <span>
#include <vector>

#include "analysis/verdict.hpp"

namespace nccl_sweep {

DecisionRule rule_of(const RunRecord& run);

// differences = ln(baseline) - ln(candidate) of each pair.
Finding judge_score(std::span<const double> differences, const DecisionRule& rule);

// The same for an A/A test of few pairs: at the levels of a single look, after all of them.
Finding judge_alarm(std::span<const double> differences, DecisionRule rule);

// 95 % interval, not corrected for how many are looked at. At least two differences.
Gain uncorrected_gain(std::span<const double> differences);

// The same of launches that are no pairs; more than two in all, of which neither side has none.
Gain uncorrected_gain(std::span<const double> baseline, std::span<const double> candidate);

// The same pairs, size by size: differences[case][pair]. Holm over the sizes, from 10 pairs on;
// before that only intervals.
std::vector<Finding> judge_cases(std::span<const std::vector<double>> differences,
                                 const DecisionRule& rule);

}  // namespace nccl_sweep
