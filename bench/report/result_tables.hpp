// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a run: busbw per size, settings tried, failures, the workload's shares, and all
// points flat for programs. They pick and order what was found (analysis/verdict.hpp) and word it;
// printing is report/table.hpp's.
#pragma once

#include <vector>

#include "analysis/recommendation.hpp"
#include "report/table.hpp"

namespace nccl_sweep {

// One table per collective x dtype x op x placement x group; a row per size and setting. The
// default, the contender and, in a fixed design, the fastest at that size; all settings on demand.
std::vector<Table> busbw_tables(const RunData&, const RunFindings&, const Recommendation&,
                                bool all_settings);

Table settings_table(const RunData&, const RunFindings&);   // one row per candidate, by speed
Table failures_table(const RunData&);                       // without rows where nothing failed
Table shares_table(const RunData&, const Recommendation&);  // the workload's cases by share
Table points_table(const RunData&, const RunFindings&);     // every candidate x case, exact values

}  // namespace nccl_sweep
