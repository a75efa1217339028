// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/run_report.hpp"

#include <fmt/format.h>

#include <array>

#include "core/error.hpp"
#include "report/nccl_tests_table.hpp"
#include "report/report_json.hpp"
#include "report/result_tables.hpp"

namespace nccl_sweep {
namespace {

constexpr std::array kFormats{"text", "markdown", "csv", "json", "nccl-tests"};

std::vector<Table> tables_of(const RunData& data, const RunFindings& findings,
                             const Recommendation& recommendation, bool all_settings) {
  std::vector<Table> tables = busbw_tables(data, findings, recommendation, all_settings);
  if (data.run.candidates.size() > 1) tables.push_back(settings_table(data, findings));
  if (Table failures = failures_table(data); !failures.rows.empty()) {
    tables.push_back(std::move(failures));
  }
  if (Table shares = shares_table(data, recommendation); !shares.rows.empty()) {
    tables.push_back(std::move(shares));
  }
  return tables;
}

std::string text_report(const RunData& data, const RunFindings& findings,
                        const Recommendation& recommendation, const ReportOptions& options) {
  std::string text;
  for (const std::string& line : head_lines(data, findings)) text += line + "\n";
  for (const Table& table : tables_of(data, findings, recommendation, options.all_settings)) {
    text += "\n";
    text += to_text(table, options.colour);
  }
  text += "\n";
  for (const std::string& line : conclusion_lines(data, findings, recommendation)) {
    text += line + "\n";
  }
  return text;
}

std::string markdown_report(const RunData& data, const RunFindings& findings,
                            const Recommendation& recommendation, bool all_settings) {
  std::string text = fmt::format("## nccl-sweep: {}{}\n\n", data.run.name,
                                 data.run.simulated ? "  SIMULATED" : "");
  const auto block = [&](const std::vector<std::string>& lines) {
    text += "```text\n";
    for (const std::string& line : lines) text += line + "\n";
    text += "```\n";
  };
  block(head_lines(data, findings));
  for (const Table& table : tables_of(data, findings, recommendation, all_settings)) {
    text += "\n";
    text += to_markdown(table);
  }
  text += "\n";
  block(conclusion_lines(data, findings, recommendation));
  return text;
}

}  // namespace

ReportFormat parse_report_format(std::string_view text) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (text == kFormats[i]) return static_cast<ReportFormat>(i);
  }
  const std::vector<std::string> known(kFormats.begin(), kFormats.end());
  throw usage_error(fmt::format("unknown format '{}'", text), "--format",
                    did_you_mean(text, known));
}

std::string render_report(const RunData& data, const ReportOptions& options) {
  if (options.format == ReportFormat::nccl_tests) return nccl_tests_tables(data);
  const RunFindings findings = find(data);
  const Recommendation recommendation = recommend(data, findings, options.recommend);
  switch (options.format) {
    case ReportFormat::markdown:
      return markdown_report(data, findings, recommendation, options.all_settings);
    case ReportFormat::csv:
      return to_csv(points_table(data, findings));
    case ReportFormat::json:
      return report_json(data, findings, recommendation);
    case ReportFormat::text:
    case ReportFormat::nccl_tests:
      break;
  }
  return text_report(data, findings, recommendation, options);
}

std::string render_run_report(const RunData& data, bool colour) {
  ReportOptions options;
  options.colour = colour;
  return render_report(data, options);
}

}  // namespace nccl_sweep
