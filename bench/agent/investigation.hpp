// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose fault was it? Each agent reports the worst of its workers; the blame goes to a worker
// that really failed before one that only hangs, among those that hang to one that is stopped,
// then to the rank furthest behind. The others are victims and are listed as waiting.
#pragma once

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
  Failure failure;    // waiting_ranks: the agent's other unfinished ranks, the first few
};

// The worst local worker. `finished_at` is what counts as done in this phase. `start_error` is
// set where a worker of this agent could not even be spawned.
Suspect worst_of(const std::vector<std::unique_ptr<WorkerLink>>& workers, Phase phase,
                 Progression finished_at, const std::string& host, int agent,
                 const std::optional<Fault>& start_error, double waited_seconds);

std::string to_text(const Suspect&);
Suspect suspect_from_text(const std::string&);

// The one to blame, with the waiting ranks of all agents (the first few) filled in.
Suspect blame(const std::vector<Suspect>& one_of_each_agent);

}  // namespace nccl_sweep::agent
