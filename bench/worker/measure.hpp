// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The measuring loop, the same for all backends: for each case fill, warm up, blocks of n ops each
// directly after an alignment of all ranks, verify. n and K come with the request; in the burn-in
// trial (ops_per_block 0) the ranks agree on them here. No message is sent inside a timed region.
// Collective over the world: all ranks run the same request.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {

// Called before each step, outside timed regions: case index and "warm-up", "block 3 of 5" ...
using StepReport = std::function<void(int case_index, const std::string& step)>;

struct Pace {             // how one case is measured
  int ops_per_block = 0;  // n
  int blocks = 0;         // K
  int warmup_ops = 0;
};

// From the baseline's time per op: about 10 ms a block and K = 5 from 50 us on, 300 ops and K = 9
// below, where single ops are too short to be seen. `warmup` is the time to spend before. Ops that
// come `whole` at a time, from a captured graph: at least five replays a block.
Pace pace_for(Seconds per_op, Seconds warmup, int whole = 1);

// Warm-up of a case: GPUs and links leave their idle states in about 20 ms; the first case of a
// process also pays for everything that is set up lazily.
inline constexpr Seconds kWarmup{0.020};
inline constexpr Seconds kFirstWarmup{0.300};
inline constexpr int kWarmupOps = 5;

std::vector<wire::CaseBlocks> measure(const wire::Request&, Backend&, const StepReport&);

}  // namespace nccl_sweep::worker
