// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/spec.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json_object.hpp"

namespace nccl_sweep {

using nlohmann::ordered_json;

namespace {

// The spec's text beside its parsed form, so that errors can name a line.
class SpecText {
 public:
  SpecText(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  std::string at_byte(std::size_t byte) const {
    if (text_.find('\n') == std::string_view::npos) return std::string(file_);
    const std::string_view before = text_.substr(0, std::min(byte, text_.size()));
    return fmt::format("{}:{}", file_, 1 + std::count(before.begin(), before.end(), '\n'));
  }
  // The line where the word stands in quotes first; the file alone where it does not.
  std::string at_word(std::string_view word) const {
    const std::size_t found = text_.find(fmt::format("\"{}\"", word));
    return found == std::string_view::npos ? std::string(file_) : at_byte(found);
  }

 private:
  std::string_view text_;
  std::string_view file_;
};

std::string text_of(const ordered_json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  throw usage_error(fmt::format("{} is not a text or a whole number", value.dump()), where);
}

std::vector<std::string> texts_of(const ordered_json& value, const std::string& where) {
  std::vector<std::string> texts;
  if (!value.is_array()) return {text_of(value, where)};
  for (const ordered_json& element : value) texts.push_back(text_of(element, where));
  if (texts.empty()) throw usage_error("an empty list", where, "leave the key out instead");
  return texts;
}

int whole_number(const ordered_json& value, const std::string& where) {
  if (!value.is_number_integer()) {
    throw usage_error(fmt::format("{} is not a whole number", value.dump()), where);
  }
  const auto number = value.get<std::int64_t>();
  constexpr std::int64_t kMost = 100'000'000;
  if (number < -1 || number > kMost) {
    throw usage_error(fmt::format("{} is out of range", value.dump()), where);
  }
  return static_cast<int>(number);
}

const ordered_json& required(const ordered_json& object, const char* key,
                             const std::string& where) {
  if (!object.contains(key)) throw usage_error(fmt::format("'{}' is missing", key), where);
  return object.at(key);
}

void reject_unknown_keys(const ordered_json& object, const std::vector<std::string>& known,
                         const SpecText& text) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw usage_error(fmt::format("unknown key '{}'", key), text.at_word(key),
                        did_you_mean(key, known));
    }
  }
}

void read_sizes(const ordered_json& value, const SpecText& text, SweepSpec& spec) {
  const std::string where = text.at_word("sizes");
  if (value.is_string() && value.get<std::string>() == "workload") {
    spec.workload_sizes = true;
  } else if (value.is_object()) {
    reject_unknown_keys(value, {"from", "to", "factor"}, text);
    const Bytes from = parse_size(text_of(required(value, "from", where), where), where);
    const Bytes to = parse_size(text_of(required(value, "to", where), where), where);
    const int factor = value.contains("factor") ? whole_number(value.at("factor"), where) : 2;
    if (from > to || from.value < 1) {
      throw usage_error("a size range needs 0 < from <= to", where);
    }
    if (factor < 2) throw usage_error("factor must be at least 2", where);
    spec.sizes = size_range(from, to, factor);
  } else {
    for (const std::string& size : texts_of(value, where)) {
      if (size == "workload") {
        throw usage_error("'workload' stands alone, not in a list", where,
                          R"("sizes": "workload")");
      }
      spec.sizes.push_back(parse_size(size, where));
    }
  }
}

void read_axes(const ordered_json& value, const SpecText& text, SweepSpec& spec) {
  if (!value.is_object()) {
    throw usage_error("'axes' is an object of knob names and value lists", text.at_word("axes"),
                      R"("axes": {"NCCL_IB_QPS_PER_CONNECTION": [1, 2, 4]})");
  }
  for (const auto& [knob, values] : value.items()) {
    spec.axes.push_back({knob, texts_of(values, text.at_word(knob))});
    std::vector<std::string> sorted = spec.axes.back().values;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      throw usage_error(fmt::format("'{}' has the value '{}' twice", knob, *twice),
                        text.at_word(knob));
    }
  }
}

void read_exclude(const ordered_json& value, const SpecText& text, SweepSpec& spec) {
  const std::string where = text.at_word("exclude");
  if (!value.is_array()) throw usage_error("'exclude' is a list of objects", where);
  for (const ordered_json& entry : value) {
    if (!entry.is_object() || entry.empty()) {
      throw usage_error("'exclude' holds objects of knob names and values", where);
    }
    std::map<std::string, std::string> match;
    for (const auto& [knob, wanted] : entry.items()) {
      const bool is_axis =
          std::any_of(spec.axes.begin(), spec.axes.end(),
                      [&, name = knob](const Axis& axis) { return axis.knob == name; });
      if (!is_axis) {
        throw usage_error(fmt::format("'exclude' names '{}', which is no axis", knob), where);
      }
      match[knob] = text_of(wanted, where);
    }
    spec.exclude.push_back(std::move(match));
  }
}

