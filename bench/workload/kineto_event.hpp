// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of Kineto event that are read, and distributedInfo, from their JSON text. Lenient:
// numbers may be strings, lists may be strings, control characters and bad escapes are tolerated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/step_counts.hpp"

namespace nccl_sweep {

struct CommsRecord {
  std::string collective;  // PyTorch's word; empty before PyTorch 2.2
  std::string dtype;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  int group_size = 0;  // 0: not recorded (PyTorch 2.1)
  std::string group_name;
  std::string group_ranks;  // "[0, 1]", shortened by PyTorch above 30 ranks: "[0, 1, ..., ...]"
  int rank_start = -1;      // where the ranks are evenly spaced
  int rank_stride = -1;
  bool uneven_split = false;
  double time = 0;  // microseconds
  double duration = 0;
  std::string thread;
};

struct KinetoEvent {
  std::optional<CommsRecord> comms;
  std::optional<StepMark> step;
};

// Neither is set for another event (a GPU twin, a Python frame of that name); nullopt: not JSON.
std::optional<KinetoEvent> parse_kineto_event(std::string_view text);

struct ProcessGroup {
  std::string backend;  // "cuda:nccl", "cpu:gloo,cuda:gloo"; empty where unknown
  std::vector<int> ranks;
};

struct DistributedInfo {
  std::string backend;
  int rank = -1;
  int world_size = 0;
  std::string nccl_version;
  std::map<std::string, ProcessGroup> groups;  // by name
};

std::optional<DistributedInfo> parse_distributed_info(std::string_view text);

// The integers of "[0, 1, ...]"; `whole` is false where the list was shortened.
std::vector<int> parse_rank_list(std::string_view text, bool& whole);

}  // namespace nccl_sweep
