// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/rank_spread.hpp"

#include <algorithm>
#include <cmath>

namespace nccl_sweep::agent {
namespace {

constexpr double kFinestWidth = 0.001;  // in natural logarithms
constexpr std::size_t kMostBins = 64;

}  // namespace

void RankSpread::add(double value) {
  if (!(value > 0) || !std::isfinite(value)) return;
  smallest_ = bins_.empty() ? value : std::min(smallest_, value);
  largest_ = bins_.empty() ? value : std::max(largest_, value);
  const auto finest = static_cast<std::int64_t>(std::floor(std::log(value) / kFinestWidth));
  ++bins_[finest >> doublings_];
  limit();
}

// Two neighbouring bins become one; shifting rounds down below zero, too.
void RankSpread::coarsen(int doublings) {
  std::map<std::int64_t, std::int64_t> wider;
  for (const auto& [bin, ranks] : bins_) wider[bin >> doublings] += ranks;
  bins_ = std::move(wider);
  doublings_ += doublings;
}

void RankSpread::limit() {
  while (bins_.size() > kMostBins) coarsen(1);
}

std::string RankSpread::text() const {
  Packer packed;
  packed.put(smallest_);
  packed.put(largest_);
  packed.put(doublings_);
  packed.put(static_cast<std::int32_t>(bins_.size()));
  for (const auto& [bin, ranks] : bins_) {
    packed.put(static_cast<std::int32_t>(bin));
    packed.put(static_cast<std::int32_t>(ranks));
  }
  return packed.take();
}

void RankSpread::take(Unpacker& packed) {
  RankSpread other;
  other.smallest_ = packed.get<double>();
  other.largest_ = packed.get<double>();
  other.doublings_ = packed.get<int>();
  for (auto bins = packed.get<std::int32_t>(); bins > 0; --bins) {
    const std::int32_t bin = packed.get<std::int32_t>();
    other.bins_[bin] += packed.get<std::int32_t>();
  }
  if (other.bins_.empty()) return;
  smallest_ = bins_.empty() ? other.smallest_ : std::min(smallest_, other.smallest_);
  largest_ = bins_.empty() ? other.largest_ : std::max(largest_, other.largest_);
  const int width = std::max(doublings_, other.doublings_);
  coarsen(width - doublings_);
  other.coarsen(width - other.doublings_);
  for (const auto& [bin, ranks] : other.bins_) bins_[bin] += ranks;
  limit();
}

double RankSpread::median() const {
  std::int64_t all = 0;
  for (const auto& [bin, ranks] : bins_) all += ranks;
  std::int64_t below = 0;
  for (const auto& [bin, ranks] : bins_) {
    below += ranks;
    if (2 * below < all) continue;
    const double width = kFinestWidth * std::ldexp(1.0, doublings_);
    return std::clamp(std::exp((static_cast<double>(bin) + 0.5) * width), smallest_, largest_);
  }
  return 0;
}

}  // namespace nccl_sweep::agent
