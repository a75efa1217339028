// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/candidate.hpp"

#include <algorithm>

namespace nccl_sweep {

bool Candidate::is_known() const {
  return std::none_of(assignments.begin(), assignments.end(),
                      [](const auto& one) { return one.first == kVariablesUnknown; });
}

std::string name_of(const Candidate& candidate) {
  if (candidate.is_baseline()) return std::string(kBaselineName);
  std::string name;
  for (const auto& [knob, value] : candidate.assignments) {
    if (!name.empty()) name += ' ';
    name += knob == kVariablesUnknown ? knob : knob + "=" + value;
  }
  return name;
}

}  // namespace nccl_sweep
