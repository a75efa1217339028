// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nccl_sweep {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns, so splitting at two blanks is safe

std::string padded(const std::string& text, std::size_t width, Align align) {
  return align == Align::right ? fmt::format("{:>{}}", text, width)
                               : fmt::format("{:<{}}", text, width);
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = std::max(table.columns[c].title.size(), table.columns[c].unit.size());
    for (const auto& row : table.rows) width = std::max(width, row[c].text.size());
    widths.push_back(width);
  }
  return widths;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// One line; `cell` gives the text of column c, `tone` its colour.
template <class CellText, class CellTone>
std::string text_line(const Table& table, const std::vector<std::size_t>& widths, bool colour,
                      CellText&& cell, CellTone&& tone) {
  std::string line;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const bool last = c + 1 == widths.size();
    std::string field = padded(cell(c), widths[c], table.columns[c].align);
    if (last) field = without_trailing_blanks(std::move(field));
    line += std::string(kGap, ' ') + toned(field, tone(c), colour);
  }
  return (colour ? line : without_trailing_blanks(std::move(line))) + "\n";
}

std::string markdown_field(const std::string& text) {
  std::string field;
  for (const char letter : text) {
    if (letter == '|') field += '\\';
    field += letter;
  }
  return field;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char letter : text) {
    if (letter == '"') field += '"';
    field += letter;
  }
  return field + "\"";
}

std::string csv_value(const CellValue& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{:.9g}", d); }
    std::string operator()(const std::string& s) const { return csv_field(s); }
  };
  return std::visit(Printer{}, value);
}

}  // namespace

std::string toned(const std::string& text, Tone tone, bool colour) {
  if (!colour || tone == Tone::plain || text.empty()) return text;
  const char* code = tone == Tone::good ? "32" : tone == Tone::bad ? "31" : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string to_text(const Table& table, bool colour) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto plain = [](std::size_t) { return Tone::plain; };
  text += text_line(
      table, widths, colour, [&](std::size_t c) { return table.columns[c].title; }, plain);
  const bool units = std::any_of(table.columns.begin(), table.columns.end(),
                                 [](const Column& c) { return !c.unit.empty(); });
  if (units) {
    text += text_line(
        table, widths, colour, [&](std::size_t c) { return table.columns[c].unit; }, plain);
  }
  for (const auto& row : table.rows) {
    text += text_line(
        table, widths, colour, [&](std::size_t c) { return row[c].text; },
        [&](std::size_t c) { return row[c].tone; });
  }
  for (const std::string& note : table.notes) text += "  " + note + "\n";
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = table.title.empty() ? "" : fmt::format("### {}\n\n", table.title);
  std::string rule;
  for (const Column& column : table.columns) {
    text += fmt::format("| {} ", column.unit.empty()
                                     ? column.title
                                     : fmt::format("{} ({})", column.title, column.unit));
    rule += column.align == Align::right ? "| ---: " : "| --- ";
  }
  text += "|\n" + rule + "|\n";
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) text += fmt::format("| {} ", markdown_field(cell.text));
    text += "|\n";
  }
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += note + "  \n";
  return text;
}

std::string to_csv(const Table& table) {
  std::string text;
  const auto add_line = [&](std::size_t fields, auto&& field) {
    for (std::size_t c = 0; c < fields; ++c) {
      if (c > 0) text += ',';
      text += field(c);
    }
    text += '\n';
  };
  add_line(table.columns.size(), [&](std::size_t c) { return csv_field(table.columns[c].key); });
  for (const auto& row : table.rows) {
    add_line(row.size(), [&](std::size_t c) { return csv_value(row[c].value); });
  }
  return text;
}

}  // namespace nccl_sweep
