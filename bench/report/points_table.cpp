// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "report/result_tables.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// A row may be read without its table's title.
std::string notes_text(const RunData& data, const Point& point) {
  std::vector<std::string> notes = point_notes(data, point);
  if (!data.run.mismatches.empty()) notes.emplace_back("nodes differ");
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace

Table points_table(const RunData& data, const RunFindings& findings) {
  Table table{titled(data.run, "points"), {}, {}, {}};
  for (const char* key : {"run",
                          "simulated",
                          "collective",
                          "dtype",
                          "redop",
                          "placement",
                          "group",
                          "ranks",
                          "size_bytes",
                          "count",
                          "setting",
                          "trials",
                          "time_seconds",
                          "algbw_bytes_per_second",
                          "busbw_bytes_per_second",
                          "ratio",
                          "ratio_low",
                          "ratio_high",
                          "confidence",
                          "pairs",
                          "verdict",
                          "pairs_needed",
                          "noise",
                          "graph",
                          "effect",
                          "effect_why",
                          "path",
                          "load_slowdown",
                          "notes"}) {
    table.columns.push_back({key, key});
  }
  const auto number = [](std::int64_t i) { return Cell{std::to_string(i), i}; };
  const auto real = [](double d, bool known = true) {
    return known && std::isfinite(d) ? Cell{fmt::format("{:.6g}", d), d} : Cell{"", CellValue{}};
  };
  for (const Point& p : findings.points) {
    const Case& c = data.run.cases[index(p.case_index)];
    const Gain gain = p.finding.gain.value_or(Gain{});
    const bool interval = gain.has_interval();
    const std::string verdict(to_string(p.finding.verdict));
    table.rows.push_back({{data.run.name},
                          {data.run.simulated ? "SIMULATED" : "", data.run.simulated},
                          {std::string(to_string(c.collective))},
                          {std::string(to_string(c.dtype))},
                          {reduces(c.collective) ? std::string(to_string(c.op)) : "none"},
                          {std::string(to_string(c.placement))},
                          {to_string(c.group)},
                          number(c.group_size),
                          number(c.size.value),
                          number(c.count),
                          {setting_name(data, p.candidate)},
                          number(p.trials),
                          real(p.median.count()),
                          real(p.algbw.bytes_per_second),
                          real(p.busbw.bytes_per_second),
                          real(gain.ratio, p.finding.gain.has_value()),
                          real(gain.interval.low, interval),
                          real(gain.interval.high, interval),
                          real(gain.confidence, interval),
                          number(gain.pairs),
                          {verdict},
                          number(p.finding.pairs_needed),
                          real(findings.noise_floor[index(p.case_index)]),
                          {c.graph ? "graph" : "", c.graph},
                          {std::string(to_string(p.effect.effect))},
                          {p.effect.why},
                          {p.path},
                          real(p.load_slowdown.value_or(0), p.load_slowdown.has_value()),
                          {notes_text(data, p)}});
  }
  return table;
}

}  // namespace nccl_sweep
