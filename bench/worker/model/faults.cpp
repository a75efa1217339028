// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/model/faults.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "wire/channel.hpp"
#include "worker/backend.hpp"

namespace nccl_sweep::worker {
namespace {

// About 4 MB/s: no limit stops it, but nor does it fill a disk before somebody looks.
[[noreturn]] void flood_stdout() {
  const std::string line = std::string(4095, 'x') + "\n";
  for (;;) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

[[noreturn]] void flood_frames() {
  wire::Channel channel(::dup(wire::kWorkerSocket));
  for (int order = 0;; ++order) channel.send(wire::Progress{0, "flood", order % 1'000'000});
}

void write_garbage(AbortSignal& aborted) {
  constexpr std::string_view kJunk = "Segmentation fault (just kidding)\n";
  ::send(wire::kWorkerSocket, kJunk.data(), kJunk.size(), MSG_NOSIGNAL);
  aborted.wait();  // stay alive: the junk itself must be noticed, not the death after it
}

}  // namespace

void AbortSignal::raise() noexcept {
  const std::lock_guard lock(mutex_);
  raised_ = true;
  changed_.notify_all();
}
void AbortSignal::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return raised_; });
}

void commit(const ModelFault& fault, AbortSignal& aborted) {
  switch (fault.kind) {
    case ModelFaultKind::slow:
    case ModelFaultKind::wrong_data:
      return;
    case ModelFaultKind::hang:
      aborted.wait();
      throw PeerLost("planted hang, aborted");
    case ModelFaultKind::stuck:
      ::raise(SIGSTOP);
      return;
    case ModelFaultKind::crash:
      std::abort();
    case ModelFaultKind::exit:
      ::_exit(3);
    case ModelFaultKind::garbage:
      write_garbage(aborted);
      throw PeerLost("planted garbage, aborted");
    case ModelFaultKind::flood:
      flood_stdout();
    case ModelFaultKind::flood_frames:
      flood_frames();
    case ModelFaultKind::error:
      throw std::runtime_error("planted error");
    case ModelFaultKind::unsupported:
      throw Unsupported("planted: not supported here");
  }
}

}  // namespace nccl_sweep::worker
