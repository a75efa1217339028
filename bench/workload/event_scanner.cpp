// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/event_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "workload/block_masks.hpp"

namespace nccl_sweep {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLookahead = 64;  // what at_event_start() and words_at() may look at
constexpr std::size_t kBuffer = 512 << 10;
constexpr std::size_t kLargestItem = 8 << 20;  // events are kilobytes; distributedInfo may be more

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

EventScanner::EventScanner(ByteSource& source, TraceSink& sink)
    : source_(source), sink_(sink), buffer_(kBuffer + kBlock + kLookahead) {}

std::string_view EventScanner::text(std::size_t begin, std::size_t end) const {
  return {buffer_.data() + begin, end - begin};
}

// Moves what must survive to the front and reads on. Zeros follow the end, so blocks may reach
// beyond it. False at the end of the file.
bool EventScanner::refill() {
  if (at_end_) return false;
  if (keep_ != kNothing && position_ - keep_ > kLargestItem) keep_ = kNothing;
  const std::size_t from = std::min({keep_, position_, end_});
  std::memmove(buffer_.data(), buffer_.data() + from, end_ - from);
  position_ -= from;
  end_ -= from;
  if (keep_ != kNothing) keep_ = 0;
  buffer_offset_ += from;
  const std::size_t padding = kBlock + kLookahead;
  if (buffer_.size() < end_ + kBuffer / 2 + padding) buffer_.resize(2 * buffer_.size());
  const std::size_t room = buffer_.size() - padding - end_;
  const std::size_t got = source_.read(buffer_.data() + end_, room);
  at_end_ = got < room;
  end_ += got;
  std::memset(buffer_.data() + end_, 0, padding);
  return got > 0;
}

int EventScanner::peek() {
  if (position_ >= end_ && !refill()) return -1;
  return static_cast<unsigned char>(buffer_[position_]);
}

int EventScanner::next_solid() {
  int c = peek();
  while (is_space(c)) {
    ++position_;
    c = peek();
  }
  return c;
}

void EventScanner::fail(ScanResult::End end) {
  result_.end = end;
  result_.offset = buffer_offset_ + std::min(position_, end_);
}

ScanResult EventScanner::scan() {
  refill();
  if (text(0, end_).starts_with("\xef\xbb\xbf")) position_ = 3;  // a byte order mark
  if (next_solid() != '{') {
    fail(ScanResult::End::malformed);
    return result_;
  }
  ++position_;
  if (scan_members()) {
    result_.offset = buffer_offset_ + position_;
    result_.trailing = next_solid() >= 0;
  }
  return result_;
}

bool EventScanner::scan_members() {
  std::string key;
  while (true) {
    int c = next_solid();
    if (c == ',') {
      ++position_;
      continue;
    }
    if (c == '}') {
      ++position_;
      return true;
    }
    if (c == '"' && read_string(key)) c = next_solid();
    if (c != ':') {
      fail(at_end_ && position_ >= end_ ? ScanResult::End::truncated : ScanResult::End::malformed);
      return false;
    }
    ++position_;
    if (next_solid() == '[' && key == "traceEvents") {
      ++position_;
      result_.has_events = true;
      if (!scan_events()) return false;
      continue;
    }
    std::string_view value;
    if (!capture_value(value)) {
      fail(ScanResult::End::truncated);
      return false;
    }
    if (!value.empty()) sink_.member(key, value);
  }
}

// At an opening quote; leaves the position behind the closing one.
bool EventScanner::read_string(std::string& text) {
  text.clear();
  ++position_;
  for (int c = peek(); c >= 0; c = peek()) {
    ++position_;
    if (c == '"') return true;
    if (text.size() < 256) text.push_back(static_cast<char>(c));  // longer than any key we know
    if (c == '\\' && peek() >= 0) ++position_;
  }
  return false;
}

// Any JSON value; empty where it is larger than we keep.
bool EventScanner::capture_value(std::string_view& value) {
  keep_ = position_;
  int depth = 0;
  bool in_string = false;
  for (int c = peek(); c >= 0; c = peek()) {
    if (in_string) {
      if (c == '\\') ++position_;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']' || (c == ',' && depth == 0)) {
      if (depth == 0) break;  // belongs to the parent: a scalar ends here
      --depth;
    }
    if (c == '}' && depth == 0 && !in_string) {
      ++position_;
      break;
    }
    ++position_;
  }
  if (peek() < 0) return false;
  value = keep_ == kNothing ? std::string_view{} : text(keep_, position_);
  keep_ = kNothing;
  return true;
}

bool EventScanner::scan_events() {
  while (true) {
    const int c = next_solid();
    if (end_ - position_ < kBlock + kLookahead) refill();
    if (c < 0) {
      fail(ScanResult::End::truncated);
      return false;
    }
    if (c == '{') {
      if (!scan_event()) return false;
    } else if (c == ',') {
      ++position_;
    } else if (c == ']') {
      ++position_;
      return true;
    } else if (!resync()) {
      return false;
    }
  }
}

// At the brace that opens an event; leaves the position behind the one that closes it.
bool EventScanner::scan_event() {
  keep_ = position_;
  int depth = 0;
  bool in_string = false;
  bool escape = false;
  bool broken = false;
  unsigned words = 0;
  while (true) {
    if (end_ - position_ < kBlock + kLookahead) refill();
    if (position_ >= end_) {
      fail(ScanResult::End::truncated);
      return false;
    }
    const BlockMasks masks = block_masks(buffer_.data() + position_);
    std::uint64_t quotes = masks.quotes;
    if (escape || masks.backslashes != 0) quotes &= ~escaped_bytes(masks.backslashes, escape);
    const std::uint64_t inside = prefix_xor(quotes) ^ (in_string ? ~std::uint64_t{0} : 0);
    std::uint64_t braces = (masks.opens | masks.closes) & ~inside;
    std::uint64_t hidden = masks.opens & inside;
    std::size_t advance = kBlock;
    in_string = (inside >> 63) != 0;
    if (const std::uint64_t breaks = masks.newlines & inside; breaks != 0) [[unlikely]] {
      const auto first = static_cast<std::size_t>(std::countr_zero(breaks));
      braces &= (std::uint64_t{1} << first) - 1;
      hidden &= (std::uint64_t{1} << first) - 1;
      advance = first + 1;
      escape = false;
      // Either a raw line break inside a string, or a string that lost its closing quote.
      in_string = !line_starts_with_structure(position_ + first);
      broken = broken || !in_string;
    }
    // An event cannot begin inside a string, where its quotes would be escaped: a quote is missing.
    for (; hidden != 0; hidden &= hidden - 1) [[unlikely]] {
        const std::size_t at = position_ + static_cast<std::size_t>(std::countr_zero(hidden));
        if (at_event_start(at)) return give_up_event(at);
      }
    for (; braces != 0; braces &= braces - 1) {
      const std::size_t at = position_ + static_cast<std::size_t>(std::countr_zero(braces));
      if (buffer_[at] == '{') {
        if (broken && depth > 0 && at_event_start(at)) {  // the broken event swallowed its end
          return give_up_event(at);
        }
        ++depth;
      } else if (--depth == 0) {
        if (masks.candidates != 0) words |= words_at(masks.candidates, position_);
        position_ = at + 1;
        ++result_.events;
        if (keep_ == kNothing) ++result_.broken_events;
        if (keep_ != kNothing && words != 0) sink_.event(text(keep_, position_), words);
        keep_ = kNothing;
        return true;
      }
    }
    if (masks.candidates != 0) words |= words_at(masks.candidates, position_);
    position_ += advance;
  }
}

// The next event begins at `next`, inside of what looked like this one.
bool EventScanner::give_up_event(std::size_t next) {
  ++result_.broken_events;
  position_ = next;
  keep_ = kNothing;
  return true;
}

// Between two events stands something that belongs to neither: a scalar, which is skipped, or the
// rest of an event whose braces did not match. Goes on at the next thing that is certain.
bool EventScanner::resync() {
  ++result_.broken_events;
  bool line_start = false;
  for (int c = peek(); c >= 0; c = peek()) {
    if (end_ - position_ < kLookahead) refill();
    if (c == '{' && at_event_start(position_)) return true;
    if (c == ']' && line_start) return true;
    line_start = c == '\n' || (line_start && is_space(c));
    ++position_;
  }
  fail(ScanResult::End::truncated);
  return false;
}

// PyTorch's exporter begins every event with its phase.
bool EventScanner::at_event_start(std::size_t at) const {
  const std::size_t limit = std::min(end_, at + kLookahead - 4);
  std::size_t next = at + 1;
  while (next < limit && is_space(buffer_[next])) ++next;
  return next < limit && text(next, next + 4) == "\"ph\"";
}

bool EventScanner::line_starts_with_structure(std::size_t newline) const {
  const std::size_t limit = std::min(end_, newline + kLookahead);
  std::size_t next = newline + 1;
  while (next < limit && is_space(buffer_[next])) ++next;
  return next >= limit || std::strchr("\"{}[],", buffer_[next]) != nullptr;
}

unsigned EventScanner::words_at(std::uint64_t candidates, std::size_t block) const {
  const auto word_is = [this](std::size_t begin, std::string_view word) {
    return std::memcmp(buffer_.data() + begin, word.data(), word.size()) == 0;
  };
  constexpr std::string_view kComms = "record_param_comms";  // "m_" at 11
  constexpr std::string_view kStep = "ProfilerStep#";        // '#' at 12
  constexpr std::string_view kNccl = "nccl";                 // "cc" at 1
  unsigned words = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const std::size_t at = block + static_cast<std::size_t>(std::countr_zero(candidates));
    if (at < 12) continue;
    if (word_is(at - 1, kNccl)) words |= kHasNccl;
    if (word_is(at - 11, kComms)) words |= kHasCommsRecord;
    if (word_is(at - 12, kStep)) words |= kHasStep;
  }
  return words;
}

}  // namespace nccl_sweep
