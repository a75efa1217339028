// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/soft_stop.hpp"

#include <csignal>

namespace nccl_sweep::cli {
namespace {

bool volatile stop_requested = false;

agent::LauncherSignals of_launcher;

void request_stop(int signal) {
  if (signal == SIGTERM && of_launcher.may_end_run()) of_launcher.ended = true;
  stop_requested = true;
}

void note_continued(int) { of_launcher.continued = agent::steady_seconds(); }

void handle(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(flags);
  sigaction(signal, &action, nullptr);
}

}  // namespace

const agent::LauncherSignals& launcher_signals() { return of_launcher; }

const bool volatile* install_soft_stop() {
  handle(SIGUSR1, request_stop, SA_RESTART);
  handle(SIGTERM, request_stop, SA_RESTART);
  handle(SIGINT, request_stop, SA_RESTART | SA_RESETHAND);
  handle(SIGCONT, note_continued, SA_RESTART);
  // Inherited as ignored it would make every exited worker vanish before it can be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  return &stop_requested;
}

}  // namespace nccl_sweep::cli
