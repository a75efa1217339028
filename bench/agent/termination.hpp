// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/worker_link.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {

// A worker of this agent does not even die of SIGKILL. The other agents wait for this one in a
// phase, so the whole run must be aborted.
class NodeLost : public Error {
 public:
  explicit NodeLost(const std::string& host);
};

inline constexpr double kReapPatience = 60;  // seconds after SIGKILL: then the node is lost

// Ends all workers: Abort, after `abort_grace` seconds SIGTERM, then SIGKILL; returns when every
// one has been waited for. Throws NodeLost that names `host` where one stays.
void terminate(const std::vector<std::unique_ptr<WorkerLink>>& workers, double abort_grace,
               const std::string& host);

}  // namespace nccl_sweep::agent
