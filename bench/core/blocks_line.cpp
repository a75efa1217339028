// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/blocks_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace nccl_sweep {
namespace {

using Text = fmt::memory_buffer;

void append(Text& text, std::string_view part) {
  text.append(part.data(), part.data() + part.size());
}

template <typename Integer>
void append_number(Text& text, Integer value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

// The shortest that reads as the same; JSON has no infinity, and a whole number stays a real one.
void append_number(Text& text, double value) {
  if (!std::isfinite(value)) return append(text, "null");
  const std::size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{}", value);
  const std::string_view written(text.data() + begin, text.size() - begin);
  if (written.find_first_of(".e") == std::string_view::npos) append(text, ".0");
}

template <typename Number>
void append_list(Text& text, const std::vector<Number>& values) {
  append(text, "[");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) append(text, ",");
    append_number(text, values[i]);
  }
  append(text, "]");
}

// Reads what blocks_line() wrote, piece by piece; the first that is something else ends it all.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool good() const { return good_; }
  bool at_end() const { return good_ && text_.empty(); }

  bool starts_with(std::string_view part) const { return text_.starts_with(part); }

  void expect(std::string_view part) {
    good_ = good_ && text_.starts_with(part);
    if (good_) text_.remove_prefix(part.size());
  }

  template <typename Number>
  Number number() {
    Number value{};
    // from_chars takes words for numbers that JSON does not have.
    const bool begins = !text_.empty() && (text_[0] == '-' || (text_[0] >= '0' && text_[0] <= '9'));
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    good_ = good_ && begins && error == std::errc{} && std::isfinite(static_cast<double>(value));
    if (good_) text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  template <typename Number>
  std::vector<Number> list() {
    std::vector<Number> values;
    expect("[");
    while (good_ && !starts_with("]")) {
      if (!values.empty()) expect(",");
      values.push_back(number<Number>());
    }
    expect("]");
    return values;
  }

  std::string_view word() {
    const std::size_t end = std::min(text_.find_first_of("\"\\"), text_.size());
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end);
    return found;
  }

 private:
  std::string_view text_;
  bool good_ = true;
};

}  // namespace

std::string blocks_line(const BlocksRecord& record) {
  const CaseTiming& timing = record.timing;
  Text text;
  const auto key = [&](std::string_view words, const auto& value) {
    append(text, words);
    append_number(text, value);
  };
  const auto list = [&](std::string_view words, const auto& values) {
    append(text, words);
    append_list(text, values);
  };
  key(R"({"candidate":)", record.order.candidate);
  key(R"(,"case":)", timing.case_index);
  key(R"(,"cpu_seconds":)", timing.cpu_seconds);
  if (!timing.device_seconds.empty()) list(R"(,"device_seconds":)", timing.device_seconds);
  if (timing.load_alone_seconds > 0) {
    key(R"(,"load_alone_seconds":)", timing.load_alone_seconds);
    key(R"(,"load_beside_seconds":)", timing.load_beside_seconds);
  }
  list(R"(,"max_seconds":)", timing.max_seconds);
  list(R"(,"mean_seconds":)", timing.mean_seconds);
  key(R"(,"n":)", timing.ops_per_block);
  key(R"(,"record":"blocks","round":)", record.order.round);
  list(R"(,"slowest_rank":)", timing.slowest_rank);
  append(text, R"(,"stage":")");
  append(text, to_string(record.order.stage));
  key(R"(","trial":)", record.order.index);
  key(R"(,"wall_seconds":)", timing.wall_seconds);
  key(R"(,"wrong_elements":)", timing.wrong_elements);
  append(text, "}");
  return fmt::to_string(text);
}

std::optional<BlocksRecord> read_blocks_line(std::string_view line) {
  Reader in(line);
  BlocksRecord record;
  CaseTiming& timing = record.timing;
  const auto read = [&](std::string_view words, auto& value) {
    in.expect(words);
    value = in.number<std::remove_reference_t<decltype(value)>>();
  };
  const auto read_list = [&](std::string_view words, auto& values) {
    in.expect(words);
    values = in.list<typename std::remove_reference_t<decltype(values)>::value_type>();
  };
  read(R"({"candidate":)", record.order.candidate);
  read(R"(,"case":)", timing.case_index);
  read(R"(,"cpu_seconds":)", timing.cpu_seconds);
  if (in.starts_with(R"(,"device)")) read_list(R"(,"device_seconds":)", timing.device_seconds);
  if (in.starts_with(R"(,"load)")) {
    read(R"(,"load_alone_seconds":)", timing.load_alone_seconds);
    read(R"(,"load_beside_seconds":)", timing.load_beside_seconds);
  }
  read_list(R"(,"max_seconds":)", timing.max_seconds);
  read_list(R"(,"mean_seconds":)", timing.mean_seconds);
  read(R"(,"n":)", timing.ops_per_block);
  read(R"(,"record":"blocks","round":)", record.order.round);
  read_list(R"(,"slowest_rank":)", timing.slowest_rank);
  in.expect(R"(,"stage":")");
  const std::string_view stage = in.word();
  read(R"(","trial":)", record.order.index);
  read(R"(,"wall_seconds":)", timing.wall_seconds);
  read(R"(,"wrong_elements":)", timing.wrong_elements);
  in.expect("}");
  if (!in.at_end()) return std::nullopt;
  record.order.stage = parse_stage(std::string(stage));
  return record;
}

}  // namespace nccl_sweep
