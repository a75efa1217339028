// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The control plane: what agents say to each other. One implementation over MPI, one for a single
// agent without MPI. Waiting polls about every 2 ms instead of blocking in MPI, because a blocked
// rank burns a whole core next to the worker's proxy threads. Nothing here is used while workers
// measure, except failure_announced(). Main thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep::agent {

struct Ballot {
  int trial = 0;
  int status = 0;      // 0 fine, larger is worse; the vote returns the largest
  bool stop = false;   // this agent was asked to stop softly
  int shape = 0;       // must be equal on all agents (number of blocks to reduce)
};

struct VoteResult {
  int status = 0;
  bool stop = false;
  bool same_shape = true;
};

class ControlPlane {
 public:
  virtual ~ControlPlane() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Collective over all agents; every agent calls them in the same order.
  virtual std::string broadcast(std::string text) = 0;  // rank 0's text to all
  virtual std::vector<std::string> gather(const std::string& text) = 0;  // all texts, on all agents
  virtual void sum(std::vector<double>& values) = 0;    // element-wise, result on all agents
  // Element-wise maximum with the rank that has it; result on all agents.
  virtual void max_with_rank(std::vector<double>& values, std::vector<int>& ranks) = 0;

  // Collective over all agents, exactly one a phase. Each agent enters at the latest at its own
  // deadline. If it is still open `patience_seconds` later, an agent is lost: the whole run is
  // aborted (MPI_Abort), and --resume goes on from the records.
  virtual VoteResult vote(const Ballot&, double patience_seconds) = 0;

  // Tells all other agents that `trial` has failed, so that they need not wait for a deadline.
  virtual void announce_failure(int trial) = 0;
  virtual bool failure_announced(int trial) = 0;  // polls; stale trials are ignored

  // Ends the whole run on all agents at once, without unwinding.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

inline constexpr double kPollSeconds = 0.002;

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
