// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop over trials. Rank 0 leads: asks the experiment which trial is next, sends its launch to
// all agents, records the outcome. The others follow until they are told that it is over.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agent/record_log.hpp"
#include "agent/trial_runner.hpp"
#include "core/trial.hpp"

namespace nccl_sweep::agent {

struct LoopOptions {
  double budget_seconds = 0;               // 0: none; no trial starts that would pass it
  double quiet_seconds = 0;                // rest between two trials
  std::filesystem::path stop_file;         // its presence asks for a soft stop
  int parity_iters = 0;                    // > 0: every trial runs this many ops in one block
  int parity_warmup = 1;
};

struct Progress {
  TrialOrder order;
  std::string label;        // "screen 2/3"
  int done = 0;
  int planned = 0;
  int failed = 0;
  double trial_seconds = 0; // of the trial that ended last
  double left_seconds = 0;  // estimate
  const TrialOutcome* finished = nullptr;  // set when a trial has just ended
};

struct LoopResult {
  std::string reason;  // as in EndRecord
  int trials = 0;
  int failed = 0;
  double seconds = 0;
};

// Rank 0. `done` are the trials of a resumed run; they are replayed into the experiment. Records
// are written to `log`, the end record too. Throws environment Errors (disk full) after having
// released the followers, and NodeLost without, the end record being written: then the run must be
// aborted.
LoopResult lead(ControlPlane&, const Setup&, TrialRunner&, Experiment&, RecordLog& log,
                const std::vector<TrialOutcome>& done, const LoopOptions&,
                const std::function<void(const Progress&)>& show);

// All other ranks; returns when rank 0 ends the run. Throws NodeLost where rank 0 does not any more.
void follow(ControlPlane&, TrialRunner&);

}  // namespace nccl_sweep::agent
