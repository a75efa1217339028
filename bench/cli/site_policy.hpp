// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Policy files applied to a prepared run. Whatever is refused is refused before anything starts,
// with the file and its reason; what can only be kept to while the run goes on (time, quiet) is
// worked out here and handed to the sweep loop. Rank 0 only.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_setup.hpp"

namespace nccl_sweep::cli {

inline constexpr const char* kSitePolicy = "/etc/nccl-sweep/policy.json";

// Puts the site's and the user's policy (a file, or empty) beside those that the run's record holds
// already, and refuses forbidden settings: of candidates, the environment, conf files, and what nodes
// set for themselves. Throws a usage Error; an environment Error where the site's file cannot be
// obeyed because it is broken.
void obey_policy(PreparedRun& run, const KnobCatalogue& catalogue, const std::string& user_file,
                 const std::vector<agent::Machine>& machines);

// Throws a usage Error where the planned price is above the largest GPU-hours. GPUs only.
void check_price(const PreparedRun& run);

// Throws an environment Error where agents run on nodes that are to be left out. `plan` does
// without: it is often asked for on a login node.
void check_nodes(const PreparedRun& run, const std::vector<agent::Machine>& machines);

// Seconds that this session may last: the user's budget, or what is left of the largest GPU-hours
// after `used_seconds` of earlier sessions where that is less. 0: no limit. Throws a usage Error
// where nothing is left.
double allowed_seconds(const PreparedRun& run, double used_seconds);

// "policy  FILE: forbids ..." of each.
std::vector<std::string> policy_lines(const PreparedRun& run);

}  // namespace nccl_sweep::cli
