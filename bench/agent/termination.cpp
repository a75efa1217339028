// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/termination.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

namespace nccl_sweep::agent {
namespace {

constexpr double kTermGrace = 1;

bool all_gone(const std::vector<std::unique_ptr<WorkerLink>>& workers, double seconds) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const bool gone = std::all_of(workers.begin(), workers.end(), [](const auto& worker) {
      return worker->child().exited().has_value();
    });
    if (gone || clock::now() > end) return gone;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

void terminate(const std::vector<std::unique_ptr<WorkerLink>>& workers, double abort_grace,
               int agent) {
  for (const auto& worker : workers) {
    if (worker->child().stopped()) worker->child().signal_group(SIGKILL);
    try {
      worker->child().channel().send(wire::Abort{}, 0.1);
    } catch (const std::exception&) {
      // Dead, or not reading any more: the signals below are for it.
    }
  }
  if (all_gone(workers, abort_grace)) return;
  for (const auto& worker : workers) worker->child().signal_group(SIGTERM);
  if (all_gone(workers, kTermGrace)) return;
  for (const auto& worker : workers) worker->child().signal_group(SIGKILL);
  if (!all_gone(workers, kReapPatience)) {
    throw NodeLost(agent, "a worker there does not even die of SIGKILL");
  }
}

}  // namespace nccl_sweep::agent