bool truth_of(const ordered_json& value, const std::string& where) {
  if (!value.is_boolean()) {
    throw usage_error(fmt::format("{} is not true or false", value.dump()), where);
  }
  return value.get<bool>();
}

const std::vector<std::string> kEvidence{"finalist", "all", "none"};
const std::vector<std::string> kLoads{"fma", "copy", "none"};

std::string one_of(const std::string& word, const std::vector<std::string>& known,
                   const std::string& where) {
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    throw usage_error(fmt::format("unknown word '{}'", word), where, did_you_mean(word, known));
  }
  return word;
}

using Reader = std::function<void(const ordered_json&, const std::string& where)>;

// One line a key: this table is the spec's format.
std::vector<std::pair<std::string, Reader>> key_readers(const SpecText& text, SweepSpec& s) {
  using J = const ordered_json&;
  using W = const std::string&;
  return {
      {"name", [&](J v, W w) { s.name = text_of(v, w); }},
      {"description", [&](J v, W w) { s.description = text_of(v, w); }},
      {"backend", [&](J v, W w) { s.backend = text_of(v, w); }},
      {"model", [&](J v, W w) { s.model = text_of(v, w); }},
      {"ranks", [&](J v, W w) { s.ranks = whole_number(v, w); }},
      {"group", [&](J v, W w) { s.group = parse_group(text_of(v, w), w); }},
      {"collectives",
       [&](J v, W w) {
         for (const auto& t : texts_of(v, w)) s.collectives.push_back(parse_collective(t, w));
       }},
      {"sizes", [&](J v, W) { read_sizes(v, text, s); }},
      {"dtypes",
       [&](J v, W w) {
         for (const auto& t : texts_of(v, w)) s.dtypes.push_back(parse_data_type(t, w));
       }},
      {"op", [&](J v, W w) { s.op = parse_reduce_op(text_of(v, w), w); }},
      {"placement",
       [&](J v, W w) {
         s.placements.clear();
         for (const auto& t : texts_of(v, w)) s.placements.push_back(parse_placement(t, w));
       }},
      {"cuda_graph",
       [&](J v, W w) {
         s.graphs.clear();
         for (const auto& t : texts_of(v, w)) s.graphs.push_back(one_of(t, {"off", "on"}, w) == "on");
       }},
      {"axes", [&](J v, W) { read_axes(v, text, s); }},
      {"exclude", [&](J v, W) { read_exclude(v, text, s); }},
      {"rounds", [&](J v, W w) { s.rounds = whole_number(v, w); }},
      {"budget", [&](J v, W w) { s.budget = parse_duration(text_of(v, w), w); }},
      {"iters", [&](J v, W w) { s.iters = whole_number(v, w); }},
      {"warmup_iters", [&](J v, W w) { s.warmup_iters = whole_number(v, w); }},
      {"verify", [&](J v, W w) { s.verify = truth_of(v, w); }},
      {"prune", [&](J v, W w) { s.prune = truth_of(v, w); }},
      {"alarm", [&](J v, W w) { s.alarm = truth_of(v, w); }},
      {"evidence", [&](J v, W w) { s.evidence = one_of(text_of(v, w), kEvidence, w); }},
      {"load", [&](J v, W w) { s.load = one_of(text_of(v, w), kLoads, w); }},
      {"load_ctas", [&](J v, W w) { s.load_ctas = whole_number(v, w); }},
      {"smallest_gain",
       [&](J v, W w) {
         if (!v.is_number()) throw usage_error("'smallest_gain' is a number such as 0.03", w);
         s.smallest_gain = v.get<double>();
       }},
  };
}

void check_whole(const SweepSpec& spec, const SpecText& text, std::string_view file) {
  const std::vector<std::string> backends{"nccl", "host", "model"};
  if (spec.backend.empty()) {
    throw usage_error("'backend' is missing", std::string(file), "nccl, host or model");
  }
  if (std::find(backends.begin(), backends.end(), spec.backend) == backends.end()) {
    throw usage_error(fmt::format("unknown backend '{}'", spec.backend), text.at_word(spec.backend),
                      did_you_mean(spec.backend, backends));
  }
  if ((spec.backend == "model") == spec.model.empty()) {
    throw usage_error("the model backend, and only it, needs 'model'", std::string(file),
                      "name a file of sweeps/models");
  }
  if (!spec.workload_sizes && spec.sizes.empty()) {
    throw usage_error("'sizes' is missing", std::string(file),
                      R"(["64K", "1M"], {"from": "64K", "to": "1G", "factor": 4} or "workload")");
  }
  if (!spec.workload_sizes && spec.collectives.empty()) {
    throw usage_error("'collectives' is missing", std::string(file),
                      R"("collectives": ["all_gather", "reduce_scatter"])");
  }
  constexpr Bytes kLargest{std::int64_t{1} << 50};
  for (const Bytes size : spec.sizes) {
    if (size.value < 1 || size > kLargest) {
      throw usage_error(fmt::format("a size of {} B", size.value), text.at_word("sizes"),
                        "sizes lie between 1 B and 1 PiB");
    }
  }
  if (spec.rounds < 0 || spec.ranks < 0 || spec.iters < 0 || spec.load_ctas < 0) {
    throw usage_error("'rounds', 'ranks', 'iters' and 'load_ctas' are not negative",
                      std::string(file));
  }
  if (!(spec.smallest_gain > 0 && spec.smallest_gain < 1)) {
    throw usage_error("'smallest_gain' lies between 0 and 1", text.at_word("smallest_gain"),
                      "0.03 means 3 %");
  }
}

}  // namespace

