// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/baseline_file.hpp"
#include "core/case.hpp"
#include "core/error.hpp"
#include "core/json_object.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;

constexpr int kMostRanks = 1 << 20;
constexpr double kFastest = 1e6;  // GB/s: a figure in MB/s or bit/s is a mistake
const std::vector<std::string> kKinds{"at_size", "average", "peak"};  // the first is the default

std::vector<std::string> class_words() {
  std::vector<std::string> words;
  for (const FigureClass c : {FigureClass::measured, FigureClass::imported, FigureClass::published,
                              FigureClass::floor, FigureClass::expert, FigureClass::derived}) {
    words.emplace_back(to_string(c));
  }
  return words;
}

BaselineFabric read_fabric(const json& object, const std::string& where) {
  const JsonObject node(object, where,
                        {"name", "fingerprint", "gpu", "nodes", "gpus_per_node", "ranks", "link",
                         "network", "adapters", "gbit_per_s", "simulated", "imported"});
  BaselineFabric fabric;
  fabric.name = node.require_text("name");
  fabric.fingerprint = node.text("fingerprint");
  fabric.gpu = node.require_text("gpu");
  fabric.nodes = node.whole("nodes", 0, 0, kMostRanks);
  fabric.gpus_per_node = node.whole("gpus_per_node", 0, 0, kMostRanks);
  fabric.ranks = node.whole("ranks", fabric.nodes * fabric.gpus_per_node, 0, kMostRanks);
  fabric.link = node.text("link");
  fabric.network = node.text("network");
  fabric.adapters = node.whole("adapters", 0, 0, kMostRanks);
  fabric.gbit_per_s = node.whole("gbit_per_s", 0, 0, kMostRanks);
  fabric.simulated = node.flag("simulated", false);
  fabric.imported = node.flag("imported", false);
  return fabric;
}

BaselineSource read_source(const json& object, const std::string& where) {
  const JsonObject node(object, where,
                        {"id", "class", "title", "url", "platform", "date", "nccl", "setting",
                         "note", "recipe", "environment"});
  BaselineSource source;
  source.id = node.require_text("id");
  node.require("class");
  source.figure_class = node.word("class", class_words(), source.figure_class);
  source.title = node.require_text("title");
  source.url = node.text("url");
  source.platform = node.text("platform");
  source.date = node.text("date");
  source.nccl = node.text("nccl");
  source.setting = node.text("setting");
  source.note = node.text("note");
  source.recipe = node.text("recipe");
  if (const json* environment = node.find("environment")) {
    std::vector<std::string> names;
    if (environment->is_object()) {
      for (const auto& [name, value] : environment->items()) names.push_back(name);
    }
    const JsonObject variables(*environment, node.place("environment"), names);
    for (const std::string& name : names) source.environment[name] = variables.text(name.c_str());
  }
  return source;
}

void check_interval(const Figure& figure, const std::string& where) {
  if ((figure.low > 0) != (figure.high > 0)) {
    throw usage_error("an interval needs both 'low' and 'high'", where);
  }
  if (figure.has_interval() && (figure.low > figure.busbw || figure.busbw > figure.high)) {
    throw usage_error("the interval does not hold the value", where);
  }
  if (figure.has_interval() && figure.launches < 2) {
    throw usage_error("an interval needs 'launches' of 2 and more", where);
  }
}

Figure read_figure(const json& object, const std::string& where) {
  const JsonObject node(object, where,
                        {"kind", "size", "from", "to", "busbw", "low", "high", "launches"});
  Figure figure;
  figure.kind = node.word("kind", kKinds, figure.kind);
  const bool at_size = figure.kind == FigureKind::at_size;
  if (at_size) node.require("size");
  for (const char* other : {"size", "from", "to"}) {
    if (node.find(other) != nullptr && (std::string_view(other) == "size") != at_size) {
      throw usage_error("a figure has either a size or a kind with from and to", where);
    }
  }
  figure.size = node.size("size");
  figure.from = node.size("from");
  figure.to = node.size("to");
  node.require("busbw");
  constexpr double kSlowest = 1e-9;
  figure.busbw = node.number("busbw", 0, kSlowest, kFastest);
  figure.low = node.number("low", 0, kSlowest, kFastest);
  figure.high = node.number("high", 0, kSlowest, kFastest);
  figure.launches = node.whole("launches", 0, 0, kMostRanks);
  check_interval(figure, where);
  return figure;
}

