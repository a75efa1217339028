// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One trial on all agents: spawn, hello, connect, measure, drain. Each phase has a deadline and
// ends with exactly one exchange: a report up the tree, rank 0's verdict down. The next trial
// starts only when every worker of this one has been waited for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/control.hpp"
#include "agent/device_lock.hpp"
#include "agent/footprint.hpp"
#include "agent/group_rendezvous.hpp"
#include "agent/library_facts.hpp"
#include "agent/phase_report.hpp"
#include "agent/rank_identity.hpp"
#include "agent/setup.hpp"
#include "agent/termination.hpp"
#include "agent/worker_link.hpp"

namespace nccl_sweep::agent {

class TrialRunner {
 public:
  // `stop_requested` is polled between and within phases; it never cuts a phase short.
  TrialRunner(ControlPlane& control, const Setup& setup, const bool volatile* stop_requested);

  // Collective over all agents. Rank 0 gets the outcome; the others no more than whether it went
  // well. Throws an environment Error on rank 0 where a device is used by another run, and
  // NodeLost.
  TrialOutcome run(const Launch& launch);

  // Some agent was asked to stop; between trials rank 0 need not wait for a vote to know of itself.
  bool stop_seen() const { return stop_seen_ || *stop_requested_; }
  const Idleness& idleness() const { return idleness_; }

 private:
  using Done = Progression;

  void spawn(const Launch&);
  wire::Request request_for(const Launch&, int rank) const;
  bool await(Done until, double deadline_seconds);  // true: all local workers are there
  bool agree_on_blocks();
  // Ends a phase: true where all agents are fine, else blamed_ is set.
  bool conclude(bool fine, Phase, Done until, const Cargo& = {}, int shape = 0);
  Verdict exchanged(const Combine&, const Patience&);
  std::string answer(PhaseReport&, const Cargo&);  // rank 0's
  PhaseReport report(bool fine, Phase, Done until, int shape) const;
  Cargo hello_cargo(const Launch&, IdentityComparison&);
  Cargo measure_cargo(TrialOutcome&);
  Cargo drain_cargo(const Launch&, TrialOutcome&);
  void reap();
  TrialOutcome failed(const Launch&);
  void keep_logs(const Launch&, Suspect* guilty);
  double elapsed() const;

  ControlPlane& control_;
  const Setup& setup_;
  const bool volatile* stop_requested_;
  std::vector<std::unique_ptr<WorkerLink>> workers_;
  std::optional<Fault> start_error_;
  std::optional<std::string> fatal_error_;  // ends the run, not only the trial
  DeviceLocks locks_;
  std::map<const std::vector<Partition>*, GroupRendezvous> rendezvous_of_;  // by order of ranks
  GroupRendezvous* rendezvous_ = nullptr;  // of the running trial
  FactsOnTheWay facts_;
  Idleness idleness_;
  Suspect blamed_;      // complete on rank 0; elsewhere its rank and outcome
  int trial_ = -1;
  double started_ = 0;
  double spawn_seconds_ = 0;
  double deadline_ = 0;  // of the running phase, seconds from its start
  double deadline_at_ = 0;
  bool failing_ = false;  // the trial has failed, its workers are being ended
  bool stop_seen_ = false;
};

}  // namespace nccl_sweep::agent
