// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/line_tag.hpp"

#include <algorithm>
#include <cctype>

namespace nccl_sweep {
namespace {

constexpr std::size_t kLongestTag = 160;
constexpr int kMostTags = 4;  // "(head, pid=1) 2026-07-10T... [1,0]<stdout>: "

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

// "[1,0]<stdout>:" of mpirun, also with a date or a job's name in front.
bool cut_mpirun(TaggedLine& line) {
  const std::size_t close = line.text.substr(0, kLongestTag).find("]<std");
  if (close == std::string_view::npos) return false;
  const std::size_t open = line.text.rfind('[', close);
  const std::size_t colon = line.text.find(">:", close);
  if (open == std::string_view::npos || colon == std::string_view::npos) return false;
  line.process = line.text.substr(open + 1, close - open - 1);
  line.one_job = true;
  line.text.remove_prefix(colon + 2);
  return true;
}

// "2026-07-10T09:15:02.123456789Z stdout F ".
bool cut_stamp(TaggedLine& line) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
  const std::string_view text = line.text;
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'd' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  }
  const std::size_t blank = text.find(' ');
  line.text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (line.text.starts_with(stream)) line.text.remove_prefix(stream.size());
  }
  return true;
}

// "[pod/nccl-worker-0/main] " and "(RayWorker pid=4711) ".
bool cut_bracketed(TaggedLine& line) {
  const std::string_view text = line.text;
  const bool pod = text.starts_with("[pod/");
  if (!pod && !text.starts_with("(")) return false;
  const std::size_t end = text.substr(0, kLongestTag).find(pod ? "] " : ") ");
  if (end == std::string_view::npos) return false;
  const std::string_view inside = text.substr(1, end - 1);
  if (!pod && inside.find("pid=") == std::string_view::npos) return false;
  line.process = inside;
  line.text.remove_prefix(end + 2);
  return true;
}

// "3: " or " 3: " of srun --label.
bool cut_srun(TaggedLine& line) {
  const std::string_view text = without_blanks(line.text);
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  constexpr std::size_t kMostDigits = 6;
  if (digits == 0 || digits > kMostDigits || digits >= text.size() || text[digits] != ':') {
    return false;
  }
  if (digits + 1 < text.size() && text[digits + 1] != ' ') return false;
  line.process = text.substr(0, digits);
  line.one_job = true;
  line.text = text.substr(std::min(digits + 2, text.size()));
  return true;
}

// "nccl-worker-1  | " of docker compose.
bool cut_compose(TaggedLine& line) {
  const std::size_t bar = line.text.substr(0, kLongestTag).find(" | ");
  if (bar == std::string_view::npos) return false;
  std::string_view name = line.text.substr(0, bar);
  name = name.substr(0, name.find(' '));
  const bool letter = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  const std::string_view between = line.text.substr(name.size(), bar - name.size());
  if (!letter || between.find_first_not_of(' ') != std::string_view::npos) return false;
  line.process = name;
  line.text.remove_prefix(bar + 3);
  return true;
}

}  // namespace

TaggedLine without_tag(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  TaggedLine result{{}, false, line};
  for (int tags = 0; tags < kMostTags && !result.text.empty(); ++tags) {
    // Most lines are rows or comments: of the tags only srun's begins with a blank, none with '#'.
    const char first = result.text.front();
    if (first == '#' || (first == ' ' && !cut_srun(result))) break;
    if (first == ' ') continue;
    if (!cut_mpirun(result) && !cut_stamp(result) && !cut_bracketed(result) && !cut_srun(result) &&
        !cut_compose(result)) {
      break;
    }
  }
  return result;
}

}  // namespace nccl_sweep
