// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/launch_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "evidence/nccl_log.hpp"
#include "importing/words.hpp"

namespace nccl_sweep {
namespace {

constexpr std::size_t kMostLibraryText = std::size_t{8} << 20;  // NCCL may log every operation

// "host:17:17 [0] NCCL INFO ...". Looked for by its rarest letters: rows are full of blanks.
bool is_library_line(std::string_view line) {
  for (std::size_t at = line.find("NCCL "); at != std::string_view::npos;
       at = line.find("NCCL ", at + 1)) {
    const std::string_view rest = line.substr(at + 5);
    const bool word = at > 0 && line[at - 1] == ' ';
    if (word && (rest.starts_with("INFO ") || rest.starts_with("WARN "))) return true;
  }
  return false;
}

template <std::size_t N>
bool has_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains(line, word); });
}

// How launchers and batch systems say that it ended badly. They also complain of other things.
bool is_launcher_failure(std::string_view line) {
  constexpr std::array<std::string_view, 6> kWords{"mpirun noticed that", "MPI_ABORT was invoked",
                                                   "BAD TERMINATION OF",  "Segmentation fault",
                                                   "srun: error:",        "CANCELLED AT"};
  return has_any(line, kWords);
}

bool says_failure(std::string_view line) {
  constexpr std::array<std::string_view, 6> kWords{
      "Test NCCL failure", "Test CUDA failure",      "Test HIP failure",
      "Test failure ",     "Invalid number of GPUs", "not a power of 2, skipping"};
  return has_any(line, kWords) || is_launcher_failure(line);
}

}  // namespace

void LaunchText::begin(std::int64_t number) {
  raw_ = RawLaunch{};
  raw_.launch.file = file_;
  raw_.launch.line = number;
  raw_.launch.program = report_;
  raw_.launch.nccl = report_nccl_;
  raw_.launch.simulated = report_simulated_;
  layout_ = TableLayout{};
  std::fill(std::begin(openings_), std::end(openings_), 0);
  footers_ = torn_rows_ = strange_rows_ = odd_numbers_ = 0;
  begun_.clear();
  torn_.clear();
  library_lines_.clear();
  unknown_columns_.clear();
  rows_after_end_ = launcher_failed_ = info_logged_ = false;
  open_ = true;
}

// A launch prints each of its opening lines once. One more of a kind is the next launch, or, before
// there was any row, another program beside it or one that died at once.
void LaunchText::open(Opening what, std::int64_t number) {
  const bool used = open_ && (openings_[what] > 0 || !raw_.launch.timings.empty());
  if (used && (!raw_.launch.timings.empty() || !raw_.launch.failure.empty() || footers_ > 0)) {
    finish();
  }
  if (!open_) begin(number);
  const int most = *std::max_element(std::begin(openings_), std::end(openings_));
  if (++openings_[what] > most) {
    begun_.push_back(number);
    raw_.launch.ranks.clear();
  }
}

// Programs that print over each other show each row and the end several times.
bool LaunchText::side_by_side() const {
  if (footers_ > 1 || rows_after_end_) return true;
  if (begun_.size() < 2 || raw_.launch.timings.empty()) return false;
  const ImportedTiming& first = raw_.launch.timings.front();
  const auto same = [&](const ImportedTiming& t) {
    return t.size == first.size && t.count == first.count && t.dtype == first.dtype &&
           t.op == first.op && t.placement == first.placement;
  };
  return std::count_if(raw_.launch.timings.begin(), raw_.launch.timings.end(), same) > 1;
}

void LaunchText::finish() {
  if (!open_) return;
  open_ = false;
  ImportedLaunch& launch = raw_.launch;
  if (!torn_.empty()) ++torn_rows_;
  if (side_by_side()) {
    raw_.copies = std::max({2, footers_, static_cast<int>(begun_.size())});
  } else {
    for (std::size_t i = 0; i + 1 < begun_.size(); ++i) {
      RawLaunch dead;
      dead.launch.file = file_;
      dead.launch.line = begun_[i];
      dead.launch.program_name = launch.program_name;
      dead.launch.failure = "it ended before its first row";
      done_.push_back(std::move(dead));
    }
    if (begun_.size() > 1) launch.line = begun_.back();
  }
  const auto count = [&](int number, std::string_view what) {
    if (number > 0) launch.notes.push_back(fmt::format("{}: {}", what, number));
  };
  count(torn_rows_, "rows cut off or printed into");
  count(strange_rows_, "rows of redop mulsum");
  count(odd_numbers_, "times that are no number");
  if (!unknown_columns_.empty()) {
    launch.notes.push_back("columns that are not known: " + unknown_columns_);
  }
  if (layout_.width == kWidthPerIteration) launch.recipe.emplace_back(kPerIteration);
  if (!library_lines_.empty()) read_facts();
  done_.push_back(std::move(raw_));
}

