// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.hpp"
#include "core/json_object.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kVersionKey = "nccl_sweep_workload";

// Where in a document we are, for messages: "job.workload.json#/cases/3".
class Place {
 public:
  Place(const json& value, std::string where) : value_(value), where_(std::move(where)) {}

  const std::string& where() const { return where_; }
  const json& value() const { return value_; }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw usage_error(what, where_, hint);
  }
  bool has(const char* key) const { return value_.contains(key); }
  Place at(const char* key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) fail(fmt::format("lacks \"{}\"", key));
    return {*found, where_ + "/" + key};
  }
  Place at(std::size_t index) const { return {value_[index], fmt::format("{}/{}", where_, index)}; }

  std::string text() const {
    if (!value_.is_string()) fail("must be a text");
    return value_.get<std::string>();
  }
  double number() const {
    if (!value_.is_number()) fail("must be a number");
    return value_.get<double>();
  }
  std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const bool fits = value_.is_number_integer() &&
                      (!value_.is_number_unsigned() ||
                       value_.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (!fits || value_.get<std::int64_t>() < least || value_.get<std::int64_t>() > most) {
      fail(fmt::format("must be a whole number from {} to {}", least, most));
    }
    return value_.get<std::int64_t>();
  }
  int small(int least) const {
    return static_cast<int>(integer(least, std::numeric_limits<int>::max()));
  }
  void require_object(std::span<const std::string> known) const {
    if (!value_.is_object()) fail("must be an object");
    for (const auto& [key, unused] : value_.items()) {
      if (std::ranges::find(known, key) == known.end()) {
        fail(fmt::format("unknown key \"{}\"", key), did_you_mean(key, known));
      }
    }
  }
  void require_array() const {
    if (!value_.is_array()) fail("must be a list");
  }

 private:
  const json& value_;
  std::string where_;
};

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Hand-written files may give count or bytes alone, and bytes as "24M".
void read_size(const Place& place, WorkloadCase& result) {
  const std::int64_t element = element_bytes(result.dtype);
  if (place.has("bytes")) {
    const Place bytes = place.at("bytes");
    result.bytes = bytes.value().is_string() ? parse_size(bytes.text(), bytes.where())
                                             : Bytes{bytes.integer(1, kMost)};
    if (result.bytes.value < 1 || result.bytes.value % element != 0) {
      bytes.fail(fmt::format("must be a multiple of the {} bytes of {}", element,
                             to_string(result.dtype)));
    }
    result.count = result.bytes.value / element;
  }
  if (place.has("count")) {
    const std::int64_t count = place.at("count").integer(1, kMost / element);
    if (place.has("bytes") && count != result.count) {
      place.at("count").fail(fmt::format("does not fit bytes: {} of {} are {} elements",
                                         result.bytes.value, to_string(result.dtype),
                                         result.count));
    }
    result.count = count;
    result.bytes = {count * element};
  }
  if (result.count == 0) place.fail("lacks \"bytes\"");
}

WorkloadCase read_case(const Place& place) {
  static const std::vector<std::string> kKnown = {
      "collective", "dtype", "op", "count", "bytes", "group_size", "calls", "group_stride"};
  place.require_object(kKnown);
  WorkloadCase result;
  const Place collective = place.at("collective");
  result.collective = parse_collective(collective.text(), collective.where());
  const Place dtype = place.at("dtype");
  result.dtype = parse_data_type(dtype.text(), dtype.where());
  if (place.has("op")) {
    result.op = parse_reduce_op(place.at("op").text(), place.at("op").where());
  }
  read_size(place, result);
  result.group_size = place.at("group_size").small(1);
  if (place.has("group_stride")) result.group_stride = place.at("group_stride").small(0);
  result.calls = place.at("calls").number();
  if (!(result.calls > 0) || !std::isfinite(result.calls)) {
    place.at("calls").fail("must be more than 0");
  }
  return result;
}

WorkloadSource read_source(const Place& place) {
  static const std::vector<std::string> kKnown = {"file", "format", "producer", "rank"};
  place.require_object(kKnown);
  WorkloadSource source;
  if (place.has("file")) source.file = place.at("file").text();
  if (place.has("format")) source.format = place.at("format").text();
  if (place.has("producer")) source.producer = place.at("producer").text();
  if (place.has("rank")) source.rank = place.at("rank").small(-1);
  return source;
}

