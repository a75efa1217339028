// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What every experiment has in common: the burn-in trial, numbering, the sentinel after a failed
// candidate, and giving up when the baseline itself fails. Which trials come next is left to the
// experiments in analysis/experiment.hpp.
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

class TrialQueue : public Experiment {
 public:
  // The same order again until its outcome is recorded.
  std::optional<TrialOrder> next() final;

  // A stopped trial is neither a failure nor a result: its order comes again, with a new index.
  void record(const TrialOutcome& trial) final;

  // A sentinel failed, or the baseline twice in a row: the machine is not well, the run is over.
  bool baseline_failed() const final { return baseline_failed_; }

 protected:
  static constexpr int kBaseline = 0;

  TrialQueue();

  void enqueue(Stage stage, int round, int candidate);
  void repeat_next(const TrialOrder& order);  // again, before what is queued
  void drop_round(Stage stage, int round);    // what is still queued of a round
  int queued() const { return static_cast<int>(queue_.size()); }
  int issued() const { return next_index_; }

  // Whether a complete trial has what this experiment needs; one without counts as failed.
  virtual bool usable(const TrialOutcome&) const { return true; }
  // Called when the queue is empty; leaves it empty at the end of the experiment.
  virtual void refill() = 0;
  // Of screen, confirm and grid trials only.
  virtual void completed(const TrialOutcome& trial) = 0;
  virtual void failed(const TrialOutcome& trial) = 0;

 private:
  bool survives_failure(const TrialOrder& order);

  std::deque<TrialOrder> queue_;
  std::optional<TrialOrder> pending_;
  int next_index_ = 0;
  int baseline_failures_in_a_row_ = 0;
  bool baseline_failed_ = false;
};

}  // namespace nccl_sweep
