// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One assignment of knobs. Candidate 0 of every run is the baseline: the site's environment as it
// is, nothing varied. Candidates are named by their assignments so that they can be typed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nccl_sweep {

inline constexpr std::string_view kBaselineName = "default";

// The value that takes a variable out of the environment, where the site sets it.
inline constexpr std::string_view kUnset = "unset";

// Of imported launches that do not tell their variables, beside others that do. No setting: it is
// shown, never judged and never recommended.
inline constexpr std::string_view kVariablesUnknown = "(variables unknown)";

struct Candidate {
  std::vector<std::pair<std::string, std::string>> assignments;  // knob name, value; spec order
  bool is_baseline() const { return assignments.empty(); }
  bool is_known() const;
  bool operator==(const Candidate&) const = default;
};

// A setting that is not measured for itself, because it is predicted to be the same data path as a
// candidate of the run.
struct Collapsed {
  Candidate candidate;
  int equal_to = 0;    // index of that candidate
  std::string reason;  // "one queue pair leaves nothing to split"
  bool operator==(const Collapsed&) const = default;
};

std::string name_of(const Candidate&);  // "default", "NAME=VALUE NAME=VALUE" or kVariablesUnknown

}  // namespace nccl_sweep
