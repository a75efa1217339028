// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is missing when a launcher ends a run? Open MPI's mpirun, which has seen a process die, sends
// the others SIGCONT, a second later SIGTERM and another second later SIGKILL, without a word; on
// other hosts than its own it does so two seconds later. So rank 0 has a second to tell the user, and
// knows of each child in the tree whether it has said anything since: on its own SIGTERM an agent
// says that it is there, and failures of workers are announced. Nobody is asked: a message to a
// process that is gone makes Open MPI wait for it. Clocks and messages are the caller's. It decides
// nothing, so an agent that was only busy costs a few words.
#pragma once

#include <optional>
#include <set>
#include <vector>

namespace nccl_sweep::agent {

class RollCall {
 public:
  // `patience`: seconds from now.
  void begin(double now, double patience, const std::vector<int>& children);
  bool begun() const { return begun_at_ >= 0; }

  void answered(int child);      // also before the beginning
  void reported(int grandchild); // silent, says an agent

  // All that are silent, once, when they have had their time; before and after that nothing.
  std::optional<std::vector<int>> silent(double now);

 private:
  double begun_at_ = -1;
  double ends_at_ = -1;
  bool over_ = false;
  std::vector<int> children_;
  std::vector<int> reported_;
  std::set<int> answered_;
};

}  // namespace nccl_sweep::agent
