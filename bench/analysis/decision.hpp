// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The stopping rule of the confirmation: what the fresh pairs measured so far allow to say. Used
// while a run measures (is another pair needed?) and when its records are read (what was found?),
// so both always agree. It looks after 6, 12 and 24 pairs only: stopping whenever a test happens
// to be happy would find a "winner" among equals three times as often as promised.
#pragma once

#include <span>
#include <vector>

namespace nccl_sweep {

enum class Decision { go_on, better, no_gain, undecided };

struct DecisionRule {
  std::vector<int> looks{6, 12, 24};  // numbers of pairs, ascending
  double alpha = 0.05 / 3;            // one-sided, at each look (Bonferroni over three looks)
  double claimed_gain = 0.01;         // a smaller estimate is not called a gain
  double smallest_gain = 0.03;        // delta: gains below it are not worth a setting
  double bound_confidence = 1 - 0.05 / 3;  // one-sided upper bound below delta, over three looks
};

// differences[i] = score(baseline) - score(finalist) of pair i, in the order measured: ln of the
// speed-up. Takes the looks in turn; go_on where the next look has not been reached.
Decision decide(std::span<const double> differences, const DecisionRule& rule);

// The decision from all the differences given, as at a look; never `undecided`.
Decision decide_at_look(std::span<const double> differences, const DecisionRule& rule);

}  // namespace nccl_sweep
