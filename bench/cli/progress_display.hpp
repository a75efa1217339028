// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Shows the progress of a run on stderr: one line rewritten in place on a terminal, else a line
// now and then, so that a job's log stays short. Failures get a line each.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "agent/sweep_loop.hpp"
#include "core/records.hpp"

namespace nccl_sweep::cli {

class ProgressDisplay {
 public:
  explicit ProgressDisplay(const RunRecord& run);
  void show(const agent::Progress& progress);
  void finish();

 private:
  std::string setting(const agent::Progress& progress) const;
  void show_failure(const agent::Progress& progress);

  const RunRecord& run_;
  bool terminal_;
  std::string last_label_;
  std::chrono::steady_clock::time_point last_shown_{};
};

}  // namespace nccl_sweep::cli
