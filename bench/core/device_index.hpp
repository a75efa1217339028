// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nccl_sweep {

// Which of the GPUs that a worker sees is its own; -1: none. A launcher may show each process one
// GPU, or each agent as many as it has workers (then they are counted within the agent), or all of
// the node's. The agent, which binds CPUs, and the worker must agree.
constexpr int device_index(int visible, int local_rank, int agent_rank, int agent_size) {
  if (visible == 1) return 0;
  const int index = visible == agent_size ? agent_rank : local_rank;
  return index < visible ? index : -1;
}

}  // namespace nccl_sweep