void LaunchText::read_facts() {
  std::istringstream lines(library_lines_);
  ImportedLaunch& launch = raw_.launch;
  launch.facts = evidence::read_nccl_log(lines);
  for (const Fact& fact : launch.facts) {
    if (fact.kind == FactKind::variable && may_be_kept(fact.subject)) {
      launch.environment[fact.subject] = fact.value;
    }
    const bool library = fact.kind == FactKind::version && fact.subject == "nccl";
    if (library && launch.nccl.empty()) launch.nccl = fact.value.substr(0, fact.value.find('+'));
  }
  launch.environment_known = info_logged_;  // at a lower level it does not name what it reads
}

void LaunchText::take(std::string_view line, std::int64_t number) {
  const std::string_view text = trimmed(line);
  if (text.empty()) return;
  if (is_library_line(text)) {
    take_library_line(text);
    // A piece of a row may stand before it, on the same line.
    const std::string_view rest = torn_.empty() ? std::string_view() : rest_of_row(text);
    if (!rest.empty()) {
      take_row(std::exchange(torn_, {}) + "  " + std::string(rest), number);
    } else if (open_) {
      take_row(line, number);
    }
  } else if (says_failure(text)) {
    take_failure(text);
  } else if (text.front() == '#') {
    take_comment(text, number);
  } else if (contains(text, "Out of bounds values") || contains(text, "Avg bus bandwidth")) {
    take_footer(text);  // without a '#' in version 1
  } else if (text.starts_with("rccl-tests: Version")) {
    if (open_) raw_.launch.program = "rccl-tests " + word_after(text, "Version");
  } else if (text.starts_with("RCCL version")) {
    if (open_ && raw_.launch.nccl.empty()) raw_.launch.nccl = word_after(text, ":");
  } else if (text.starts_with("NCCL version ")) {  // at levels below INFO, "2.19.3+cuda12.3"
    const std::string told = word_after(text, "version ");
    if (open_ && raw_.launch.nccl.empty()) raw_.launch.nccl = told.substr(0, told.find('+'));
  } else if (!torn_.empty() && !rest_of_row(text).empty()) {
    take_row(std::exchange(torn_, {}) + "  " + std::string(text), number);
  } else {
    take_row(line, number);
  }
}

void LaunchText::take_library_line(std::string_view line) {
  if (!open_ || library_lines_.size() > kMostLibraryText) return;
  library_lines_ += line;
  library_lines_ += '\n';
  info_logged_ = info_logged_ || contains(line, "NCCL INFO ");
}

void LaunchText::take_failure(std::string_view line) {
  const std::string text(line.substr(0, kLongestFailure));
  if (!open_) {
    if (stray_failure_.empty()) stray_failure_ = text;
  } else if (!raw_.launch.finished && raw_.launch.failure.empty()) {
    raw_.launch.failure = text;
    launcher_failed_ = is_launcher_failure(line);
  }
}

void LaunchText::take_row(std::string_view line, std::int64_t number) {
  TableRow row = read_row(line, open_ ? layout_ : TableLayout{});
  if (row.kind == TableRow::Kind::none || (open_ && !unknown_columns_.empty())) return;
  if (!open_) begin(number);
  rows_after_end_ = rows_after_end_ || raw_.launch.finished;
  if (!torn_.empty()) ++torn_rows_;
  torn_.clear();
  switch (row.kind) {
    case TableRow::Kind::partial:
      torn_ = row.text;
      return;
    case TableRow::Kind::strange:
      ++strange_rows_;
      return;
    default:
      odd_numbers_ += row.odd_number ? 1 : 0;
      raw_.launch.timings.insert(raw_.launch.timings.end(), row.timings.begin(), row.timings.end());
  }
}

}  // namespace nccl_sweep
