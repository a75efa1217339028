// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/roll_call.hpp"

namespace nccl_sweep::agent {

void RollCall::begin(double now, double patience, const std::vector<int>& children) {
  begun_at_ = now;
  ends_at_ = now + patience;
  children_ = children;
}

void RollCall::answered(int child) { answered_.insert(child); }

void RollCall::reported(int grandchild) { reported_.push_back(grandchild); }

std::optional<std::vector<int>> RollCall::silent(double now) {
  if (!begun() || over_ || now < ends_at_) return std::nullopt;
  over_ = true;
  std::vector<int> missing = children_;
  std::erase_if(missing, [&](int child) { return answered_.contains(child); });
  missing.insert(missing.end(), reported_.begin(), reported_.end());
  return missing;
}

}  // namespace nccl_sweep::agent
