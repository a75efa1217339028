// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Blank-separated words of a line and numbers in them, without copies: files have millions of rows.
#pragma once

#include <cctype>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nccl_sweep {

// Of a line of a table: the widest has 23.
inline constexpr std::size_t kMostWords = 40;

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// As many words as fit into `storage`.
inline std::span<const std::string_view> words_of(std::string_view text,
                                                  std::span<std::string_view> storage) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (count < storage.size()) {
    at = text.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    storage[count++] = text.substr(at, end - at);
    at = end;
  }
  return storage.first(count);
}

// The whole word must be the number.
template <typename Number>
std::optional<Number> number_of(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// The number that follows `label` in the text: "iters: 20".
template <typename Number>
std::optional<Number> number_after(std::string_view text, std::string_view label) {
  std::size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(" \t", at + label.size());
  if (at == std::string_view::npos) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

inline std::string word_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trimmed(line.substr(at + label.size()));
  return std::string(rest.substr(0, rest.find(' ')));
}

inline bool is_word(std::string_view word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0;
}

}  // namespace nccl_sweep
