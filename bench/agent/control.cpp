// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/control.hpp"

#include <algorithm>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {
double poll_seconds(double waited_seconds) {
  return std::clamp(waited_seconds / 50, 0.002, 0.02);
}

std::vector<std::string> ControlPlane::gather(const std::string& text, double patience_seconds) {
  std::vector<std::string> all;
  const Combine combine = [&](const std::vector<std::string>& children) {
    // The subtrees hold the ranks in order, so putting one after the other sorts them.
    Packer packed;
    packed.text(text);
    for (const std::string& child : children) packed.raw(child);
    if (rank() != 0) return packed.take();
    const std::string everything = packed.take();
    Unpacker unpacker(everything);
    while (!unpacker.at_end()) all.emplace_back(unpacker.text());
    return std::string();
  };
  exchange(combine, {patience_seconds});
  return all;
}

}  // namespace nccl_sweep::agent
