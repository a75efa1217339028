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

constexpr std::size_t kLongestFailure = 200;
constexpr std::size_t kMostLibraryText = std::size_t{8} << 20;  // NCCL may log every operation

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// How nccl-tests, launchers and batch systems say that it ended badly.
bool says_failure(std::string_view line) {
  constexpr std::array<std::string_view, 12> kWords{
      "Test NCCL failure",     "Test CUDA failure",      "Test HIP failure",
      "Test failure ",         "Invalid number of GPUs", "mpirun noticed that",
      "MPI_ABORT was invoked", "BAD TERMINATION OF",     "Segmentation fault",
      "srun: error:",          "CANCELLED AT",           "not a power of 2, skipping"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return contains(line, word); });
}

// "2.28.9" of "nccl-library=22809 ...", of a report's "nccl-library=2.28.9".
std::string library_version(std::string_view line) {
  const std::size_t at = line.find("ccl-library=");
  if (at == std::string_view::npos) return {};
  std::string_view value = line.substr(at + 12);
  value = value.substr(0, value.find(' '));
  const auto code = number_of<std::int64_t>(value);
  return code ? version_text(*code) : std::string(value.substr(0, 32));
}

std::string word_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trimmed(line.substr(at + label.size()));
  return std::string(rest.substr(0, rest.find(' ')));
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
  rows_after_end_ = false;
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
  launch.environment_known = true;
}

void LaunchText::take(std::string_view line, std::int64_t number) {
  const std::string_view text = trimmed(line);
  if (text.empty()) return;
  if (contains(text, " NCCL INFO ") || contains(text, " NCCL WARN ")) {
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
}

void LaunchText::take_failure(std::string_view line) {
  const std::string text(line.substr(0, kLongestFailure));
  if (!open_) {
    if (stray_failure_.empty()) stray_failure_ = text;
  } else if (!raw_.launch.finished && raw_.launch.failure.empty()) {
    raw_.launch.failure = text;
  }
}

void LaunchText::take_comment(std::string_view line, std::int64_t number) {
  if (contains(line, "-tests version ") || line.starts_with("# nccl-sweep version ")) {
    take_version(line, number);
  } else if (contains(line, "# Collective test starting:")) {
    open(starting, number);
    raw_.launch.program_name = word_after(line, "starting:");
  } else if (line.starts_with("# nThread ")) {
    open(parameters, number);
    take_parameters(line);
  } else if (contains(line, "out-of-place") || contains(line, "in-place")) {
    read_banner(line, banner_);
  } else if (TableLayout layout; read_header(line, layout)) {
    if (!open_ || raw_.launch.finished) {  // a table without anything above it
      finish();
      begin(number);
    }
    layout_ = layout;
    layout_.only = banner_.only;
  } else if (!open_) {
    return;
  } else if (contains(line, " Rank ") && contains(line, " on ")) {
    take_rank(line);
  } else if (contains(line, "Out of bounds values") || contains(line, "Avg bus bandwidth")) {
    take_footer(line);
  } else if (line.starts_with("# Blocking Enabled: ")) {
    const bool barrier = contains(line, "and barrier after each collective");
    raw_.launch.recipe.emplace_back(barrier ? "blocking with a barrier" : "blocking");
  } else if (line.starts_with("# error: ")) {
    const std::string_view error = trimmed(line.substr(9));
    if (raw_.launch.failure.empty()) raw_.launch.failure = error.substr(0, kLongestFailure);
  } else if (contains(line, "NCCL Tests compiled with NCCL")) {
    raw_.launch.program = "nccl-tests 1";
  }
}

void LaunchText::take_version(std::string_view line, std::int64_t number) {
  if (line.starts_with("# nccl-sweep version ")) {  // above all tables of a report
    finish();
    report_ = "nccl-sweep " + word_after(line, "version ");
    report_nccl_ = library_version(line);
    report_simulated_ = contains(line, " SIMULATED");
    return;
  }
  report_.clear();
  report_nccl_.clear();
  report_simulated_ = false;
  open(version, number);
  const std::string_view name = contains(line, "rccl-tests") ? "rccl-tests" : "nccl-tests";
  raw_.launch.program = fmt::format("{} {}", name, word_after(line, "-tests version "));
  raw_.launch.nccl = library_version(line);
}

void LaunchText::take_parameters(std::string_view line) {
  ImportedLaunch& launch = raw_.launch;
  const auto number = [&](std::string_view label, std::int64_t otherwise) {
    return std::max<std::int64_t>(0, number_after<std::int64_t>(line, label).value_or(otherwise));
  };
  launch.smallest = Bytes{number("minBytes", 0)};
  launch.largest = Bytes{number("maxBytes", 0)};
  launch.step = number("step:", 0);
  launch.step_is_factor = contains(line, "(factor)");
  const std::int64_t together = std::max<std::int64_t>(1, number("agg iters:", 1));
  const std::int64_t graphs = number("graph:", 0);
  // The first "iters:" is of the warm-up.
  const std::size_t warm_up = line.find("warmup iters:");
  const std::string_view rest = line.substr(warm_up == std::string_view::npos ? 0 : warm_up + 13);
  const std::int64_t iterations =
      std::max<std::int64_t>(0, number_after<std::int64_t>(rest, " iters:").value_or(0));
  constexpr std::int64_t kMost = 1000000000;
  const double operations = static_cast<double>(iterations) * static_cast<double>(together) *
                            static_cast<double>(std::max<std::int64_t>(1, graphs));
  launch.operations = static_cast<int>(std::min<double>(operations, kMost));
  launch.graph = graphs > 0;
  launch.recipe.clear();
  if (together > 1) launch.recipe.push_back(fmt::format("{} operations in a group", together));
  if (const auto shift = number("unalign:", 0); shift > 0) {
    launch.recipe.push_back(fmt::format("buffers shifted by {}", shift));
  }
}

// "#  Rank  0 Group  0 Pid  12345 on   hostname device  0 [0000:1b:00] NVIDIA H100 80GB HBM3";
// without Group before 2.13.4, without Pid in version 1.
void LaunchText::take_rank(std::string_view line) {
  ImportedRank rank;
  const auto number = number_after<int>(line, " Rank ");
  if (!number || *number < 0) return;
  rank.rank = *number;
  rank.group = number_after<int>(line, " Group ").value_or(0);
  rank.pid = number_after<std::int64_t>(line, " Pid ").value_or(0);
  rank.host = word_after(line, " on ");
  const std::size_t bus = line.find(" device ");
  const std::size_t close = bus == std::string_view::npos ? bus : line.find(']', bus);
  if (close != std::string_view::npos) rank.device = trimmed(line.substr(close + 1));
  raw_.launch.ranks.push_back(std::move(rank));
}

void LaunchText::take_footer(std::string_view line) {
  if (!open_) return;
  if (contains(line, "Out of bounds values")) {
    raw_.launch.wrong_data = raw_.launch.wrong_data || contains(line, "FAILED");
    return;
  }
  raw_.launch.finished = true;
  ++footers_;
}

void LaunchText::take_row(std::string_view line, std::int64_t number) {
  TableRow row = read_row(line, open_ ? layout_ : TableLayout{});
  if (row.kind == TableRow::Kind::none) return;
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
