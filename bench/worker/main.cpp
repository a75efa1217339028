// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// nccl-sweep-worker: one process per GPU and trial, started by nccl-sweep with a socket on
// descriptor 3. Links neither MPI nor a driver.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "worker/session.hpp"

namespace {

// The kernel kills this process when its agent dies; the agent may have died before the call, and
// then the parent is another process (init or a subreaper), so it is compared with what was passed.
bool tie_to_parent(std::string_view pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int wanted = 0;
  const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), wanted);
  return error == std::errc{} && end == pid.data() + pid.size() && ::getppid() == wanted;
}

bool is_socket(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--version") {
    fmt::print("nccl-sweep-worker {}\n", NCCL_SWEEP_VERSION);
    return 0;
  }
  if (option == "--parent" && argc == 3 && !tie_to_parent(argv[2])) return 1;
  if (option != "--parent" || argc != 3 || !is_socket(nccl_sweep::wire::kWorkerSocket)) {
    fmt::print(stderr,
               "nccl-sweep-worker: started by nccl-sweep, not by hand; see nccl-sweep run\n");
    return 2;
  }
  const int code =
      nccl_sweep::worker::run_session(nccl_sweep::wire::Channel(nccl_sweep::wire::kWorkerSocket));
  std::fflush(nullptr);
  ::_exit(code);  // without destructors: a thread still reads
}
