// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What imported launches have in common and in what they differ. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "importing/imported_run.hpp"

namespace nccl_sweep {

struct LaunchSettings {
  std::vector<Candidate> candidates;               // [0] is the baseline
  std::vector<int> of_launch;                      // candidate by launch
  std::map<std::string, std::string> environment;  // of all of them, and of the baseline
  std::string nccl;                                // version of the baseline's library
  std::vector<std::string> notes;
};

// Whether a setting that the user named is of this launch.
bool applies_to(const NamedSetting& setting, const ImportedLaunch& launch);

// The setting with the fewest variables is the baseline, of equals the first. Launches that do not
// tell theirs, beside others that do, are a candidate that is not known.
LaunchSettings find_settings(const std::vector<ImportedLaunch>& launches,
                             const std::vector<NamedSetting>& named);

// Throws a usage Error that names two launches which no comparison may mix.
void check_comparable(const std::vector<ImportedLaunch>& launches);

// "nccl-tests as usual", "nccl-tests with average 2": of all launches that are comparable.
std::string recipe_words(const ImportedLaunch& launch);

Fabric fabric_of(const ImportedLaunch& launch, const std::string& nccl);

// The size asked for, which versions round differently; `size` where nothing fits.
Bytes requested_size(const ImportedLaunch& launch, DataType dtype, Bytes size);

std::set<std::string> hosts_of(const ImportedLaunch& launch);

// What a reader of the run has to know of where it comes from.
std::vector<std::string> origin_notes(const ImportedFiles& files, const LaunchSettings& settings);

}  // namespace nccl_sweep
