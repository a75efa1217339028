// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/device_lock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

std::filesystem::path default_folder() {
  const char* set = std::getenv("NCCL_SWEEP_LOCKS");
  return set != nullptr ? set : "/tmp";
}

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = pread(fd, text.data(), text.size() - 1, 0);
  return got > 0 ? fmt::format("process {}", std::atoi(text.data())) : "another process";
}

}  // namespace

DeviceLocks::DeviceLocks(std::filesystem::path folder)
    : folder_(folder.empty() ? default_folder() : std::move(folder)) {}

DeviceLocks::~DeviceLocks() {
  for (const auto& [device, fd] : held_) close(fd);
}

void DeviceLocks::take(const std::string& device) {
  if (held_.contains(device)) return;
  std::string name = device;
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path file = folder_ / fmt::format("nccl-sweep-{}.lock", name);
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) {
    throw environment_error(fmt::format("cannot open the lock of {}: {}", device, strerror(errno)),
                            file.string(), "set NCCL_SWEEP_LOCKS to a writable node-local folder");
  }
  fchmod(fd, 0666);  // other users' runs must be able to take it later; fails where not ours
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = holder_of(fd);
    close(fd);
    throw environment_error(fmt::format("{} is in use by {} of another run", device, holder),
                            file.string(), "wait for it, or choose other devices");
  }
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    // The lock holds all the same; only the message of the other run will be less exact.
  }
  held_.emplace(device, fd);
}

}  // namespace nccl_sweep::agent
