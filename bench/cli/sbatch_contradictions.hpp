// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What `nccl-sweep sbatch` refuses: how many nodes, partitions and leaf switches a job or an array
// of jobs is to have must be said once, and be possible.
#pragma once

#include "report/sbatch_script.hpp"

namespace nccl_sweep::cli {

// Throws a usage Error.
void refuse_contradictions(const SbatchScript&);

}  // namespace nccl_sweep::cli
