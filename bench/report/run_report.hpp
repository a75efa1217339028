// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a run, in every format: what was measured where, busbw per size with verdicts,
// what failed, and the best setting. `report` prints it, and `run` at its end; both compute it from
// records, so they say the same. Returns text, prints nothing.
#pragma once

#include <string>
#include <string_view>

#include "analysis/recommendation.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

enum class ReportFormat { text, markdown, csv, json, nccl_tests };

ReportFormat parse_report_format(std::string_view text);  // usage Error with a did-you-mean

struct ReportOptions {
  ReportFormat format = ReportFormat::text;
  bool colour = false;        // text only
  bool all_settings = false;  // rows of every setting, not only of the default and the contender
  RecommendOptions recommend;
};

std::string render_report(const RunData&, const ReportOptions&);

// What `run` prints at its end.
std::string render_run_report(const RunData&, bool colour);

// The parts in words, one line each; also used by `recommend`.
std::vector<std::string> head_lines(const RunData&, const RunFindings&);
std::vector<std::string> conclusion_lines(const RunData&, const RunFindings&,
                                          const Recommendation&);

}  // namespace nccl_sweep
