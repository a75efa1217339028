// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks over a message of a log from left to right. Every step says whether it found what it was
// asked for, and a step that did not leaves the text as it was.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace nccl_sweep::evidence {

class TextScan {
 public:
  explicit TextScan(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_; }

  bool skip(std::string_view literal) {
    if (!text_.starts_with(literal)) return false;
    text_.remove_prefix(literal.size());
    return true;
  }

  // Skips to behind the next occurrence of `literal`.
  bool skip_past(std::string_view literal) {
    const std::size_t at = text_.find(literal);
    if (at == text_.npos) return false;
    text_.remove_prefix(at + literal.size());
    return true;
  }

  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  template <class Number>
  bool number(Number& value, int base = 10) {
    const auto [stop, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), value, base);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return true;
  }

  // Up to `end`, which is skipped too; false where `end` does not come.
  bool until(std::string_view end, std::string_view& word) {
    const std::size_t at = text_.find(end);
    if (at == text_.npos) return false;
    word = text_.substr(0, at);
    text_.remove_prefix(at + end.size());
    return true;
  }

  // Up to the next blank or the end.
  std::string_view word() {
    const std::string_view word = text_.substr(0, std::min(text_.find(' '), text_.size()));
    text_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view text_;
};

}  // namespace nccl_sweep::evidence
