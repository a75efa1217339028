// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which ranks were the slowest of a trial, and how much: a host that is behind in most blocks
// shows here before it fails.
#pragma once

#include <vector>

#include "agent/setup.hpp"
#include "core/trial.hpp"

namespace nccl_sweep::agent {

inline constexpr std::size_t kSlowestKept = 8;

// The ranks that were slowest in most blocks, those first.
std::vector<SlowRank> slowest_ranks(const std::vector<CaseTiming>&, const Layout&);

}  // namespace nccl_sweep::agent
