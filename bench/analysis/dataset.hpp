// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A run's trials arranged for comparing: which belong to a pair, which to a round, which were
// never meant to be analysed (burn-in, sentinels). It judges nothing.
#pragma once

#include <optional>
#include <vector>

#include "analysis/score.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

enum class Design {
  baseline_only,  // nothing was varied
  grid,           // rounds over all candidates
  launches,       // imported: launches of settings that have no rounds in common
  screen_confirm  // screening, then pairs of one finalist and the baseline
};

// One complete trial in numbers, of the stages that are compared. The score is ln seconds, smaller
// is faster.
struct Sample {
  TrialOrder order;
  std::vector<double> seconds;  // per case: the trial's value, NaN where missing
  double score = 0;             // NaN where a needed case is missing
};

struct SamplePair {
  const Sample* baseline = nullptr;
  const Sample* candidate = nullptr;
};

using SampleRow = std::vector<const Sample*>;  // of one round, in the order of the candidates asked

// The value compared: a case's ln time, or the score where case_index is kScore.
inline constexpr int kScore = -1;
double log_time(const Sample& sample, int case_index);
// [round][candidate] of log_time, rows with a missing value left out.
std::vector<std::vector<double>> log_table(const std::vector<SampleRow>& rows, int case_index);

class Dataset {
 public:
  explicit Dataset(const RunData& data);

  Design design() const { return design_; }
  const Score& score() const { return score_; }
  std::optional<int> finalist() const { return finalist_; }

  const std::vector<Sample>& all() const { return samples_; }
  // In the order measured.
  std::vector<const Sample*> samples(int candidate, Stage stage) const;
  // Confirmation pairs of which both trials are complete, in the order measured.
  std::vector<SamplePair> pairs() const;
  // The baseline's and its twin's trial of the pairs that a twin joined.
  std::vector<SamplePair> alarm_pairs() const;
  // Rounds of a stage in which every one of `candidates` is complete.
  std::vector<SampleRow> complete_rounds(Stage stage, const std::vector<int>& candidates) const;
  // [candidate] -> log_time of its launches where it is known, for designs without rounds.
  std::vector<std::vector<double>> launches(const std::vector<int>& candidates,
                                            int case_index) const;
  // The stage whose trials stand for a candidate: confirm for the finalist and its baseline, grid
  // in a fixed design, otherwise the screening.
  Stage evidence_stage(int candidate) const;

 private:
  Score score_;
  std::vector<Sample> samples_;
  Design design_ = Design::baseline_only;
  std::optional<int> finalist_;
};

}  // namespace nccl_sweep
