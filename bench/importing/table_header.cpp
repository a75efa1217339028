// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines above the rows, which say what the columns are.
#include <algorithm>
#include <array>
#include <span>

#include "importing/table_row.hpp"
#include "importing/words.hpp"

namespace nccl_sweep {
namespace {

std::span<const std::string_view> header_words(std::string_view text,
                                               std::span<std::string_view> storage) {
  const std::span<const std::string_view> words = words_of(text, storage);
  return !words.empty() && words.front() == "#" ? words.subspan(1) : words;
}

bool starts_a_header(std::span<const std::string_view> words) {
  constexpr std::size_t kFewest = 7;  // size count type time algbw busbw #wrong
  if (words.size() < kFewest || words[2] != "type") return false;
  return (words[0] == "size" && words[1] == "count") || (words[0] == "bytes" && words[1] == "N");
}

}  // namespace

void read_banner(std::string_view text, TableLayout& layout) {
  layout.only = text.find("out-of-place") == std::string_view::npos ? Placement::in_place
                                                                    : Placement::out_of_place;
}

bool is_header(std::string_view text) {
  std::array<std::string_view, kMostWords> storage;
  return starts_a_header(header_words(text, storage));
}

bool read_header(std::string_view text, TableLayout& layout) {
  std::array<std::string_view, kMostWords> storage;
  const std::span<const std::string_view> words = header_words(text, storage);
  if (!starts_a_header(words)) return false;
  const auto is_time = [](std::string_view w) { return w == "time" || w == "cputime"; };
  const auto first = std::find_if(words.begin(), words.end(), is_time);
  if (first == words.end()) return false;
  const auto second = std::find_if(first + 1, words.end(), is_time);
  const auto algbw = std::find(first, second, "algbw");
  // A column of time stamps has no name in some versions and is no value in any.
  auto end = second == words.end() ? std::find(first, second, "timestamp") : second;
  if (algbw == second || end - algbw < 3) return false;
  layout.known = true;
  layout.root = std::find(words.begin(), first, "root") != first;
  layout.placements = second == words.end() ? 1 : 2;
  layout.width = static_cast<int>(end - first);
  layout.algbw_at = static_cast<int>(algbw - first);
  layout.milliseconds = words[0] == "bytes";  // version 1
  layout.cpu_time = *first == "cputime";
  layout.counts_wrong = algbw[2] == "#wrong";
  return true;
}

}  // namespace nccl_sweep
