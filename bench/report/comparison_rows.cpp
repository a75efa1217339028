// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "report/comparison_report.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::ordered_json;

ordered_json ratio_json(const BusbwRatio& ratio) {
  ordered_json j{{"standing", to_string(ratio.standing)}};
  if (ratio.standing == Standing::not_comparable) return j;
  j["ratio"] = nine_digits(ratio.value);
  if (ratio.interval) {
    j["low"] = nine_digits(ratio.interval->low);
    j["high"] = nine_digits(ratio.interval->high);
  }
  j["launches"] = ratio.launches;
  if (ratio.reference_launches > 0) j["reference_launches"] = ratio.reference_launches;
  return j;
}

ordered_json figure_json(const RunRecord& run, const ComparedFigure& f) {
  const Case& c = run.cases[static_cast<std::size_t>(f.cases.front())];
  ordered_json j{{"collective", to_string(c.collective)},
                 {"dtype", to_string(c.dtype)},
                 {"placement", to_string(c.placement)},
                 {"group", to_string(c.group)},
                 {"group_size", c.group_size},
                 {"graph", c.graph},
                 {"figure", figure_label(f.figure)}};
  if (f.figure.kind == FigureKind::at_size) j["bytes"] = c.size.value;
  j["reference_gb_s"] = nine_digits(f.figure.busbw);
  j["busbw_gb_s"] = nine_digits(f.busbw);
  j.update(ratio_json(f.ratio));
  j["fails_the_whole"] = f.fails_after_holm;
  j["notes"] = f.notes;
  return j;
}

ordered_json source_json(const RunRecord& run, const SourceComparison& s) {
  ordered_json j{{"file", s.file},
                 {"fabric", s.fabric.name},
                 {"source", s.source.title},
                 {"url", s.source.url},
                 {"class", to_string(s.source.figure_class)},
                 {"decides", s.only_shown.empty()},
                 {"only_shown", s.only_shown},
                 {"whole", ratio_json(s.whole)},
                 {"whole_of", s.whole_of},
                 {"reason", s.reason},
                 {"notes", s.notes},
                 {"figures", ordered_json::array()},
                 {"left_out", ordered_json::array()}};
  for (const ComparedFigure& f : s.figures) j["figures"].push_back(figure_json(run, f));
  for (const LeftOut& one : s.left_out) {
    j["left_out"].push_back({{"case", one.what}, {"size", one.size}, {"reason", one.reason}});
  }
  return j;
}

Cell number(double value) { return {"", CellValue{value}}; }
Cell unknown() { return {"", CellValue{}}; }

std::vector<Cell> ratio_cells(const BusbwRatio& ratio) {
  const bool known = ratio.standing != Standing::not_comparable;
  return {known ? number(ratio.value) : unknown(),
          ratio.interval ? number(ratio.interval->low) : unknown(),
          ratio.interval ? number(ratio.interval->high) : unknown(),
          known ? Cell{"", CellValue{static_cast<std::int64_t>(ratio.launches)}} : unknown(),
          std::string(to_string(ratio.standing))};
}

void add_row(Table& table, const SourceComparison& s, const char* row, std::string what,
             std::string size, std::vector<Cell> numbers, std::string notes) {
  std::vector<Cell> cells{
      s.file, s.fabric.name,   s.source.id,    std::string(to_string(s.source.figure_class)),
      row,    std::move(what), std::move(size)};
  cells.insert(cells.end(), numbers.begin(), numbers.end());
  cells.emplace_back(std::move(notes));
  table.rows.push_back(std::move(cells));
}

void add_source(Table& table, const RunRecord& run, const SourceComparison& s) {
  const auto with_busbw = [](Cell there, Cell here, const BusbwRatio& ratio) {
    std::vector<Cell> cells{std::move(there), std::move(here)};
    for (Cell& cell : ratio_cells(ratio)) cells.push_back(std::move(cell));
    return cells;
  };
  for (const ComparedFigure& f : s.figures) {
    const Case& c = run.cases[static_cast<std::size_t>(f.cases.front())];
    add_row(table, s, "figure", kind_of_case(c), figure_label(f.figure),
            with_busbw(number(f.figure.busbw), number(f.busbw), f.ratio),
            fmt::format("{}", fmt::join(f.notes, ", ")));
  }
  BusbwRatio none;
  none.standing = Standing::not_comparable;
  for (const LeftOut& one : s.left_out) {
    add_row(table, s, "left out", one.what, one.size, with_busbw(unknown(), unknown(), none),
            one.reason);
  }
  add_row(
      table, s, "whole", s.whole_of, "", with_busbw(unknown(), unknown(), s.whole),
      s.only_shown.empty() ? s.reason : fmt::format("{}; only shown: {}", s.reason, s.only_shown));
}

}  // namespace

Table comparison_rows(const RunRecord& run, const BaselineComparison& comparison) {
  Table table;
  for (const char* key :
       {"file", "fabric", "source", "class", "row", "case", "size", "reference_gb_s", "busbw_gb_s",
        "ratio", "ratio_low", "ratio_high", "launches", "standing", "notes"}) {
    table.columns.push_back({key, key});
  }
  for (const SourceComparison& s : comparison.sources) add_source(table, run, s);
  return table;
}

std::string comparison_json(const RunRecord& run, const BaselineComparison& comparison) {
  ordered_json j{{"schema", kComparisonSchema},
                 {"run", run.name},
                 {"started", run.started},
                 {"simulated", run.simulated},
                 {"fabric", run.fabric.name},
                 {"threshold", comparison.rule.threshold},
                 {"launches", comparison.launches},
                 {"standing", to_string(comparison.standing)},
                 {"reason", comparison.reason},
                 {"sources", ordered_json::array()},
                 {"contradictions", ordered_json::array()}};
  if (!run.mismatches.empty()) j["mismatches"] = run.mismatches;
  for (const SourceComparison& s : comparison.sources) j["sources"].push_back(source_json(run, s));
  for (const Contradiction& one : comparison.contradictions) {
    j["contradictions"].push_back({{"text", one.text}, {"sources", one.sources}});
  }
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace nccl_sweep
