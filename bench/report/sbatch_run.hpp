// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a batch script that runs the sweep: a new run or one that goes on, its soft stop, and
// the job's way back into the queue. Called by sbatch_script.cpp.
#pragma once

#include <string>

#include "report/sbatch_array.hpp"
#include "report/sbatch_script.hpp"

namespace nccl_sweep {

std::string sbatch_run(const SbatchScript&, const SbatchArray&);

}  // namespace nccl_sweep