json parse_document(const std::string& text, const std::string& file) {
  try {
    return json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::parse_error& error) {
    const auto before = std::min<std::size_t>(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before), '\n');
    throw usage_error("is not valid JSON", fmt::format("{}:{}", file, line),
                      "a workload is what nccl-sweep workload TRACE -o FILE writes");
  } catch (const json::exception& error) {
    throw not_json(error, file);
  }
}

}  // namespace

Workload load_workload(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) {
    throw usage_error("the workload cannot be read", file.string(), "check the path");
  }
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const json document = parse_document(text, file.string());
  const Place root(document, file.string() + "#");
  if (!document.is_object() || !root.has(kVersionKey)) {
    throw usage_error("is not a workload", file.string(),
                      "make one from a trace: nccl-sweep workload TRACE -o FILE");
  }
  static const std::vector<std::string> kKnown = {kVersionKey,  "$schema",    "name",  "sources",
                                                  "iterations", "world_size", "cases", "notes"};
  const std::int64_t version = root.at(kVersionKey).integer(1, kMost);
  if (version > kWorkloadSchema) {
    root.at(kVersionKey)
        .fail(
            fmt::format("is of version {}, this program reads up to {}", version, kWorkloadSchema),
            "use a newer nccl-sweep or import the trace again");
  }
  root.require_object(kKnown);
  Workload workload;
  workload.name = root.has("name") ? root.at("name").text() : file.stem().string();
  if (root.has("iterations")) workload.iterations = root.at("iterations").number();
  if (workload.iterations < 0) root.at("iterations").fail("must not be negative");
  if (root.has("world_size")) workload.world_size = root.at("world_size").small(0);
  if (root.has("sources")) {
    const Place sources = root.at("sources");
    sources.require_array();
    for (std::size_t i = 0; i < sources.value().size(); ++i) {
      workload.sources.push_back(read_source(sources.at(i)));
    }
  }
  const Place cases = root.at("cases");
  cases.require_array();
  for (std::size_t i = 0; i < cases.value().size(); ++i) {
    workload.cases.push_back(read_case(cases.at(i)));
  }
  if (workload.cases.empty()) cases.fail("must not be empty");
  if (root.has("notes")) {
    const Place notes = root.at("notes");
    notes.require_array();
    for (std::size_t i = 0; i < notes.value().size(); ++i) {
      workload.notes.push_back(notes.at(i).text());
    }
  }
  return workload;
}

std::string to_json_text(const Workload& workload) {
  // Whole counts as whole numbers: 12, not 12.0.
  const auto number = [](double value) {
    const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
    return whole ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json(value);
  };
  const auto dump = [](const ordered_json& value, int indent) {
    // File names may be in any encoding.
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
  };
  ordered_json sources = ordered_json::array();
  for (const WorkloadSource& it : workload.sources) {
    sources.push_back(
        {{"file", it.file}, {"format", it.format}, {"producer", it.producer}, {"rank", it.rank}});
  }
  std::string cases;
  for (const WorkloadCase& it : workload.cases) {
    ordered_json line = {{"collective", to_string(it.collective)}, {"dtype", to_string(it.dtype)}};
    if (it.op != ReduceOp::sum) line["op"] = to_string(it.op);
    line["count"] = it.count;
    line["bytes"] = it.bytes.value;
    line["group_size"] = it.group_size;
    if (it.group_stride > 0) line["group_stride"] = it.group_stride;
    line["calls"] = number(it.calls);
    cases += fmt::format("{}    {}", cases.empty() ? "" : ",\n", dump(line, -1));
  }
  std::string sources_text;
  for (const ordered_json& it : sources) {
    sources_text += fmt::format("{}    {}", sources_text.empty() ? "" : ",\n", dump(it, -1));
  }
  std::string notes;
  for (const std::string& it : workload.notes) {
    notes += fmt::format("{}    {}", notes.empty() ? "" : ",\n", dump(it, -1));
  }
  const auto list = [](const std::string& lines) {
    return lines.empty() ? "[]" : "[\n" + lines + "\n  ]";
  };
  return fmt::format(
      "{{\n  \"{}\": {},\n  \"name\": {},\n  \"iterations\": {},\n  \"world_size\": {},\n"
      "  \"sources\": {},\n  \"cases\": {},\n  \"notes\": {}\n}}\n",
      kVersionKey, kWorkloadSchema, dump(workload.name, -1), dump(number(workload.iterations), -1),
      workload.world_size, list(sources_text), list(cases), list(notes));
}

}  // namespace nccl_sweep
