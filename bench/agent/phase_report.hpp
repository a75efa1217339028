// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What goes up the tree at the end of each phase of a trial, and what comes down. A report says how
// an agent and all below it fared, in a size that does not depend on how many they are; its cargo
// is what the phase yields where all went well (blocks, facts), merged by whoever knows its form.
#pragma once

#include <functional>
#include <string>

#include "agent/investigation.hpp"

namespace nccl_sweep::agent {

struct PhaseReport {
  int trial = 0;
  int status = 0;       // 0 fine, 1 the trial fails, 2 the run must end; the largest of all
  bool stop = false;    // some agent was asked to stop softly
  int shape = 0;        // must be equal on all agents (number of blocks to reduce)
  bool same_trial = true;
  bool same_shape = true;
  Findings findings;
  std::string cargo;    // where status is 0
};

// Without the cargo. Any order and grouping gives the same.
void merge(PhaseReport& into, const PhaseReport&);

std::string to_text(const PhaseReport&);
PhaseReport report_from_text(const std::string&);

// Rank 0's answer.
struct Verdict {
  int status = 0;
  bool stop = false;
  bool same_shape = true;
  int blamed_rank = -1;
  Outcome outcome = Outcome::complete;
  std::string cargo;
};
std::string to_text(const Verdict&);
Verdict verdict_from_text(const std::string&);

// How the cargo of one phase is made. Each function may be missing.
struct Cargo {
  std::function<std::string()> up;                  // after all children's were taken
  std::function<void(const std::string&)> take;     // one child's
  std::function<std::string(PhaseReport&)> answer;  // rank 0; may find that the phase has failed
};

}  // namespace nccl_sweep::agent
