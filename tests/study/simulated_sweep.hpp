// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One simulated sweep: the experiment of a real run asks for trials, the noise answers, and what
// find() and recommend() say of the records is compared with the planted truth.
#pragma once

#include <cstdint>

#include "core/records.hpp"
#include "noise.hpp"

namespace nccl_sweep::study {

// The candidate that is faster by `gain`; which one does not matter, orders are shuffled.
inline constexpr int kPlanted = 1;
struct Truth {
  int candidates = 24;  // the default included
  double gain = 0;      // 0: all are equal
};

struct SweepResult {
  bool winner = false;              // any setting was recommended
  bool found = false;               // the planted one was
  bool says_nothing_gains = false;  // of all settings
  bool says_machine_changed = false;
  bool has_interval = false;
  bool covered = false;  // the finalist's interval holds its true gain
  int trials = 0;        // that decide: burn-in, screening and confirmation, or the grid's
};

// Screen and confirm, as a run without `rounds` does.
SweepResult simulate(const Truth& truth, const NoiseModel& model, std::uint64_t seed);

// The two halves of it: any experiment driven to its end, and a run judged.
RunData simulate_with(Experiment& experiment, const Truth& truth, const NoiseModel& model,
                      std::uint64_t seed);
SweepResult judge_run(const RunData& data, const Truth& truth);

}  // namespace nccl_sweep::study
