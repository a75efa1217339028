// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_display.hpp"

#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "report/progress_line.hpp"

namespace nccl_sweep::cli {
namespace {

constexpr std::chrono::seconds kLogInterval{10};

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col - 1 : 100;
}

}  // namespace

ProgressDisplay::ProgressDisplay(const RunRecord& run)
    : run_(run), terminal_(isatty(STDERR_FILENO) != 0) {}

std::string ProgressDisplay::setting(const agent::Progress& progress) const {
  return name_of(setting_of(run_, progress.order.candidate));
}

void ProgressDisplay::show_failure(const agent::Progress& progress) {
  const TrialOutcome& trial = *progress.finished;
  const Failure& failure = *trial.failure;
  fmt::print(stderr, "{}trial {}  {}  {} in {}{}{}{}: {}{}\n", terminal_ ? "\r\033[K" : "",
             trial.order.index, setting(progress), to_string(trial.outcome),
             to_string(failure.phase),
             failure.rank >= 0 ? fmt::format(", rank {}", failure.rank) : "",
             failure.host.empty() ? "" : " on " + failure.host,
             failure.device.empty() ? "" : " (" + failure.device + ")", failure.message,
             failure.behind.empty() ? "" : ", " + failure.behind);
}

void ProgressDisplay::show(const agent::Progress& progress) {
  if (progress.finished != nullptr && progress.finished->failure) show_failure(progress);
  const auto now = std::chrono::steady_clock::now();
  const bool due = progress.label != last_label_ || now - last_shown_ > kLogInterval;
  if (!terminal_ && (progress.finished != nullptr || !due)) return;
  const ProgressState state{progress.done,
                            progress.planned,
                            progress.label,
                            setting(progress),
                            Seconds{progress.trial_seconds},
                            Seconds{progress.left_seconds},
                            progress.failed};
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", progress_line(state, terminal_columns()));
    std::fflush(stderr);
    return;
  }
  fmt::print(stderr, "{}\n", progress_line(state, 0));
  last_label_ = progress.label;
  last_shown_ = now;
}

void ProgressDisplay::finish() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace nccl_sweep::cli
