// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What NCCL launched for an operation: algorithm, protocol and channels, or a kernel of its own
// kind. This is the text of FactKind::path, written by evidence/ and read back by analysis/.
#pragma once

#include <string>
#include <string_view>

#include "core/case.hpp"

namespace nccl_sweep {

enum class PathKind { channels, symmetric, copy_engine };

struct LaunchedPath {
  PathKind kind = PathKind::channels;
  std::string algorithm;  // "RING"; of a symmetric kernel its name, "AllGather_ST"
  std::string protocol;   // "SIMPLE"; channels only
  int channels = 0;       // thread blocks; 0 where the log does not tell
  bool operator==(const LaunchedPath&) const = default;
};

// "RING SIMPLE 24 channels", "symmetric AllGather_ST 32 channels", "copy engine".
std::string to_string(const LaunchedPath&);
LaunchedPath parse_launched_path(std::string_view text);  // the reverse

// How a case's operation is named in FactKind::path: NCCL's function and the bytes as its log
// counts them, one rank's share where the size is the total over ranks: "AllGather 524288".
std::string path_subject(const Case& what);
std::string path_subject(std::string_view function, std::int64_t bytes);

}  // namespace nccl_sweep
