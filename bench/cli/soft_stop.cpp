// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/soft_stop.hpp"

#include <csignal>
#include <initializer_list>

namespace nccl_sweep::cli {
namespace {

bool volatile stop_requested = false;

void request_stop(int) { stop_requested = true; }

}  // namespace

const bool volatile* install_soft_stop() {
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    if (signal == SIGINT) action.sa_flags |= static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  // Inherited as ignored it would make every exited worker vanish before it can be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  return &stop_requested;
}

}  // namespace nccl_sweep::cli
