// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/baseline_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace nccl_sweep {
namespace {

std::string placement_words(const BaselineSeries& s) {
  std::vector<std::string> words{std::string(to_string(s.collective))};
  if (s.dtype) words.emplace_back(to_string(*s.dtype));
  if (s.op) words.emplace_back(to_string(*s.op));
  words.emplace_back(s.placement ? to_string(*s.placement) : "placement not stated");
  if (s.group != "world") words.push_back(fmt::format("{} of {}", s.group, s.group_size));
  if (s.graph) words.emplace_back("graph");
  return fmt::format("{}", fmt::join(words, " "));
}

std::string interval_words(const Figure& figure) {
  return figure.has_interval() ? fmt::format("{:.4g} to {:.4g}", figure.low, figure.high) : "";
}

// "1 node x 8 H100, NVLink", "4 nodes x 8 H100, 8 x IB 400 Gb/s": what the sources say.
std::string fabric_words(const BaselineFabric& f) {
  std::string text =
      fmt::format("{} x {} {}", f.nodes > 0 ? counted(f.nodes, "node") : "? nodes",
                  f.gpus_per_node > 0 ? std::to_string(f.gpus_per_node) : "?", f.gpu);
  if (!f.link.empty()) text += ", " + f.link;
  const std::string network = f.network.empty() ? "adapters" : f.network;
  if (f.adapters > 0) {
    text += fmt::format(", {} x {}", f.adapters, network);
  } else if (!f.network.empty()) {
    text += ", " + f.network;
  }
  if (f.gbit_per_s > 0) text += fmt::format(" {} Gb/s", f.gbit_per_s);
  return f.simulated ? text + "  SIMULATED" : text;
}

Table fabric_table(const BaselineFile& file, const BaselineFabric& fabric) {
  Table table{fmt::format("{}  ({})", fabric.name, fabric_words(fabric)),
              {{"collective", "collective"},
               {"size", "size", Align::right},
               {"busbw", "busbw_gb_s", Align::right, "GB/s"},
               {"95 % interval", "interval"},
               {"launches", "launches", Align::right},
               {"class", "class"},
               {"source", "source"}},
              {},
              {}};
  std::set<std::string> shown;
  for (const BaselineSeries& series : file.series) {
    if (series.fabric != fabric.name) continue;
    const BaselineSource& source = file.source(series.source);
    for (const Figure& figure : series.figures) {
      table.rows.push_back({placement_words(series), figure_label(figure),
                            fmt::format("{:g}", figure.busbw), interval_words(figure),
                            figure.launches > 0 ? std::to_string(figure.launches) : "",
                            std::string(to_string(source.figure_class)), source.id});
    }
    if (!shown.insert(source.id).second) continue;
    table.notes.push_back(fmt::format("{}: {}{}{}", source.id, source_words(source),
                                      source.note.empty() ? "" : "; " + source.note,
                                      source.url.empty() ? "" : "  " + source.url));
  }
  return table;
}

}  // namespace

std::string source_words(const BaselineSource& source) {
  std::vector<std::string> about{std::string(to_string(source.figure_class))};
  if (!source.nccl.empty()) about.push_back("NCCL " + source.nccl);
  if (!source.date.empty()) about.push_back(source.date);
  if (!source.setting.empty()) about.push_back(source.setting);
  return fmt::format("{}{}  ({})", source.title,
                     source.platform.empty() ? "" : ", " + source.platform, fmt::join(about, ", "));
}

Table baseline_list(const std::vector<BaselineFile>& files) {
  Table table{"",
              {{"baseline", "baseline"},
               {"fabric", "fabric"},
               {"what it is", "what"},
               {"figures", "figures", Align::right},
               {"classes", "classes"}},
              {},
              {}};
  for (const BaselineFile& file : files) {
    for (const BaselineFabric& fabric : file.fabrics) {
      std::size_t figures = 0;
      std::set<FigureClass> classes;
      for (const BaselineSeries& series : file.series) {
        if (series.fabric != fabric.name) continue;
        figures += series.figures.size();
        classes.insert(file.source(series.source).figure_class);
      }
      std::vector<std::string_view> words;
      for (const FigureClass one : classes) words.push_back(to_string(one));
      table.rows.push_back({file.name, fabric.name, fabric_words(fabric), std::to_string(figures),
                            fmt::format("{}", fmt::join(words, ", "))});
    }
  }
  return table;
}

std::vector<std::string> contradiction_lines(const BaselineFile& file) {
  std::vector<std::string> lines;
  for (const Contradiction& one : file.contradictions) {
    lines.push_back("contradiction: " + one.text);
    for (const std::string& id : one.sources) lines.push_back("  " + source_and_figures(file, id));
  }
  return lines;
}

std::vector<Table> baseline_tables(const BaselineFile& file) {
  std::vector<Table> tables;
  for (const BaselineFabric& fabric : file.fabrics) tables.push_back(fabric_table(file, fabric));
  return tables;
}

}  // namespace nccl_sweep
