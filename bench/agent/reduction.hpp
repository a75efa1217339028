// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From every worker's blocks to one timing a case: per block the mean over the ranks of a group,
// of which the slowest group counts, and the slowest rank.
#pragma once

#include <utility>
#include <vector>

#include "agent/control.hpp"
#include "agent/setup.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::agent {

// A number made of the blocks of each case: equal on all workers, or they cannot be reduced.
int shape_of(const wire::Result&);

// Collective over all agents. `results`: this agent's workers by world rank. The timings are the
// same on all agents.
std::vector<CaseTiming> reduce_blocks(ControlPlane&, const Setup&,
                                      const std::vector<std::pair<int, wire::Result>>& results);

}  // namespace nccl_sweep::agent
