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

// One of the candidates (the default counted) is faster by `gain`; 0: all are equal.
struct Truth {
  int candidates = 24;
  double gain = 0;
};

struct SweepResult {
  bool winner = false;  // any setting was called better
  bool found = false;   // the planted one was
  bool says_nothing_gains = false;  // of all settings
  bool undecided = false;
  bool has_interval = false;
  bool covered = false;  // the finalist's interval holds its true gain
  int trials = 0;        // burn-in, screening and confirmation
};

// `data` gets the records where it is not null.
SweepResult simulate(const Truth& truth, const NoiseModel& model, std::uint64_t seed,
                     RunData* data = nullptr);

}  // namespace nccl_sweep::study
