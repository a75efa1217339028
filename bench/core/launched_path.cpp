// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/launched_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/words.hpp"

namespace nccl_sweep {
namespace {

constexpr std::string_view kCopyEngine = "copy engine";
constexpr std::string_view kSymmetric = "symmetric";

// In the order of Collective.
constexpr std::array<std::string_view, 9> kFunctions{"AllGather", "ReduceScatter", "AllReduce",
                                                     "AlltoAll",  "Broadcast",     "Reduce",
                                                     "Gather",    "Scatter",       "SendRecv"};

std::string channels_text(int channels) {
  if (channels == 0) return {};
  return fmt::format(" {} {}", channels, channels == 1 ? "channel" : "channels");
}

}  // namespace

std::string to_string(const LaunchedPath& path) {
  switch (path.kind) {
    case PathKind::copy_engine:
      return std::string(kCopyEngine);
    case PathKind::symmetric:
      return fmt::format("{} {}{}", kSymmetric, path.algorithm, channels_text(path.channels));
    case PathKind::channels:
      break;
  }
  return fmt::format("{} {}{}", path.algorithm, path.protocol, channels_text(path.channels));
}

LaunchedPath parse_launched_path(std::string_view text) {
  LaunchedPath path;
  if (text == kCopyEngine) {
    path.kind = PathKind::copy_engine;
    return path;
  }
  std::vector<std::string_view> words = words_of(text);
  if (words.size() > 2 && words.back().starts_with("channel")) {
    const std::string_view number = words[words.size() - 2];
    std::from_chars(number.data(), number.data() + number.size(), path.channels);
    words.resize(words.size() - 2);
  }
  if (words.size() > 1 && words[0] == kSymmetric) {
    path.kind = PathKind::symmetric;
    path.algorithm = words[1];
    return path;
  }
  if (!words.empty()) path.algorithm = words[0];
  if (words.size() > 1) path.protocol = words[1];
  return path;
}

std::string path_subject(std::string_view function, std::int64_t bytes) {
  return fmt::format("{} {}", function, bytes);
}

std::string path_subject(const Case& what) {
  const std::int64_t ranks = std::max(what.group_size, 1);
  const std::int64_t bytes =
      size_is_total_over_ranks(what.collective) ? what.size.value / ranks : what.size.value;
  return path_subject(kFunctions.at(static_cast<std::size_t>(what.collective)), bytes);
}

}  // namespace nccl_sweep
