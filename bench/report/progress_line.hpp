// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The one line that a run shows on a terminal while it measures. The caller writes it to stderr,
// overwriting the last one, and only where stderr is a terminal.
#pragma once

#include <string>

#include "core/units.hpp"

namespace nccl_sweep {

struct ProgressState {
  int done = 0;
  int planned = 0;
  std::string label;    // "screen 2/3"
  std::string setting;  // name of the candidate being tried
  Seconds last_trial{0};
  Seconds left{0};  // estimate
  int failed = 0;
};

// "[18/45] screen 2/3  NCCL_ALGO=Ring  1.4 s  ETA 50 s  1 failed", at most `columns` long (0: any
// length); the setting is what is shortened.
std::string progress_line(const ProgressState&, int columns);

}  // namespace nccl_sweep
