// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "report/baseline_tables.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

Tone tone_of(Standing standing) {
  switch (standing) {
    case Standing::pass:
      return Tone::good;
    case Standing::fail:
      return Tone::bad;
    case Standing::undecided:
    case Standing::not_comparable:
      break;
  }
  return Tone::faint;
}

Cell standing_cell(Standing standing) {
  return {std::string(to_string(standing)), tone_of(standing)};
}

Cell busbw_cell(double gigabytes) {
  return {format_bandwidth(Bandwidth{gigabytes * 1e9}), gigabytes};
}

std::string notes_of(const ComparedFigure& f) {
  std::vector<std::string> notes = f.notes;
  if (f.ratio.standing == Standing::fail && !f.fails_after_holm) {
    notes.emplace_back("does not fail the whole");
  }
  return fmt::format("{}", fmt::join(notes, ", "));
}

// "all_gather bfloat16 out_of_place world" with sizes counted: a long run has hundreds.
std::vector<std::string> left_out_lines(const std::vector<LeftOut>& all) {
  struct Group {
    LeftOut first;
    std::int64_t sizes = 0;
  };
  std::vector<Group> groups;
  for (const LeftOut& one : all) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.first.what == one.what && g.first.reason == one.reason;
    });
    if (same == groups.end()) {
      groups.push_back({one, 1});
    } else {
      ++same->sizes;
    }
  }
  std::vector<std::string> lines;
  for (const Group& g : groups) {
    lines.push_back(fmt::format("not comparable: {}, {}: {}", g.first.what,
                                g.sizes == 1 ? g.first.size : counted(g.sizes, "size"),
                                g.first.reason));
  }
  return lines;
}

std::string whole_line(const SourceComparison& s) {
  const std::string only =
      s.only_shown.empty() ? "" : fmt::format("; only shown: {}", s.only_shown);
  if (s.whole.standing == Standing::not_comparable) {
    return fmt::format("whole: not comparable: {}{}", s.reason, only);
  }
  return fmt::format("whole: {}{} of {}: {}, {}{}", ratio_text(s.whole),
                     s.whole.interval ? " (95 % interval)" : "", s.whole_of,
                     to_string(s.whole.standing), s.reason, only);
}

Table source_table(const RunRecord& run, const SourceComparison& s) {
  Table table{titled(run, fmt::format("{}  {}", s.fabric.name, source_words(s.source))),
              {{"case", "case"},
               {"size", "size", Align::right},
               {"reference", "reference_gb_s", Align::right},
               {"here", "busbw_gb_s", Align::right},
               {"ratio", "ratio"},
               {"standing", "standing"},
               {"launches", "launches", Align::right},
               {"notes", "notes"}},
              {},
              {}};
  for (const ComparedFigure& f : s.figures) {
    const Case& c = run.cases[static_cast<std::size_t>(f.cases.front())];
    table.rows.push_back({kind_of_case(c), figure_label(f.figure), busbw_cell(f.figure.busbw),
                          busbw_cell(f.busbw), ratio_text(f.ratio), standing_cell(f.ratio.standing),
                          std::to_string(f.ratio.launches), notes_of(f)});
  }
  table.notes = left_out_lines(s.left_out);
  table.notes.insert(table.notes.end(), s.notes.begin(), s.notes.end());
  if (!s.source.note.empty()) table.notes.push_back("source: " + s.source.note);
  table.notes.push_back(whole_line(s));
  return table;
}

Table not_compared_table(const BaselineComparison& comparison) {
  Table table{
      "not compared", {{"fabric", "fabric"}, {"source", "source"}, {"reason", "reason"}}, {}, {}};
  struct Group {
    const SourceComparison* first;
    int sources = 0;
  };
  std::vector<Group> groups;  // auto finds dozens of sources on a few fabrics
  for (const SourceComparison& s : comparison.sources) {
    if (!s.figures.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.first->fabric.name == s.fabric.name && g.first->reason == s.reason;
    });
    if (same == groups.end()) {
      groups.push_back({&s, 1});
    } else {
      ++same->sources;
    }
  }
  for (const Group& g : groups) {
    const std::string words = source_words(g.first->source);
    table.rows.push_back(
        {g.first->fabric.name,
         g.sources == 1 ? words : fmt::format("{} and {} more", words, g.sources - 1),
         g.first->reason});
  }
  return table;
}

