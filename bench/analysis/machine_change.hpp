// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Did the machine itself change while the run measured? A clock that falls, a neighbour that
// starts: seen in what is left of the trials' scores after their candidates' own effects, against
// the number of the trial. Pairs and rounds keep such a change out of most comparisons; those that
// it divides are named, and what the screening says of all candidates takes it into account.
#pragma once

#include <optional>
#include <vector>

#include "analysis/dataset.hpp"

namespace nccl_sweep {

struct MachineChange {
  enum class Kind { drift, step };
  struct Round {
    Stage stage = Stage::screen;
    int round = 0;
    bool operator==(const Round&) const = default;
  };

  Kind kind = Kind::drift;
  double size = 0;     // ln of the factor, of the whole drift or of the step; positive: slower
  double p_value = 1;  // after correction for all places where a step could be
  int from = 0;        // first analysed trial; a step: the first one after it
  int to = 0;          // last analysed trial
  std::vector<Round> divided;  // by a step: trials on both sides

  double effect(int trial) const;  // ln of the factor by which it is slower than before the change
};

// The better of the two descriptions where its p value is below 1 % and its size is 1 % or more.
// Wild launches are pulled in first, so a few of them make no change.
std::optional<MachineChange> find_machine_change(const Dataset& dataset);

}  // namespace nccl_sweep
