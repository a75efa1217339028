// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose fault was it? The blame goes to a worker that really failed before one that only hangs,
// among those that hang to one that is stopped, then to the rank furthest behind. The others are
// victims and are listed as waiting. What agents find out is merged on the way to rank 0, in any
// order, and never grows: the worst suspect, the first few that wait, the rank that is furthest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/worker_link.hpp"

namespace nccl_sweep::agent {

struct Suspect {
  int kind = 2;       // 0 failed by itself, 1 unfinished, 2 a victim that lost its peer, 3 none
  bool stopped = false;
  int progression = 0;
  int order = 0;      // of its last progress frame
  int rank = -1;
  int agent = 0;
  Outcome outcome = Outcome::hung;
  Failure failure;    // without waiting_ranks
};

// How far a worker is.
struct Position {
  int progression = -1;
  int order = -1;
  int case_index = -1;
  std::string step;
};

struct Findings {
  Suspect worst;
  std::vector<int> waiting;  // ranks that are unfinished or lost a peer, the lowest few
  Position furthest;
};

// Of the workers of this agent. `finished_at` is what counts as done in this phase. `start_error`
// is set where a worker of this agent could not even be spawned. `device_of`: "NVIDIA H200 3".
struct Circumstances {
  Phase phase = Phase::spawn;
  Progression finished_at = Progression::started;
  std::string host;
  int agent = 0;
  double waited_seconds = 0;
  std::function<std::string(const WorkerLink&)> device_of;
};
Findings investigate(const std::vector<std::unique_ptr<WorkerLink>>& workers,
                     const std::optional<Fault>& start_error, const Circumstances&);

Findings merge(Findings, const Findings&);
std::string to_text(const Findings&);
Findings findings_from_text(const std::string&);

// The one to blame, complete: who waits for it, and how far behind the others it is.
Suspect blame(const Findings&, std::size_t cases);

}  // namespace nccl_sweep::agent
