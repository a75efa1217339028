// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One line of an NCCL log, wherever in the line NCCL's text stands: launchers, containers and
// interleaved output put anything before it. The text of a COLL line is the same from NCCL 2.4 to
// 2.30; RCCL adds fields in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep {

// A logged call. `count` is the API's: per rank for AllGather and ReduceScatter, per peer for
// AlltoAll, Gather and Scatter.
struct LoggedCall {
  std::string_view function;  // "AllReduce", "Send"
  std::int64_t count = 0;
  int datatype = 0;  // ncclDataType_t
  int op = 0;        // ncclRedOp_t
  int root = 0;      // the peer of Send and Recv
  std::uint64_t comm = 0;
  int ranks = 0;
  std::int64_t process = -1;  // -1: the prefix does not tell
  std::int64_t thread = -1;
  int device = 0;
};

// "comm 0x.. rank R nranks N ... commId 0x.. - Init COMPLETE"; a split communicator has a parent
// and a color in place of the id.
struct LoggedInit {
  std::uint64_t comm = 0;
  int rank = -1;
  int ranks = 0;
  std::string id;  // empty for a split communicator
  std::uint64_t parent = 0;
  std::int64_t color = 0;
  std::int64_t process = -1;
  int device = 0;
};

struct LogLine {
  std::vector<LoggedCall> calls;  // more than one where writers were not synchronised
  int garbled = 0;                // calls of which only a part is there
  std::optional<LoggedInit> init;
  std::string_view version;  // "2.28.9+cuda13.0" of the line that says so
};

LogLine parse_log_line(std::string_view line);

}  // namespace nccl_sweep
