// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Verdicts where nothing can be measured afresh: grids of whole rounds, and launches of several
// settings that somebody else ran (old logs). All settings are compared with the default at once,
// by Dunnett's intervals from noise pooled over all settings; a claim is checked once more by
// shuffling the labels, which needs no normal distribution. Numbers in, findings out.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/verdict.hpp"

namespace nccl_sweep {

class FixedDesign {
 public:
  // families: how many such judgements are made side by side (cases); the level is divided by it.
  FixedDesign(DecisionRule rule, int families) : rule_(std::move(rule)), families_(families) {}

  // Rounds. differences[c - 1] = ln(baseline) - ln(candidate c), in every round that both have;
  // table[round][candidate] has ln time, baseline first, of rounds that all have: only the noise is
  // taken from it, so a candidate's estimate never depends on another's trials. One finding per
  // candidate after the baseline; undecided below 4 whole rounds.
  std::vector<Finding> judge_rounds(std::span<const std::vector<double>> differences,
                                    std::span<const std::vector<double>> table) const;

  // Launches without rounds: launches[setting] has ln times, baseline first, any numbers of them.
  // One finding per setting after the baseline; undecided below 4 launches of either, but with the
  // ratio, and with how many launches of each would settle it where the noise is known at all.
  std::vector<Finding> judge_launches(std::span<const std::vector<double>> launches) const;

 private:
  std::vector<Finding> judge_enough(std::span<const std::vector<double>> launches) const;
  std::vector<Finding> describe_few(std::span<const std::vector<double>> launches) const;
  Finding judge(const statistics::Estimate& difference, double critical, int replicates) const;
  void add_needed(std::vector<Finding>& findings, double deviation) const;
  double confidence() const;
  double critical(std::span<const double> shares, double degrees_of_freedom) const;

  DecisionRule rule_;
  int families_;
};

}  // namespace nccl_sweep
