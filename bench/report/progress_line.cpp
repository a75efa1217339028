// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/progress_line.hpp"

#include <fmt/format.h>

namespace nccl_sweep {
namespace {

std::string shortened(const std::string& text, std::size_t room) {
  constexpr std::size_t kDots = 3;
  if (text.size() <= room) return text;
  return room > kDots ? text.substr(0, room - kDots) + "..." : std::string();
}

}  // namespace

std::string progress_line(const ProgressState& state, int columns) {
  const std::string head =
      fmt::format("[{:>{}}/{}] {}  ", state.done, std::to_string(state.planned).size(),
                  state.planned, state.label);
  std::string tail;
  if (state.last_trial.count() > 0) tail += "  " + format_seconds(state.last_trial);
  if (state.left.count() > 0) tail += "  ETA " + format_seconds(state.left);
  if (state.failed > 0) tail += fmt::format("  {} failed", state.failed);
  if (columns <= 0) return head + state.setting + tail;
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t others = head.size() + tail.size();
  const std::size_t room = width > others ? width - others : 0;
  return (head + shortened(state.setting, room) + tail).substr(0, width);
}

}  // namespace nccl_sweep