std::vector<Bytes> size_range(Bytes from, Bytes to, int factor) {
  std::vector<Bytes> sizes;
  for (std::int64_t size = from.value; size <= to.value; size *= factor) {
    sizes.push_back(Bytes{size});
    if (size > to.value / factor) break;  // the next product could overflow
  }
  return sizes;
}

SweepSpec parse_spec(std::string_view json_text, std::string_view where) {
  const SpecText text(json_text, where);
  ordered_json document;
  try {
    document = ordered_json::parse(json_text, nullptr, true, /*ignore_comments=*/true);
  } catch (const ordered_json::parse_error& error) {
    if (json_text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      throw usage_error("the spec is empty", std::string(where));
    }
    throw usage_error("the spec is not valid JSON here", text.at_byte(error.byte),
                      "a comma, quote or bracket too few or too many");
  } catch (const ordered_json::exception& error) {
    throw not_json(error, std::string(where));
  }
  if (!document.is_object()) throw usage_error("a spec is a JSON object", std::string(where));
  SweepSpec spec;
  const auto readers = key_readers(text, spec);
  std::vector<std::string> known;
  for (const auto& [key, reader] : readers) known.push_back(key);
  reject_unknown_keys(document, known, text);
  for (const auto& [key, reader] : readers) {  // table order: exclude is read after axes
    if (document.contains(key)) reader(document.at(key), text.at_word(key));
  }
  if (spec.dtypes.empty() && !spec.workload_sizes) spec.dtypes = {DataType::float32};
  check_whole(spec, text, where);
  return spec;
}

std::filesystem::path find_spec(const std::string& name, const std::filesystem::path& data) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return name;
  std::string file = name.starts_with("sweeps/") ? name.substr(7) : name;
  if (!file.ends_with(".json")) file += ".json";
  const std::filesystem::path shipped = data / file;
  const bool plain = file.find('/') == std::string::npos;
  return plain && std::filesystem::is_regular_file(shipped, ignored) ? shipped
                                                                     : std::filesystem::path(name);
}

SweepSpec load_spec(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream in(file, std::ios::binary);
  if (std::filesystem::is_directory(file, ignored)) {
    throw usage_error("a folder, not a spec", file.string());
  }
  if (!in) {
    throw usage_error("no such spec", file.string(),
                      "specs that ship go by their names: ib-qps, host-streams");
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find('\0') != std::string::npos) {
    throw usage_error("binary, not a spec", file.string());
  }
  SweepSpec spec = parse_spec(text, file.string());
  if (spec.name.empty()) spec.name = file.stem().string();
  return spec;
}

std::string to_json_text(const SweepSpec& spec, int indent) {
  ordered_json j;
  j["name"] = spec.name;
  if (!spec.description.empty()) j["description"] = spec.description;
  j["backend"] = spec.backend;
  if (!spec.model.empty()) j["model"] = spec.model;
  if (spec.ranks > 0) j["ranks"] = spec.ranks;
  j["group"] = to_string(spec.group);
  for (const Collective c : spec.collectives) j["collectives"].push_back(to_string(c));
  if (spec.workload_sizes) j["sizes"] = "workload";
  for (const Bytes size : spec.sizes) j["sizes"].push_back(format_size_exact(size));
  for (const DataType type : spec.dtypes) j["dtypes"].push_back(to_string(type));
  j["op"] = to_string(spec.op);
  for (const Placement placement : spec.placements) j["placement"].push_back(to_string(placement));
  j["axes"] = ordered_json::object();
  for (const Axis& axis : spec.axes) j["axes"][axis.knob] = axis.values;
  for (const auto& match : spec.exclude) j["exclude"].push_back(match);
  if (spec.rounds > 0) j["rounds"] = spec.rounds;
  if (spec.budget.count() > 0) j["budget"] = fmt::format("{}s", spec.budget.count());
  if (spec.iters > 0) j["iters"] = spec.iters;
  if (spec.warmup_iters >= 0) j["warmup_iters"] = spec.warmup_iters;
  for (const bool graph : spec.graphs) j["cuda_graph"].push_back(graph ? "on" : "off");
  j["verify"] = spec.verify;
  j["prune"] = spec.prune;
  j["alarm"] = spec.alarm;
  j["evidence"] = spec.evidence;
  j["load"] = spec.load;
  if (spec.load_ctas > 0) j["load_ctas"] = spec.load_ctas;
  j["smallest_gain"] = spec.smallest_gain;
  return j.dump(indent);
}

}  // namespace nccl_sweep
