// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/table_row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "importing/words.hpp"

namespace nccl_sweep {
namespace {

std::optional<DataType> type_of(std::string_view word) {
  if (word.size() < 3 || word.size() > 10) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, DataType>, 16> kTypes{
      {{"float", DataType::float32},
       {"bfloat16", DataType::bfloat16},
       {"half", DataType::float16},
       {"double", DataType::float64},
       {"int8", DataType::int8},
       {"uint8", DataType::uint8},
       {"int32", DataType::int32},
       {"uint32", DataType::uint32},
       {"int64", DataType::int64},
       {"uint64", DataType::uint64},
       {"f8e4m3", DataType::float8e4m3},
       {"f8e5m2", DataType::float8e5m2},
       {"fp8_e4m3", DataType::float8e4m3},
       {"fp8_e5m2", DataType::float8e5m2},
       {"char", DataType::int8},
       {"int", DataType::int32}}};  // the last two: version 1
  for (const auto& [name, type] : kTypes) {
    if (word == name) return type;
  }
  return std::nullopt;
}

std::optional<ReduceOp> operation_of(std::string_view word) {
  for (const ReduceOp op :
       {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg}) {
    if (word == to_string(op)) return op;
  }
  if (word == "none") return ReduceOp::sum;
  return std::nullopt;
}

bool is_value(std::string_view word) {
  return word == "N/A" || number_of<double>(word).has_value();
}

struct RowHead {
  std::size_t type_at = 0;
  DataType dtype = DataType::float32;
  Bytes size;
  std::int64_t count = 0;
};

// A size may touch the label before it: "label:137438953472".
std::optional<std::int64_t> size_of(std::string_view word) {
  const std::size_t colon = word.find_last_of(":>");
  if (colon != std::string_view::npos) word.remove_prefix(colon + 1);
  return number_of<std::int64_t>(word);
}

std::optional<RowHead> head_of(std::span<const std::string_view> words) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto type = type_of(words[i]);
    if (!type) continue;
    const auto size = size_of(words[i - 2]);
    const auto count = number_of<std::int64_t>(words[i - 1]);
    if (size && count && *size >= 0 && *count >= 0) return RowHead{i, *type, Bytes{*size}, *count};
  }
  return std::nullopt;
}

// The values behind type and redop, as far as there are any.
struct RowBody {
  std::vector<std::string_view> values;
  bool at_end = true;  // nothing strange follows
};

// "-1host:17:17" is a root and the start of one of NCCL's lines.
std::string_view number_in_front(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const auto length = static_cast<std::size_t>(end - word.data());
  if (error != std::errc{} || word.find(':', length) == std::string_view::npos) return {};
  return word.substr(0, length);
}

bool is_date(std::string_view word) {
  return word.size() == 10 && word[4] == '-' && word[7] == '-' && word[0] >= '0' && word[0] <= '9';
}

RowBody body_of(std::span<const std::string_view> words) {
  RowBody body;
  for (const std::string_view word : words) {
    if (is_date(word)) break;
    if (is_value(word)) {
      body.values.push_back(word);
      continue;
    }
    body.at_end = false;
    if (const auto number = number_in_front(word); !number.empty()) body.values.push_back(number);
    break;
  }
  return body;
}

// By the number of values, for rows without a header above them.
bool guess_layout(std::size_t values, TableLayout& layout) {
  struct Shape {
    std::size_t values;
    bool root;
    int placements;
    int width;
  };
  constexpr std::array<Shape, 8> kShapes{{{9, true, 2, 4},
                                          {8, false, 2, 4},
                                          {17, true, 2, 8},
                                          {16, false, 2, 8},
                                          {11, true, 2, 5},
                                          {5, true, 1, 4},
                                          {4, false, 1, 4},
                                          {6, true, 1, 5}}};
  for (const Shape& shape : kShapes) {
    if (shape.values != values) continue;
    layout.root = shape.root;
    layout.placements = shape.placements;
    layout.width = shape.width;
    layout.algbw_at = shape.width == 5 ? 2 : 1;
    return true;
  }
  return false;
}

