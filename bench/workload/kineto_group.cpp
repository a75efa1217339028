// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/kineto_group.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace nccl_sweep {
namespace {

constexpr int kMostRanks = 1 << 20;  // a corrupt size must not fill the memory

int even_stride(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  if (ranks.size() < 2) return 0;
  if (ranks.front() < 0) return 0;  // corrupt, and differences of such may overflow
  const int stride = ranks[1] - ranks[0];
  for (std::size_t i = 2; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) return 0;
  }
  return stride;
}

std::vector<int> evenly_spaced(int size, int start, int stride) {
  std::vector<int> ranks;
  if (size > kMostRanks || start > kMostRanks || stride > kMostRanks / size) return ranks;
  for (int i = 0; i < size; ++i) ranks.push_back(start + i * stride);
  return ranks;
}

// The first source that knows as many ranks as the group has; empty where none does.
std::vector<int> ranks_of(const KinetoGroup& group, const std::optional<DistributedInfo>& info) {
  const auto fits = [&](const std::vector<int>& ranks) { return std::ssize(ranks) == group.size; };
  bool whole = false;
  std::vector<int> ranks = parse_rank_list(group.ranks, whole);
  if (whole && fits(ranks)) return ranks;
  if (info) {
    const auto known = info->groups.find(group.name);
    if (known != info->groups.end() && fits(known->second.ranks)) return known->second.ranks;
  }
  if (group.start >= 0 && group.stride > 0) {
    return evenly_spaced(group.size, group.start, group.stride);
  }
  if (info && group.size == info->world_size) return evenly_spaced(group.size, 0, 1);
  return {};
}

}  // namespace

GroupIdentity identify(const KinetoGroup& group, const std::optional<DistributedInfo>& info) {
  const std::vector<int> ranks = ranks_of(group, info);
  if (!ranks.empty()) return {fmt::format("ranks {}", fmt::join(ranks, ",")), even_stride(ranks)};
  return {fmt::format("group {} {} of {}", group.name, group.ranks, group.size),
          std::max(0, group.stride)};
}

bool foreign_backend(const KinetoGroup& group, const std::optional<DistributedInfo>& info) {
  if (!info) return false;
  const auto known = info->groups.find(group.name);
  const bool listed = known != info->groups.end() && !known->second.backend.empty();
  const std::string& backend = listed ? known->second.backend : info->backend;
  if (backend.find("nccl") != std::string::npos) return false;
  constexpr std::array<std::string_view, 5> kForeign = {"gloo", "mpi", "ucc", "xccl", "hccl"};
  return std::ranges::any_of(
      kForeign, [&](std::string_view word) { return backend.find(word) != std::string::npos; });
}

}  // namespace nccl_sweep
