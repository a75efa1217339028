// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "agent/node_lost.hpp"
#include "agent/worker_link.hpp"

namespace nccl_sweep::agent {

inline constexpr double kReapPatience = 60;  // seconds after SIGKILL: then the node is lost

// Ends all workers: Abort, after `abort_grace` seconds SIGTERM, then SIGKILL; returns when every
// one has been waited for. Throws NodeLost that names `agent`, this one, where one stays.
void terminate(const std::vector<std::unique_ptr<WorkerLink>>& workers, double abort_grace,
               int agent);

}  // namespace nccl_sweep::agent
