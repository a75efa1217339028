// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A table as data, and the printers that only format it: text for people, Markdown for issues, CSV
// for programs (JSON is report/report_json.cpp's). What stands in a table is decided elsewhere; no
// printer computes. Cells carry the text for people and the value for programs side by side.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nccl_sweep {

enum class Align { left, right };
enum class Tone { plain, good, bad, faint };  // colour on a terminal, nothing anywhere else

using CellValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct Cell {
  Cell(std::string shown, Tone t = Tone::plain) : text(std::move(shown)), value(text), tone(t) {}
  Cell(const char* shown, Tone t = Tone::plain) : Cell(std::string(shown), t) {}
  Cell(std::string shown, CellValue exact, Tone t = Tone::plain)
      : text(std::move(shown)), value(std::move(exact)), tone(t) {}

  std::string text;
  CellValue value;  // monostate: unknown, an empty field in CSV and null in JSON
  Tone tone = Tone::plain;
};

struct Column {
  std::string title;  // for people
  std::string key;    // for programs, with the unit in it: "time_seconds"
  Align align = Align::left;
  std::string unit = {};  // shown under the title where all cells share it
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // as many cells as columns
  std::vector<std::string> notes;       // lines below the table
};

std::string to_text(const Table&, bool colour);
std::string to_markdown(const Table&);
std::string to_csv(const Table&);  // RFC 4180, header of keys, \n line ends

// What a printer needs for text outside of tables.
std::string toned(const std::string& text, Tone tone, bool colour);

}  // namespace nccl_sweep
