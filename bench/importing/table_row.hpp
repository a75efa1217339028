// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One row of nccl-tests' table in any of its layouts (11 to 21 columns since 2018), and the header
// that tells which it is. Fixed columns would not do: values outgrow their widths, redop may be
// empty, a label may stand in front.
#pragma once

#include <string_view>
#include <vector>

#include "importing/imported_launch.hpp"

namespace nccl_sweep {

inline constexpr int kWidthPerIteration = 8;  // columns of a placement

// What the header line "# size count type ..." says. Without one a row is told by its length.
struct TableLayout {
  bool known = false;
  bool root = false;
  int placements = 2;
  int width = 4;              // columns of one placement: 8 with per-iteration times, 5 with hipevt
  int algbw_at = 1;           // within a placement; its time is the first
  bool milliseconds = false;  // version 1
  bool cpu_time = false;      // the time column is the host's: the time follows from algbw
  bool counts_wrong = true;   // #wrong; older ones have an error margin there
  Placement only = Placement::out_of_place;  // where there is one placement
};

struct TableRow {
  enum class Kind {
    none,  // no row at all
    whole,
    partial,  // its end is missing: something was printed into it, or the file ends here
    strange   // a row, of an operation that is not measured here
  };
  Kind kind = Kind::none;
  std::string_view text;                // partial: what is there, to be put before the rest
  std::vector<ImportedTiming> timings;  // of one or both placements
  bool odd_number = false;              // a time that is no number was left out
};

// The line below the banner. True where `text` is such a header.
bool read_header(std::string_view text, TableLayout& layout);

// The header of a table, whether its columns are known here or not.
bool is_header(std::string_view text);

// "out-of-place ... in-place" above the header.
void read_banner(std::string_view text, TableLayout& layout);

TableRow read_row(std::string_view text, const TableLayout& layout);

// The values that a line begins with, where they can be the rest of a row that something was
// printed into: the whole line, or a placement's with one of NCCL's lines behind it. Else empty.
std::string_view rest_of_row(std::string_view text);

}  // namespace nccl_sweep
