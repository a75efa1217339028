// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/child.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

Error cannot_start(const std::string& program, const std::string& what, int error) {
  return environment_error(fmt::format("cannot start the worker: {}: {}", what, strerror(error)),
                           program, "it is installed beside nccl-sweep; see --worker");
}

// An unlinked file: whatever a worker writes disappears with it, also after a crash of ours.
int open_log() {
  const char* folder = std::getenv("TMPDIR");
  std::string name = fmt::format("{}/nccl-sweep-XXXXXX", folder != nullptr ? folder : "/tmp");
  const int fd = mkostemp(name.data(), O_CLOEXEC | O_APPEND);
  if (fd < 0) {
    throw environment_error(fmt::format("no temporary file for worker output: {}", strerror(errno)),
                            name, "set TMPDIR to a writable node-local folder");
  }
  unlink(name.c_str());
  return fd;
}

// Sets this thread's CPU mask while in scope: a spawned process inherits it.
class ScopedCpus {
 public:
  explicit ScopedCpus(const std::vector<int>& cpus) {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int cpu : cpus) CPU_SET(cpu, &wanted);
    // Without a list: everything; the kernel cuts it to what the job may use. Launchers bind small
    // jobs to one core, and a worker's service threads would share it.
    if (cpus.empty()) std::memset(&wanted, 0xff, sizeof(wanted));
    sched_setaffinity(0, sizeof(wanted), &wanted);
  }
  ScopedCpus(const ScopedCpus&) = delete;
  ScopedCpus& operator=(const ScopedCpus&) = delete;
  ~ScopedCpus() { sched_setaffinity(0, sizeof(before_), &before_); }

 private:
  cpu_set_t before_{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

class SpawnActions {
 public:
  SpawnActions(int socket, int log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, log, 1);
    posix_spawn_file_actions_adddup2(&actions_, log, 2);
    posix_spawn_file_actions_adddup2(&actions_, socket, wire::kWorkerSocket);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
    posix_spawn_file_actions_addclosefrom_np(&actions_, wire::kWorkerSocket + 1);
#else
    const long limit = std::min(sysconf(_SC_OPEN_MAX), 4096L);
    for (int fd = wire::kWorkerSocket + 1; fd < limit; ++fd) {
      if (fcntl(fd, F_GETFD) != -1) posix_spawn_file_actions_addclose(&actions_, fd);
    }
#endif
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;  // what the agent handles or ignores must not be inherited
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD, SIGHUP}) {
      sigaddset(&defaults, signal);
    }
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::string describe(const ChildExit& exit) {
  if (!exit.signalled) return fmt::format("exited with status {}", exit.code);
  return fmt::format("killed by signal {} ({})", exit.code, strsignal(exit.code));
}

Child::Child(const ChildCommand& command) {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw cannot_start(command.program.string(), "socketpair", errno);
  }
  channel_ = wire::Channel(sockets[0]);
  // dup2 onto itself would keep close-on-exec, so the worker's end must not have that number.
  int worker_end = sockets[1];
  if (worker_end <= wire::kWorkerSocket) {
    worker_end = fcntl(sockets[1], F_DUPFD_CLOEXEC, wire::kWorkerSocket + 1);
    close(sockets[1]);
  }
  try {
    log_ = open_log();
  } catch (...) {
    close(worker_end);
    throw;
  }
  const SpawnActions spawn(worker_end, log_);
  std::vector<std::string> arguments{command.program.string(), "--parent",
                                     fmt::format("{}", getpid())};
  std::vector<std::string> environment = command.environment;
  const ScopedCpus cpus(command.cpus);
  const int error = posix_spawn(&pid_, command.program.c_str(), spawn.actions(), spawn.attributes(),
                                pointers(arguments).data(), pointers(environment).data());
  close(worker_end);
  if (error != 0) {
    close(log_);
    pid_ = -1;
    throw cannot_start(command.program.string(), "exec", error);
  }
#ifdef SYS_pidfd_open
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
#endif
}

Child::~Child() {
  if (pid_ > 0 && !exit_) {
    signal_group(SIGKILL);
    // Bounded: a process in an uninterruptible call (a lost device or file system) does not die.
    for (int tries = 0; tries < 200 && !exited(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (pidfd_ >= 0) close(pidfd_);
  if (log_ >= 0) close(log_);
}

std::optional<ChildExit> Child::exited() {
  if (exit_ || pid_ <= 0) return exit_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_ = WIFSIGNALED(status) ? ChildExit{true, WTERMSIG(status)}
                              : ChildExit{false, WEXITSTATUS(status)};
  // What it may have started itself goes with it; the group id is still ours to name, because
  // nothing can take it while a member is left.
  kill(-pid_, SIGKILL);
  return exit_;
}

bool Child::stopped() const {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold blanks and brackets
  return name_end != std::string::npos && name_end + 2 < line.size() &&
         (line[name_end + 2] == 'T' || line[name_end + 2] == 't');
}

void Child::signal_group(int signal) const {
  if (pid_ <= 0 || exit_) return;
  if (kill(-pid_, signal) != 0) kill(pid_, signal);
}

std::int64_t Child::log_bytes() const {
  struct stat info {};
  return fstat(log_, &info) == 0 ? static_cast<std::int64_t>(info.st_size) : 0;
}

std::string Child::log_tail(std::int64_t bytes) const {
  const std::int64_t size = log_bytes();
  const std::int64_t start = std::max<std::int64_t>(0, size - bytes);
  std::string text(static_cast<std::size_t>(size - start), '\0');
  const ssize_t got = pread(log_, text.data(), text.size(), start);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace nccl_sweep::agent
