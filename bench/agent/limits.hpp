// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of a node that break jobs in the middle of a run: open files, locked memory, threads,
// memory of the control group, /dev/shm. Read by each agent with its Machine, judged on rank 0
// before anything is started. Nothing is changed: jobs run under the same limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace nccl_sweep::agent {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kUnknown = -1;  // the system does not say

struct Limits {
  std::int64_t open_files = kUnknown;     // what a process may raise its own limit to
  std::int64_t locked_memory = kUnknown;  // bytes
  std::int64_t processes = kUnknown;      // and threads, of this user
  std::int64_t group_threads = kUnknown;  // left in the control group (pids.max)
  std::int64_t group_memory = kUnknown;   // bytes left in the control group
  std::int64_t shared_memory = kUnknown;  // size of /dev/shm
};

// `root` is another folder in tests.
Limits limits_here(const std::filesystem::path& root = "/");

std::map<std::string, std::int64_t> to_map(const Limits&);  // only what is known
Limits limits_from_map(const std::map<std::string, std::int64_t>&);

// What the workers of one node will take.
struct Need {
  std::string backend;
  int workers = 0;               // on the node
  int ranks = 0;                 // of the whole run
  bool adapters = false;         // the node has IB or RoCE ports
  std::int64_t arena_bytes = 0;  // of the rotating buffers
};

// "open files 1048576  locked memory unlimited  /dev/shm 24 GiB": what is known.
std::string limits_text(const Limits&);

// A sentence with the remedy for each limit that is too low.
std::vector<std::string> low_limits(const Limits&, const Need&);

}  // namespace nccl_sweep::agent
