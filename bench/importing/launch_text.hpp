// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines of one process, in order, made into launches. It knows where one launch ends and the
// next begins, and several programs that print over each other. Private to text_reader.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "importing/readers.hpp"
#include "importing/table_row.hpp"

namespace nccl_sweep {

inline constexpr std::size_t kLongestFailure = 200;  // of what is kept of a message

class LaunchText {
 public:
  explicit LaunchText(std::filesystem::path file) : file_(std::move(file)) {}

  void take(std::string_view line, std::int64_t number);
  void finish();

  std::vector<RawLaunch>& launches() { return done_; }
  const std::vector<RawLaunch>& launches() const { return done_; }
  // What a launcher said outside of any launch.
  const std::string& stray_failure() const { return stray_failure_; }

 private:
  enum Opening { version, starting, parameters };

  void open(Opening what, std::int64_t number);
  void begin(std::int64_t number);
  void take_comment(std::string_view line, std::int64_t number);
  void take_version(std::string_view line, std::int64_t number);
  void take_parameters(std::string_view line);
  void take_rank(std::string_view line);
  void take_footer(std::string_view line);
  void take_row(std::string_view line, std::int64_t number);
  void take_failure(std::string_view line);
  void take_library_line(std::string_view line);
  bool side_by_side() const;
  void read_facts();

  std::filesystem::path file_;
  std::vector<RawLaunch> done_;
  std::string stray_failure_;

  bool open_ = false;
  RawLaunch raw_;
  TableLayout layout_;
  TableLayout banner_;  // of the last banner: only its placement counts
  bool rows_after_end_ = false;
  bool launcher_failed_ = false;  // the failure is a launcher's word, not the program's
  bool info_logged_ = false;
  int openings_[3] = {0, 0, 0};
  int footers_ = 0;
  int torn_rows_ = 0;
  int strange_rows_ = 0;
  int odd_numbers_ = 0;
  std::vector<std::int64_t> begun_;  // lines of openings without a row behind them
  std::string torn_;                 // a row that something was printed into
  std::string unknown_columns_;      // a header that tells nothing about its rows
  std::string library_lines_;
  // What a report of nccl-sweep says once, above its tables.
  std::string report_;
  std::string report_nccl_;
  bool report_simulated_ = false;
};

}  // namespace nccl_sweep
