// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which ranks a record's process group means. PyTorch gives the same name to different groups on
// different ranks, shortens long rank lists and has recorded more of it with each release.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "workload/kineto_event.hpp"

namespace nccl_sweep {

// As a record has it.
struct KinetoGroup {
  std::string name;
  std::string ranks;
  int size = 0;
  int start = -1;
  int stride = -1;
  auto operator<=>(const KinetoGroup&) const = default;
};

struct GroupIdentity {
  std::string text;  // names the ranks where they are known, so equal on all of them
  int stride = 0;    // distance of neighbouring ranks, 0: unknown or uneven
};
GroupIdentity identify(const KinetoGroup&, const std::optional<DistributedInfo>&);

// The same records are written for gloo and others; only NCCL's are asked for.
bool foreign_backend(const KinetoGroup&, const std::optional<DistributedInfo>&);

}  // namespace nccl_sweep
