// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One worker process as its agent holds it: spawned with a controlled environment into a process
// group of its own, a socket on a fixed descriptor, stdout and stderr in an unlinked file. It dies
// with its agent. Knows nothing of trials.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wire/channel.hpp"

namespace nccl_sweep::agent {

struct ChildCommand {
  std::filesystem::path program;
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::vector<int> cpus;                 // CPU mask; empty: all that the machine allows
};

struct ChildExit {
  bool signalled = false;
  int code = 0;  // exit status or signal number
};
std::string describe(const ChildExit&);  // "killed by signal 9 (Killed)", "exited with status 1"

class Child {
 public:
  // Throws an environment Error where the program cannot be started.
  explicit Child(const ChildCommand&);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills the group and reaps

  int pid() const { return pid_; }
  int pid_descriptor() const { return pidfd_; }  // readable when it has exited; -1 on old kernels
  wire::Channel& channel() { return channel_; }

  std::optional<ChildExit> exited();  // reaps without blocking
  bool stopped() const;               // SIGSTOPped or traced (state T in /proc)
  void signal_group(int signal) const;

  std::int64_t log_bytes() const;
  std::string log_tail(std::int64_t bytes) const;

 private:
  int pid_ = -1;
  int pidfd_ = -1;
  int log_ = -1;
  std::optional<ChildExit> exit_;
  wire::Channel channel_{-1};
};

}  // namespace nccl_sweep::agent
