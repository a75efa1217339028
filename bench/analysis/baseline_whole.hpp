// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From the figures of a source to one answer, and from the sources to the run's. Part of
// baseline_comparison.hpp, whose page in analysis/README.md has the rules.
#pragma once

#include "analysis/baseline_comparison.hpp"
#include "analysis/launches.hpp"

namespace nccl_sweep {

// Fills whole, whole_of, reason and what fails after Holm's correction.
void judge_whole(SourceComparison& source, const DefaultLaunches& launches, const RunRecord& run,
                 const CompareOptions& options);

// Figures of runs decide before published ones; sources that disagree decide nothing.
void judge_all(BaselineComparison& comparison);

}  // namespace nccl_sweep
