// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A run's default as a baseline: what `baseline make` writes, and what `compare --baseline RUN`
// compares with, so that a run and the file made from it say the same.
#pragma once

#include <string>
#include <vector>

#include "core/baseline_file.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

// Figures of every case that has launches, with intervals from three launches on. Throws a usage
// Error where the default has no complete launch.
BaselineFile baseline_of_run(const RunData& data, const std::string& name);

// "nccl-sweep 0.1.0, run NAME of 2026-01-02T03:04:05Z", "imported from a.log and 3 more files, run
// NAME": tells whether a file was made of this run.
std::string run_title(const RunData& data);

// Of the default.
int trials_with_wrong_data(const RunData& data);

// Why a run should not become a reference: failures of the default, too few launches, no data
// verified, settings that should be alike were not. Empty: it is a good one.
std::vector<std::string> doubts_about(const RunData& data);

}  // namespace nccl_sweep
