// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/baseline_file.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::ordered_json;

std::string on_one_line(const ordered_json& j) {
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// What the reader takes for an absent key is left out.
template <class T>
void put(ordered_json& j, const char* key, const T& value) {
  if (value != T{}) j[key] = value;
}

ordered_json json_of(const BaselineFabric& fabric) {
  ordered_json j{{"name", fabric.name}};
  put(j, "fingerprint", fabric.fingerprint);
  j["gpu"] = fabric.gpu;
  put(j, "nodes", fabric.nodes);
  put(j, "gpus_per_node", fabric.gpus_per_node);
  if (fabric.ranks != fabric.nodes * fabric.gpus_per_node) j["ranks"] = fabric.ranks;
  put(j, "link", fabric.link);
  put(j, "network", fabric.network);
  put(j, "adapters", fabric.adapters);
  put(j, "gbit_per_s", fabric.gbit_per_s);
  put(j, "simulated", fabric.simulated);
  put(j, "imported", fabric.imported);
  return j;
}

ordered_json json_of(const BaselineSource& source) {
  ordered_json j{
      {"id", source.id}, {"class", to_string(source.figure_class)}, {"title", source.title}};
  put(j, "url", source.url);
  put(j, "platform", source.platform);
  put(j, "date", source.date);
  put(j, "nccl", source.nccl);
  put(j, "setting", source.setting);
  put(j, "note", source.note);
  put(j, "recipe", source.recipe);
  if (!source.environment.empty()) j["environment"] = source.environment;
  return j;
}

ordered_json json_of(const Figure& figure) {
  ordered_json j;
  if (figure.kind == FigureKind::at_size) {
    j["size"] = format_size_exact(figure.size);
  } else {
    j["kind"] = figure.kind == FigureKind::average ? "average" : "peak";
    if (figure.from.value > 0) j["from"] = format_size_exact(figure.from);
    if (figure.to.value > 0) j["to"] = format_size_exact(figure.to);
  }
  j["busbw"] = figure.busbw;
  put(j, "low", figure.low);
  put(j, "high", figure.high);
  put(j, "launches", figure.launches);
  return j;
}

std::string text_of(const BaselineSeries& series, int ranks) {
  ordered_json j{{"fabric", series.fabric},
                 {"source", series.source},
                 {"collective", to_string(series.collective)}};
  if (series.dtype) j["dtype"] = to_string(*series.dtype);
  if (series.op) j["op"] = to_string(*series.op);
  if (series.placement) j["placement"] = to_string(*series.placement);
  if (series.group != "world") j["group"] = series.group;
  if (series.group_size != ranks) j["group_size"] = series.group_size;
  put(j, "graph", series.graph);
  std::string head = on_one_line(j);
  head.pop_back();  // its brace: the figures come below
  std::vector<std::string> figures;
  for (const Figure& figure : series.figures) figures.push_back(on_one_line(json_of(figure)));
  return fmt::format("{},\n     \"figures\": [\n       {}]}}", head,
                     fmt::join(figures, ",\n       "));
}

std::string list_text(const char* key, const std::vector<std::string>& elements) {
  return fmt::format("  \"{}\": [\n    {}\n  ]", key, fmt::join(elements, ",\n    "));
}

}  // namespace

std::string to_json_text(const BaselineFile& file) {
  std::vector<std::string> fabrics;
  for (const BaselineFabric& fabric : file.fabrics) fabrics.push_back(on_one_line(json_of(fabric)));
  std::vector<std::string> sources;
  for (const BaselineSource& source : file.sources) sources.push_back(on_one_line(json_of(source)));
  std::vector<std::string> series;
  for (const BaselineSeries& one : file.series) {
    series.push_back(text_of(one, file.fabric(one.fabric).ranks));
  }
  std::vector<std::string> parts{fmt::format("  \"nccl_sweep_baseline\": {}", kBaselineSchema),
                                 list_text("fabrics", fabrics), list_text("sources", sources),
                                 list_text("series", series)};
  if (!file.contradictions.empty()) {
    std::vector<std::string> contradictions;
    for (const Contradiction& one : file.contradictions) {
      contradictions.push_back(
          on_one_line(ordered_json{{"text", one.text}, {"sources", one.sources}}));
    }
    parts.push_back(list_text("contradictions", contradictions));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(parts, ",\n"));
}

}  // namespace nccl_sweep
