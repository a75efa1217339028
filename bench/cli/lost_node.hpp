// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user reads where a run ends by a lost node: which, and how to go on.
#pragma once

#include <string>
#include <vector>

#include "agent/control.hpp"

namespace nccl_sweep::cli {

// A run's nodes and folder, as far as this agent knows them.
struct Whereabouts {
  std::vector<std::string> hosts;  // by agent
  std::string folder;
};

std::string lost_node_line(const agent::NodeLost&, const Whereabouts&);

// While a launcher ends the run, a moment before it kills this process. `silent`: agents that do not
// answer.
std::string launcher_ends_line(const std::vector<int>& silent, const Whereabouts&);

// Where one agent cannot go on and the others wait for it, all must end.
[[noreturn]] void abort_run(agent::ControlPlane&, const std::exception&, const Whereabouts&);

}  // namespace nccl_sweep::cli
