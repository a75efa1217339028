// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What every experiment has in common: the burn-in trial, numbering, the sentinel after a failed
// candidate, giving up when the baseline itself fails, and the closing trials that describe the
// settings once everything is decided. Which trials come in between is left to the experiments in
// analysis/experiment.hpp.
#pragma once

#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "core/trial.hpp"

namespace nccl_sweep {

// Fisher-Yates with its own bounded draw. std::shuffle may give another order with another
// standard library, and a resumed run must see the order of the first one.
void shuffle(std::vector<int>& values, std::mt19937_64& random);

// One trial each at the end of a run, never analysed as timings: with the library's log wide open
// (evidence), and beside a load kernel (load).
struct ClosingTrials {
  enum class Whom { nobody, contenders, survivors };
  Whom evidence = Whom::nobody;
  Whom load = Whom::nobody;
};

class TrialQueue : public Experiment {
 public:
  // The same order again until its outcome is recorded.
  std::optional<TrialOrder> next() final;

  // A stopped trial is neither a failure nor a result: its order comes again, with a new index.
  void record(const TrialOutcome& trial) final;

  // Three sentinels failed, in a row or not, or the baseline otherwise twice in a row: the machine
  // is not well, the run is over.
  bool baseline_failed() const final { return baseline_failed_; }

 protected:
  static constexpr int kBaseline = 0;

  explicit TrialQueue(ClosingTrials closing);

  void enqueue(Stage stage, int round, int candidate);
  void repeat_next(const TrialOrder& order);  // again, before what is queued
  // What is still queued of a round; how many there were.
  int drop_round(Stage stage, int round);
  int queued() const { return static_cast<int>(queue_.size()); }
  int issued() const { return next_index_; }
  int closing_left() const;  // not queued yet

  // Whether a complete trial has what this experiment needs; one without counts as failed.
  virtual bool usable(const TrialOutcome&) const { return true; }
  // Called when the queue is empty; leaves it empty at the end of the experiment.
  virtual void refill() = 0;
  // Of screen, confirm and grid trials only.
  virtual void completed(const TrialOutcome& trial) = 0;
  virtual void failed(const TrialOutcome& trial) = 0;
  // Whom closing trials describe: those whom the run compared last, or all that never failed; the
  // baseline first. Before the comparison is over only their number counts.
  virtual std::vector<int> contenders() const = 0;
  virtual std::vector<int> survivors() const = 0;

 private:
  bool survives_failure(const TrialOrder& order);  // counts it
  std::vector<int> described(ClosingTrials::Whom whom) const;
  void enqueue_closing();

  ClosingTrials closing_;
  bool closing_queued_ = false;
  std::deque<TrialOrder> queue_;
  std::optional<TrialOrder> pending_;
  int next_index_ = 0;
  int failed_sentinels_ = 0;
  int baseline_failures_in_a_row_ = 0;  // not counting sentinels
  bool baseline_failed_ = false;
};

}  // namespace nccl_sweep