// Half of the last digit of a printed number, as a share of it.
double resolution(std::string_view word, double value) {
  const std::size_t exponent_at = std::min(word.find_first_of("eE"), word.size());
  const std::size_t point = std::min(word.find('.'), exponent_at);
  double half = 0.5;
  for (std::size_t digit = point + 1; digit < exponent_at; ++digit) half /= 10;
  if (exponent_at < word.size()) {
    std::string_view exponent = word.substr(exponent_at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    half *= std::pow(10.0, number_of<int>(exponent).value_or(0));
  }
  return value > 0 ? half / value : 1;
}

// The time, or what the bandwidth makes of it where that has more digits (1.6e+07 has two) and says
// the same.
Seconds time_of(std::string_view time_word, std::string_view algbw_word, Bytes size,
                const TableLayout& layout) {
  const double printed = number_of<double>(time_word).value_or(std::nan(""));
  const double time = printed * (layout.milliseconds ? 1e-3 : 1e-6);
  const double algbw = number_of<double>(algbw_word).value_or(0);
  const double from_algbw = algbw > 0 ? static_cast<double>(size.value) / (algbw * 1e9) : 0;
  if (layout.cpu_time) return Seconds{from_algbw > 0 ? from_algbw : std::nan("")};
  if (!(from_algbw > 0) || !(time > 0)) return Seconds{time};
  const double of_time = resolution(time_word, printed);
  const double of_algbw = resolution(algbw_word, algbw);
  const bool same = std::abs(from_algbw / time - 1) <= 1.01 * (of_time + of_algbw);
  return Seconds{same && of_algbw < of_time ? from_algbw : time};
}

std::int64_t wrong_of(std::string_view word, const TableLayout& layout) {
  const double value = number_of<double>(word).value_or(-1);
  constexpr double kMost = 9e18;
  if (!layout.counts_wrong || !(value >= 0) || value > kMost) return -1;
  return static_cast<std::int64_t>(value);
}

void add_placement(TableRow& row, const ImportedTiming& common, Placement placement,
                   std::span<const std::string_view> values, const TableLayout& layout) {
  if (values.front() == "N/A") return;  // not measured
  const auto at = static_cast<std::size_t>(layout.algbw_at);
  ImportedTiming timing = common;
  timing.placement = placement;
  timing.time = time_of(values[0], values[at], common.size, layout);
  timing.algbw = number_of<double>(values[at]).value_or(0);
  timing.busbw = number_of<double>(values[at + 1]).value_or(0);
  timing.wrong = wrong_of(values[at + 2], layout);
  if (timing.time.count() > 0 && std::isfinite(timing.time.count())) {
    row.timings.push_back(timing);
  } else {
    row.odd_number = true;
  }
}

// Some rows have in-place columns only, behind blanks in the place of the others.
bool stands_far_right(std::string_view before, std::string_view value) {
  constexpr std::ptrdiff_t kBlanks = 28;
  return value.data() - (before.data() + before.size()) > kBlanks;
}

void fill(TableRow& row, const ImportedTiming& common, std::span<const std::string_view> values,
          const TableLayout& layout, bool at_end) {
  const std::size_t root = layout.root ? 1 : 0;
  const auto width = static_cast<std::size_t>(layout.width);
  const std::size_t wanted = root + width * static_cast<std::size_t>(layout.placements);
  row.kind = TableRow::Kind::whole;
  if (values.size() == wanted) {
    const bool both = layout.placements == 2;
    add_placement(row, common, both ? Placement::out_of_place : layout.only,
                  values.subspan(root, width), layout);
    if (both) {
      add_placement(row, common, Placement::in_place, values.subspan(root + width), layout);
    }
  } else if (at_end && root == 1 && values.size() == root + width &&
             stands_far_right(values[0], values[1])) {
    add_placement(row, common, Placement::in_place, values.subspan(root), layout);
  } else {
    row.kind = values.size() < wanted ? TableRow::Kind::partial : TableRow::Kind::none;
  }
}

}  // namespace

TableRow read_row(std::string_view text, const TableLayout& known) {
  std::array<std::string_view, kMostWords> storage;
  const std::span<const std::string_view> words = words_of(text, storage);
  TableRow row;
  const auto head = head_of(words);
  if (!head) return row;
  std::span<const std::string_view> rest = words.subspan(head->type_at + 1);
  ImportedTiming common;
  common.dtype = head->dtype;
  common.size = head->size;
  common.count = head->count;
  bool strange = false;
  if (!rest.empty() && is_word(rest.front()) && !is_value(rest.front()) &&
      number_in_front(rest.front()).empty()) {
    const auto op = operation_of(rest.front());
    strange = !op && rest.front() == "mulsum";
    if (!op && !strange) return row;  // a sentence
    common.op = op.value_or(ReduceOp::sum);
    rest = rest.subspan(1);
  }
  const RowBody body = body_of(rest);
  TableLayout layout = known;
  if (!layout.known && !guess_layout(body.values.size(), layout)) return row;
  fill(row, common, body.values, layout, body.at_end);
  if (row.kind == TableRow::Kind::partial) {
    const std::string_view last =
        body.values.empty() ? words[words.size() - rest.size() - 1] : body.values.back();
    row.text = text.substr(0, static_cast<std::size_t>(last.data() + last.size() - text.data()));
  } else if (strange && row.kind == TableRow::Kind::whole) {
    row.kind = TableRow::Kind::strange;
    row.timings.clear();
  }
  return row;
}

std::string_view rest_of_row(std::string_view text) {
  std::array<std::string_view, kMostWords> storage;
  const auto words = words_of(text, storage);
  const auto up_to = [&](std::string_view last) {
    return text.substr(0, static_cast<std::size_t>(last.data() + last.size() - text.data()));
  };
  const auto values = static_cast<std::size_t>(
      std::find_if_not(words.begin(), words.end(), is_value) - words.begin());
  constexpr std::size_t kStamp = 2;   // a date and a time may follow
  constexpr std::size_t kFewest = 4;  // of a placement
  if (values > 0 && values == words.size()) return text;
  if (values > 0 && values + kStamp == words.size() && is_date(words[values])) return text;
  if (values + 1 >= kFewest && values < words.size()) {
    if (const auto glued = number_in_front(words[values]); !glued.empty()) return up_to(glued);
    if (values >= kFewest) return up_to(words[values - 1]);
  }
  return {};
}

}  // namespace nccl_sweep
