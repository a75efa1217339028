// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library under test says of itself: how its log is asked for, and the facts of a trial
// over all ranks (which libraries they open is rank_identity.hpp's). NCCL writes its log to the
// worker's output, which stays on the node.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/environment.hpp"
#include "agent/worker_link.hpp"
#include "core/fact.hpp"
#include "core/trial.hpp"

namespace nccl_sweep::agent {

// Variables that make the backend's library log what evidence needs: start-up only, or everything
// in a trial of Stage::evidence. Empty for backends without a library. NCCL_DEBUG of the site gives
// way in the workers: all trials log alike.
Variables log_variables(const std::string& backend, Stage stage);

// The facts of a trial on their way to rank 0. A setting mostly says the same in every trial, so
// each agent remembers what it has sent for a setting, and its parent what has come: "as before"
// travels instead.
class FactsOnTheWay {
 public:
  // `order`: of the trial whose facts come next.
  void begin(const TrialOrder& order);
  void forget(const TrialOrder& order);  // on all agents, where a trial failed
  void take(const std::string& child_text);  // children always in the same order
  void add(const std::vector<std::unique_ptr<WorkerLink>>& workers);
  std::string text();           // of this agent and all below it
  std::vector<Fact> merged();   // the same, as facts

 private:
  struct Before {
    std::string sent;
    std::vector<std::string> received;  // by child
  };
  std::map<std::pair<bool, int>, Before> before_;  // by evidence trial or not, candidate
  Before* now_ = nullptr;
  std::size_t next_child_ = 0;
  std::vector<Fact> facts_;
};

}  // namespace nccl_sweep::agent
