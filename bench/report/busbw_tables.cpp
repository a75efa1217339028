// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/result_tables.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Settings shown at one size: default first, then by falling speed.
std::vector<const Point*> shown_points(const RunFindings& findings, int case_index, int contender,
                                       bool all) {
  std::vector<const Point*> others;
  const Point* fastest = nullptr;
  for (const Point& point : findings.points) {
    if (point.case_index != case_index || point.candidate == 0) continue;
    others.push_back(&point);
    if (fastest == nullptr || point.median < fastest->median) fastest = &point;
  }
  const bool name_fastest =
      findings.design == Design::grid || findings.design == Design::launches;
  if (!all) {
    std::erase_if(others, [&](const Point* p) {
      return p->candidate != contender && !(name_fastest && p == fastest);
    });
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Point* a, const Point* b) { return a->median < b->median; });
  if (const Point* baseline = findings.point(0, case_index)) {
    others.insert(others.begin(), baseline);
  }
  return others;
}

std::string group_title(const Case& c) {
  std::string title = fmt::format("{}  {}", to_string(c.collective), to_string(c.dtype));
  if (reduces(c.collective)) title += fmt::format("  {}", to_string(c.op));
  title += fmt::format("  {} ({})", counted(c.group_size, "rank"), to_string(c.group));
  if (c.placement == Placement::in_place) title += "  in place";
  if (c.graph) title += "  CUDA graph";
  return title;
}

// Columns that only some runs have.
struct Shown {
  bool comparing = false;  // something was varied
  bool effects = false;    // the library's log was read
  bool load = false;       // a load kernel ran beside the cases

  explicit Shown(const RunFindings& findings)
      : comparing(findings.design != Design::baseline_only) {
    for (const Point& p : findings.points) {
      effects = effects || !p.path.empty() || p.effect.effect != Effect::unknown;
      load = load || p.load_slowdown;
    }
  }
};

Cell load_cell(const Point& point) {
  if (!point.load_slowdown) return {"", CellValue{}};
  return {fmt::format("{:+.0f} %", (*point.load_slowdown - 1) * 100), *point.load_slowdown};
}

std::vector<Cell> busbw_row(const RunData& data, const Point& point, double noise,
                            const Shown& shown) {
  const Case& c = data.run.cases[index(point.case_index)];
  std::vector<std::string> notes = point_notes(data, point);
  if (point.candidate == 0 && std::isfinite(noise)) {
    notes.push_back(fmt::format("noise {:.2g} %", noise * 100));
  }
  std::vector<Cell> row{
      {format_size(c.size), c.size.value},
      {setting_name(data, point.candidate)},
      {format_seconds(point.median), point.median.count()},
      {format_bandwidth(point.busbw), point.busbw.bytes_per_second},
  };
  if (shown.comparing) {
    row.push_back(gain_cell(point.finding));
    row.push_back(verdict_cell(point.finding));
  }
  const bool paired = point.finding.gain && point.finding.gain->confidence > 0;
  const int behind = paired ? point.finding.gain->pairs : point.trials;
  row.push_back({std::to_string(behind), static_cast<std::int64_t>(behind)});
  if (shown.effects) {
    if (shown.comparing) row.push_back({std::string(to_string(point.effect.effect))});
    row.push_back({point.path});
  }
  if (shown.load) row.push_back(load_cell(point));
  row.push_back({fmt::format("{}", fmt::join(notes, ", "))});
  return row;
}

std::vector<Column> busbw_columns(Design design, const Shown& shown) {
  std::vector<Column> columns{{"size", "size_bytes", Align::right},
                              {"setting", "setting"},
                              {"time", "time_seconds", Align::right},
                              {"busbw", "busbw_bytes_per_second", Align::right}};
  if (design != Design::baseline_only) {
    columns.push_back({"vs default", "ratio", Align::left});
    columns.push_back({"verdict", "verdict", Align::left});
  }
  columns.push_back({design == Design::screen_confirm ? "pairs"
                     : design == Design::grid         ? "rounds"
                     : design == Design::launches     ? "launches"
                                                      : "trials",
                     "trials", Align::right});
  if (shown.effects && shown.comparing) columns.push_back({"effect", "effect"});
  if (shown.effects) columns.push_back({"launched", "path"});
  if (shown.load) columns.push_back({"load", "load_slowdown", Align::right});
  columns.push_back({"notes", "notes"});
  return columns;
}

}  // namespace

std::vector<Table> busbw_tables(const RunData& data, const RunFindings& findings,
                                const Recommendation& recommendation, bool all_settings) {
  std::vector<std::string> titles;
  std::map<std::string, std::vector<int>> by_title;
  for (int i = 0; i < static_cast<int>(data.run.cases.size()); ++i) {
    const std::string title = group_title(data.run.cases[index(i)]);
    if (by_title[title].empty()) titles.push_back(title);
    by_title[title].push_back(i);
  }
  const Shown shown(findings);
  std::vector<Table> tables;
  for (const std::string& title : titles) {
    std::vector<int> cases = by_title[title];
    std::stable_sort(cases.begin(), cases.end(), [&](int a, int b) {
      return data.run.cases[index(a)].size < data.run.cases[index(b)].size;
    });
    Table table{titled(data.run, title), busbw_columns(findings.design, shown), {}, {}};
    for (const int i : cases) {
      for (const Point* point : shown_points(findings, i, recommendation.contender, all_settings)) {
        table.rows.push_back(busbw_row(data, *point, findings.noise_floor[index(i)], shown));
      }
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace nccl_sweep
