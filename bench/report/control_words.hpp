// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run over several agents says of itself: what supervising cost, and whether one host is
// behind the others in most blocks.
#pragma once

#include <string>

#include "core/records.hpp"

namespace nccl_sweep {

// Empty for one agent, and for records that were written before it was counted.
std::string control_line(const RunData&);

// "slowest rank 12 on node3 in 80 % of blocks, 7 % over the mean"; empty where no rank and no host
// is the slowest in most blocks of the analysed trials, or not by 5 %.
std::string slowest_line(const RunData&);

}  // namespace nccl_sweep
