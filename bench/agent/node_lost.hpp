// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a run by a node: its agent is silent, or cannot get rid of a worker. The other agents
// wait for it in an exchange, so whoever catches this aborts the whole run (ControlPlane::abort).
#pragma once

#include <string>

#include "core/error.hpp"

namespace nccl_sweep::agent {

class NodeLost : public Error {
 public:
  // `why` goes on from the host's name: "its agent has been silent for 80 s".
  NodeLost(int agent, const std::string& why)
      : Error(ExitCode::environment, why), agent_(agent) {}

  int agent() const { return agent_; }

 private:
  int agent_;
};

// Something went wrong on rank 0 while the others wait for its answer, or agents do not agree where
// they are: the whole run must end.
class OutOfStep : public Error {
 public:
  explicit OutOfStep(const std::string& why) : Error(ExitCode::environment, why) {}
};

}  // namespace nccl_sweep::agent
