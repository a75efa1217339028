// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's message in a line of output, and the process that printed it. Launchers, benchmarks and
// terminals put anything before it: rank tags, time stamps, colour codes, half a table row.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nccl_sweep::evidence {

struct LogRecord {
  int writer = 0;  // processes in the order of their first line
  bool warning = false;
  bool cut = false;       // at NCCL's limit of 1 KB a line: the last word may be half a word
  std::string_view text;  // into the line, without the prefix
};

class RecordSplitter {
 public:
  // The last message of the line, if there is one; `line` loses its colour codes and is looked
  // into as long as the record lives. What stands before another message in the same line was torn
  // apart by it and is left out.
  std::optional<LogRecord> split(std::string& line);

 private:
  int writer_of(std::string_view before_text, bool whole_line);

  std::map<std::string, int, std::less<>> writers_;  // by "host:pid"
  int last_writer_ = 0;                              // who gets messages without a prefix
};

}  // namespace nccl_sweep::evidence
