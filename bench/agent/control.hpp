// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The control plane: what agents say to each other. One implementation over MPI, one for a single
// agent without MPI. Everything travels a tree with two children a node (agent_tree.hpp): texts are
// combined on the way up, so no agent handles more than a few messages a phase, however many there
// are. Waiting polls instead of blocking in MPI, because a blocked rank burns a whole core next to
// the worker's proxy threads. Nothing here is used while workers measure, except
// failure_announced(). Main thread only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/node_lost.hpp"

namespace nccl_sweep::agent {

// What this agent has sent and received so far, over all kinds of messages.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// A text for some agents; the first of them has it. All of them name the same list.
struct Parcel {
  std::vector<int> agents;
  std::string text;
};

// Makes one text of an agent's own and of those that its children in the tree made. What it makes
// goes up; what it makes on rank 0 is the answer.
using Combine = std::function<std::string(const std::vector<std::string>& children)>;

inline constexpr double kGatherPatience = 300;  // seconds: starts on loaded nodes differ by minutes

// How long an agent waits for another before the other is lost. Agents above in the tree have a
// little more patience, so that the neighbour of a lost one says who it is.
struct Patience {
  double seconds = 0;
  // Where the trial's failure is announced, nobody waits for a deadline: seconds from then on that
  // agents below have. Negative: no difference.
  double after_failure = -1;
  bool failed = false;  // it has been announced already
};

// From the start of the machine; may be called in a signal handler.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What a launcher that ends a run has sent this process so far; set by signal handlers.
struct LauncherSignals {
  std::atomic<double> continued = -1e9;  // SIGCONT: steady_seconds() of the last
  bool volatile ended = false;           // SIGTERM soon after it
  // From SIGCONT to SIGKILL are two seconds, or as set; SIGCONT also comes after a pause.
  bool may_end_run() const { return steady_seconds() - continued < 15; }
};

class ControlPlane {
 public:
  virtual ~ControlPlane() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Collective over all agents; every agent calls them in the same order.
  virtual std::string broadcast(std::string text) = 0;  // rank 0's text to all, however late
  // Up and down once: returns rank 0's answer on all agents. Where an agent's patience ends, rank 0
  // is told who is lost, and throws NodeLost; the others wait for it to end the run, and throw
  // NodeLost themselves only where nothing comes from above.
  virtual std::string exchange(const Combine&, Patience) = 0;
  // All texts by rank on rank 0, nothing elsewhere. Grows with the agents: once a run.
  std::vector<std::string> gather(const std::string& text,
                                  double patience_seconds = kGatherPatience);

  // Collective over the agents of each parcel, which may overlap: fills in the texts of the parcels
  // that this agent is in, from agent to agent along a tree over the parcel's own agents. Throws
  // NodeLost as exchange() does.
  virtual void deliver(std::vector<Parcel>&, double patience_seconds) = 0;

  // Tells all other agents that `trial` has failed, so that they need not wait for a deadline: to
  // the neighbours in the tree, which pass it on.
  virtual void announce_failure(int trial) = 0;
  virtual bool failure_announced(int trial) = 0;  // polls; stale trials are ignored

  // Tells rank 0, which throws it; elsewhere waits, inside an exchange, to be ended by rank 0.
  [[noreturn]] virtual void report_lost(const NodeLost&) = 0;
  // Where a launcher ends the run, rank 0's `ends` hears once which agents are missing (RollCall).
  // Failures are announced late then, if at all: the neighbour may be the one that is gone.
  virtual void heed(const LauncherSignals&,
                    std::function<void(const std::vector<int>& silent)> ends) = 0;

  virtual Traffic traffic() const = 0;

  // Ends the whole run on all agents at once, without unwinding.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

// How long to sleep between looks: rarely where one has waited long, since a hundred agents on a
// node that all look each 2 ms are a load. Costs at most a fiftieth of the waiting.
double poll_seconds(double waited_seconds);

std::unique_ptr<ControlPlane> make_solo_control();

// Collective over MPI_COMM_WORLD: initialises MPI; its destructor finalises it.
// Throws an environment Error in a build without MPI.
std::unique_ptr<ControlPlane> make_mpi_control();
bool built_with_mpi();

// What the launcher's variables say about this process (OMPI_, PMIX_, PMI_, SLURM_STEP_).
struct Launcher {
  std::string name;  // "mpirun", "srun", "" when started directly
  int processes = 1; // as the launcher says
  int rank = 0;      // of this one
};
Launcher detect_launcher();

// The control plane for this process: MPI under a launcher, else solo. Throws an environment
// Error where a launcher started several processes that MPI does not connect (each would sweep
// alone on the same GPUs).
std::unique_ptr<ControlPlane> make_control();

}  // namespace nccl_sweep::agent
