// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What `nccl-sweep sbatch` refuses: how many nodes, partitions and leaf switches a job or an array
// of jobs is to have must be said once, and be possible; a container must keep what its image has.
#pragma once

#include <filesystem>

#include "report/sbatch_script.hpp"

namespace nccl_sweep::cli {

// Throws a usage Error.
void refuse_contradictions(const SbatchScript&);

// A prefix that is mounted into a container must not be one where images have their own programs
// and libraries: they would be hidden. Throws a usage Error.
void refuse_prefix_of_images(const std::filesystem::path& prefix);

}  // namespace nccl_sweep::cli
