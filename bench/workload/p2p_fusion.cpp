// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/p2p_fusion.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nccl_sweep {

bool P2pRun::accepts(const P2pCall& call) const {
  if (calls_.empty()) return true;
  if (calls_.size() >= 2 * static_cast<std::size_t>(ranks_)) return false;
  return call.dtype == calls_.front().dtype &&
         std::ranges::none_of(calls_, [&](const P2pCall& other) {
           return other.send == call.send && other.peer == call.peer;
         });
}

P2pResult P2pRun::fuse() const {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> received;
  bool to_itself = false;
  for (const P2pCall& call : calls_) {
    (call.send ? sent : received).push_back(call.bytes);
    to_itself = to_itself || call.peer == own_rank_;
  }
  P2pResult result;
  if (calls_.empty()) return result;
  const DataType dtype = calls_.front().dtype;
  const auto everyone = static_cast<std::size_t>(ranks_);
  const bool full = sent.size() == everyone && received.size() == everyone;
  if (full || to_itself) {
    result.collective = Collective::alltoall;
    const auto sum = [](const std::vector<std::int64_t>& sizes) {
      return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    };
    result.sizes.emplace_back(dtype, std::max(sum(sent), sum(received)));
    // Frameworks leave out the calls of empty splits: fewer than all is uneven too.
    result.uneven = !full || std::ranges::any_of(calls_, [&](const P2pCall& call) {
      return call.bytes != calls_.front().bytes;
    });
    return result;
  }
  std::ranges::sort(sent, std::greater{});
  std::ranges::sort(received, std::greater{});
  sent.resize(std::max(sent.size(), received.size()), 0);
  received.resize(sent.size(), 0);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    result.sizes.emplace_back(dtype, std::max(sent[i], received[i]));
  }
  return result;
}

}  // namespace nccl_sweep