template <class T>
const T& declared(const std::vector<T>& all, std::string T::*name, const std::string& wanted,
                  const std::string& where) {
  std::vector<std::string> known;
  for (const T& one : all) {
    if (one.*name == wanted) return one;
    known.push_back(one.*name);
  }
  throw usage_error(fmt::format("'{}' is not declared in this file", wanted), where,
                    did_you_mean(wanted, known));
}

BaselineSeries read_series(const json& object, const std::string& where, const BaselineFile& file) {
  const JsonObject node(object, where,
                        {"fabric", "source", "collective", "dtype", "op", "placement", "group",
                         "group_size", "graph", "figures"});
  BaselineSeries series;
  series.fabric = node.require_text("fabric");
  series.source = node.require_text("source");
  const BaselineFabric& fabric =
      declared(file.fabrics, &BaselineFabric::name, series.fabric, node.place("fabric"));
  declared(file.sources, &BaselineSource::id, series.source, node.place("source"));
  series.collective = parse_collective(node.require_text("collective"), node.place("collective"));
  if (const std::string t = node.text("dtype"); !t.empty()) {
    series.dtype = parse_data_type(t, node.place("dtype"));
  }
  if (const std::string op = node.text("op"); !op.empty()) {
    series.op = parse_reduce_op(op, node.place("op"));
  }
  if (const std::string placement = node.text("placement"); !placement.empty()) {
    series.placement = parse_placement(placement, node.place("placement"));
  }
  if (const std::string group = node.text("group"); !group.empty()) {
    series.group = to_string(parse_group(group, node.place("group")));
  }
  series.group_size = node.whole("group_size", fabric.ranks, 0, kMostRanks);
  series.graph = node.flag("graph", false);
  node.require("figures");
  std::set<std::string> labels;
  for (const json& figure : node.list("figures")) {
    const std::string place = node.element("figures", series.figures.size());
    series.figures.push_back(read_figure(figure, place));
    if (!labels.insert(figure_label(series.figures.back())).second) {
      throw usage_error("this size stands here twice", place,
                        "figures of another source are a series of their own");
    }
  }
  if (series.figures.empty()) throw usage_error("there are no figures", node.place("figures"));
  return series;
}

Contradiction read_contradiction(const json& object, const std::string& where,
                                 const BaselineFile& file) {
  const JsonObject node(object, where, {"text", "sources"});
  Contradiction contradiction{node.require_text("text"), {}};
  node.require("sources");
  for (const json& id : node.list("sources")) {
    const std::string place = node.element("sources", contradiction.sources.size());
    if (!id.is_string()) throw usage_error("a text in quotes is expected here", place);
    contradiction.sources.push_back(id.get<std::string>());
    declared(file.sources, &BaselineSource::id, contradiction.sources.back(), place);
  }
  return contradiction;
}

template <class T>
void refuse_twice(const std::vector<T>& all, std::string T::*name, const JsonObject& node,
                  const char* key) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!seen.insert(all[i].*name).second) {
      throw usage_error(fmt::format("'{}' is declared twice", all[i].*name), node.element(key, i));
    }
  }
}

}  // namespace

BaselineFile parse_baseline(std::string_view text, std::string_view where) {
  json root;
  try {
    root = json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::exception& error) {
    throw not_json(error, std::string(where),
                   "a baseline is what nccl-sweep baseline make RUN writes");
  }
  const JsonObject node(
      root, fmt::format("{}#", where),
      {"$schema", "nccl_sweep_baseline", "fabrics", "sources", "series", "contradictions"});
  node.require("nccl_sweep_baseline");
  if (const int schema = node.whole("nccl_sweep_baseline", 0, 0, kMostRanks);
      schema != kBaselineSchema) {
    throw usage_error(
        fmt::format("a baseline of format {}, this version reads {}", schema, kBaselineSchema),
        std::string(where));
  }
  BaselineFile file;
  for (const json& one : node.list("fabrics")) {
    file.fabrics.push_back(read_fabric(one, node.element("fabrics", file.fabrics.size())));
  }
  refuse_twice(file.fabrics, &BaselineFabric::name, node, "fabrics");
  for (const json& one : node.list("sources")) {
    file.sources.push_back(read_source(one, node.element("sources", file.sources.size())));
  }
  refuse_twice(file.sources, &BaselineSource::id, node, "sources");
  node.require("series");
  for (const json& one : node.list("series")) {
    file.series.push_back(read_series(one, node.element("series", file.series.size()), file));
  }
  for (const json& one : node.list("contradictions")) {
    file.contradictions.push_back(
        read_contradiction(one, node.element("contradictions", file.contradictions.size()), file));
  }
  return file;
}

}  // namespace nccl_sweep
