// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls per training step from time-stamped records and the profiler's step marks. A record
// belongs to the step in whose [begin, end) its host time lies, on whatever thread it ran: the
// kernels of a step often run in the next one's window.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace nccl_sweep {

struct StepMark {
  std::int64_t number = 0;
  double begin = 0;  // microseconds, as in the trace
  double end = 0;
};

// Kept apart, not as a struct of both: 12 instead of 16 bytes a record, of millions.
struct TimedRecords {
  std::deque<double> times;
  std::deque<std::uint32_t> kinds;
};

struct StepCounts {
  double iterations = 0;      // full steps; 0: no marks, calls are of the whole trace
  std::vector<double> calls;  // by kind
  std::int64_t outside = 0;   // records in no full step
  std::vector<std::string> remarks;
};

// `names[kind]` is used in remarks.
StepCounts count_by_step(std::vector<StepMark> marks, const TimedRecords& records,
                         const std::vector<std::string>& names);

}  // namespace nccl_sweep
