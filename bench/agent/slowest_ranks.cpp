// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/slowest_ranks.hpp"

#include <algorithm>
#include <map>

namespace nccl_sweep::agent {

std::vector<SlowRank> slowest_ranks(const std::vector<CaseTiming>& cases, const Layout& layout) {
  std::map<int, SlowRank> by_rank;
  for (const CaseTiming& timing : cases) {
    for (std::size_t b = 0; b < timing.slowest_rank.size(); ++b) {
      SlowRank& slow = by_rank[timing.slowest_rank[b]];
      slow.rank = timing.slowest_rank[b];
      ++slow.blocks;
      slow.excess += timing.max_seconds[b] / timing.mean_seconds[b] - 1;
    }
  }
  std::vector<SlowRank> slowest;
  for (auto& [rank, slow] : by_rank) {
    slow.excess /= slow.blocks;
    slowest.push_back(std::move(slow));
  }
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const SlowRank& a, const SlowRank& b) { return a.blocks > b.blocks; });
  if (slowest.size() > kSlowestKept) slowest.resize(kSlowestKept);
  for (SlowRank& slow : slowest) slow.host = layout.host_of_rank(slow.rank);
  return slowest;
}

}  // namespace nccl_sweep::agent
