// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a gain of a given size costs to find: the noise and the price of a trial come from a pilot
// (any earlier run of the same cases on the same fabric, also `bench`), the number of pairs from
// the rule that confirms.
#pragma once

#include <optional>

#include "analysis/decision.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

struct Pilot {
  double pair_deviation = 0;  // of ln score differences within a pair
  int launches = 0;           // behind it
  double trial_seconds = 0;   // mean of the analysed trials
};

// Nothing where the run has fewer than three launches of one setting to tell their noise.
std::optional<Pilot> pilot_of(const RunData& data);

struct Resolution {
  int pairs = 0;             // that the test needs with a power of 80 %
  std::optional<int> look;   // the look that has them; nothing beyond the last one
};

// gain: 0.03 is 3 %.
Resolution resolution_of(double gain, double pair_deviation, const DecisionRule& rule);

// The smallest gain that `pairs` pairs find with a power of 80 %, in steps of 0.1 %.
double gain_resolved(int pairs, double pair_deviation, const DecisionRule& rule);

}  // namespace nccl_sweep
