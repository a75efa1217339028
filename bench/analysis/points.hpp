// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What was measured, before anything is judged: numbers per candidate, per candidate x case with
// their marks, and the noise between launches. Called by analysis/verdict.cpp only.
#pragma once

#include <vector>

#include "analysis/dataset.hpp"
#include "analysis/verdict.hpp"

namespace nccl_sweep {

std::vector<CandidateFinding> describe_candidates(const RunData&);
std::vector<Point> measure_points(const RunData&, const Dataset&);
std::vector<double> noise_floor(const RunData&, const Dataset&);  // per case, NaN where unknown

}  // namespace nccl_sweep
