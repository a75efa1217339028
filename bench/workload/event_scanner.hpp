// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks a Chrome trace ({"traceEvents": [...], ...}) of any size in one pass and constant memory:
// it knows only strings and braces, hands over the text of the few events that contain a word we
// look for and of the other top-level members, and never builds a document. Key order, indenting
// and line breaks do not matter. Broken strings (old profilers wrote raw quotes and backslashes)
// cost the event that they are in, not the trace: an unfinished string ends at its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/byte_source.hpp"

namespace nccl_sweep {

// What the text of an event was found to contain.
enum EventWords : unsigned {
  kHasCommsRecord = 1,  // "record_param_comms"
  kHasStep = 2,         // "ProfilerStep#"
  kHasNccl = 4,         // "nccl", as in kernel names
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void event(std::string_view text, unsigned words) = 0;
  virtual void member(std::string_view key, std::string_view value) = 0;
};

struct ScanResult {
  enum class End { complete, truncated, malformed } end = End::complete;
  std::uint64_t offset = 0;  // where the document ended or went wrong
  bool has_events = false;   // a traceEvents array was found
  std::int64_t events = 0;
  std::int64_t broken_events = 0;  // given up: broken strings or larger than any event is
  bool trailing = false;           // something follows the document
};

class EventScanner {
 public:
  EventScanner(ByteSource& source, TraceSink& sink);
  ScanResult scan();

 private:
  bool refill();
  int peek();  // the next byte, -1 at the end
  int next_solid();
  bool read_string(std::string& text);
  bool capture_value(std::string_view& value);
  void fail(ScanResult::End end);
  bool scan_members();
  bool scan_events();
  bool scan_event();
  bool give_up_event(std::size_t next);
  bool resync();
  bool at_event_start(std::size_t at) const;
  bool line_starts_with_structure(std::size_t newline) const;
  unsigned words_at(std::uint64_t candidates, std::size_t block) const;
  std::string_view text(std::size_t begin, std::size_t end) const;

  ByteSource& source_;
  TraceSink& sink_;
  ScanResult result_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;         // next byte to look at
  std::size_t end_ = 0;              // end of what was read
  std::size_t keep_ = kNothing;      // bytes from here on survive a refill
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the document
  bool at_end_ = false;

  static constexpr std::size_t kNothing = ~std::size_t{0};
};

}  // namespace nccl_sweep
