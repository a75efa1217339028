// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The report as one JSON document for programs: exact values in seconds and bytes, the same words
// as the text. `schema` goes up when a field changes its meaning.
#pragma once

#include <string>

#include "analysis/recommendation.hpp"

namespace nccl_sweep {

inline constexpr int kReportSchema = 1;

std::string report_json(const RunData&, const RunFindings&, const Recommendation&);

}  // namespace nccl_sweep
