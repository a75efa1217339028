// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A comparison with baselines as text, Markdown, CSV or JSON: a table a source, what could not be
// compared and why, contradictions of public figures with every source, and the answer.
#pragma once

#include <string>

#include "analysis/baseline_comparison.hpp"
#include "report/run_report.hpp"
#include "report/table.hpp"

namespace nccl_sweep {

inline constexpr int kComparisonSchema = 1;

std::string render_comparison(const RunRecord& run, const BaselineComparison& comparison,
                              ReportFormat format, bool colour);

std::string comparison_json(const RunRecord& run, const BaselineComparison& comparison);

// "0.98x +-0.01", "0.98x" without an interval.
std::string ratio_text(const BusbwRatio& ratio);

// All sources in one table, for programs: figures, what was left out, the whole of each.
Table comparison_rows(const RunRecord& run, const BaselineComparison& comparison);

}  // namespace nccl_sweep