std::vector<std::string> head(const RunRecord& run, const BaselineComparison& comparison) {
  const auto nccl = run.fabric.versions.find("nccl");
  std::vector<std::string> lines{
      fmt::format("run        {}  {}{}  {}{}", run.name,
                  run.started.empty() ? "" : run.started + "  ", run.fabric.name,
                  nccl == run.fabric.versions.end() ? "" : "NCCL " + nccl->second + "  ",
                  comparison.launches == 1
                      ? std::string("one launch of the default")
                      : fmt::format("{} launches of the default", comparison.launches)),
      fmt::format("threshold  {:g} of the reference's busbw, a convention of nccl-sweep; the 95 % "
                  "of NVIDIA's Exemplar programme are of training throughput",
                  comparison.rule.threshold)};
  for (const std::string& line : run.mismatches) lines.push_back("NODES DIFFER  " + line);
  return lines;
}

// What to try, where there is no pass and the reason does not say it.
std::string advice(const BaselineComparison& comparison) {
  if (comparison.standing == Standing::fail) {
    return "try: other nodes: a bad node or link is slow there only, a bad setting everywhere";
  }
  if (comparison.standing != Standing::not_comparable) return {};
  return comparison.launches == 0
             ? "try: nccl-sweep report RUN, which says what became of the launches"
             : "try: --baseline with another run of this fabric, or a baseline made of a good one "
               "(nccl-sweep baseline make RUN)";
}

std::vector<std::string> tail(const BaselineComparison& comparison) {
  std::vector<std::string> lines;
  for (const Contradiction& one : comparison.contradictions) {
    lines.push_back("contradiction: " + one.text);
    for (const std::string& source : one.sources) lines.push_back("  " + source);
  }
  lines.push_back(fmt::format("{}: {}", to_string(comparison.standing), comparison.reason));
  if (const std::string line = advice(comparison); !line.empty()) lines.push_back(line);
  lines.emplace_back(
      "intervals are of the launches of each run: other nodes and days may differ more");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::vector<Table> tables_of(const RunRecord& run, const BaselineComparison& comparison) {
  std::vector<Table> tables;
  for (const SourceComparison& s : comparison.sources) {
    if (!s.figures.empty()) tables.push_back(source_table(run, s));
  }
  Table others = not_compared_table(comparison);
  if (!others.rows.empty()) tables.push_back(std::move(others));
  return tables;
}

}  // namespace

std::string ratio_text(const BusbwRatio& ratio) {
  Gain gain{ratio.value, {1, 1}, 0, ratio.launches};
  if (ratio.interval) {
    constexpr double kConfidence = 0.95;
    gain.interval = *ratio.interval;
    gain.confidence = kConfidence;
  }
  return format_gain(gain);
}

std::string render_comparison(const RunRecord& run, const BaselineComparison& comparison,
                              ReportFormat format, bool colour) {
  if (format == ReportFormat::json) return comparison_json(run, comparison);
  if (format == ReportFormat::csv) return to_csv(comparison_rows(run, comparison));
  if (format == ReportFormat::nccl_tests) {
    throw usage_error("a comparison has no table of nccl-tests", "--format",
                      "text, markdown, csv or json");
  }
  const bool markdown = format == ReportFormat::markdown;
  std::string text = markdown ? "```text\n" : "";
  text += joined(head(run, comparison)) + (markdown ? "```\n" : "");
  for (const Table& table : tables_of(run, comparison)) {
    text += "\n";
    text += markdown ? to_markdown(table) : to_text(table, colour);
  }
  text += markdown ? "\n```text\n" : "\n";
  return text + joined(tail(comparison)) + (markdown ? "```\n" : "");
}

}  // namespace nccl_sweep
