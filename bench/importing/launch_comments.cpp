// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines that begin with '#': where a launch begins, what it was asked for, who takes part, how
// it ended.
#include <fmt/format.h>

#include <algorithm>

#include "importing/launch_text.hpp"
#include "importing/words.hpp"

namespace nccl_sweep {
namespace {

// "2.28.9" of "nccl-library=22809 ...", of a report's "nccl-library=2.28.9".
std::string library_version(std::string_view line) {
  const std::size_t at = line.find("ccl-library=");
  if (at == std::string_view::npos) return {};
  std::string_view value = line.substr(at + 12);
  value = value.substr(0, value.find(' '));
  const auto code = number_of<std::int64_t>(value);
  return code ? version_text(*code) : std::string(value.substr(0, 32));
}

}  // namespace

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
    unknown_columns_.clear();
  } else if (is_header(line)) {
    if (!open_ || raw_.launch.finished) {
      finish();
      begin(number);
    }
    unknown_columns_ = line.substr(0, kLongestFailure);
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
  // The program came to its end: what a launcher said before was of something else.
  if (launcher_failed_) {
    raw_.launch.notes.push_back("before it ended well a launcher said: " + raw_.launch.failure);
    raw_.launch.failure.clear();
    launcher_failed_ = false;
  }
  raw_.launch.finished = true;
  ++footers_;
}

}  // namespace nccl_sweep
