// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Loaded before libc by LD_PRELOAD: a disk that is slow to confirm what was written, or in the end
// does not, as NFS and quotas do. DISK_SECONDS before each fdatasync; the one numbered DISK_FAILS
// (from 0) and all later ones fail with DISK_ERROR, a number of errno.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

namespace {

double number(const char* name, double unset) {
  const char* value = std::getenv(name);
  return value == nullptr ? unset : std::atof(value);
}

}  // namespace

extern "C" int fdatasync(int descriptor) {
  static std::atomic<int> calls{0};
  usleep(static_cast<useconds_t>(number("DISK_SECONDS", 0) * 1e6));
  if (calls++ < number("DISK_FAILS", 1e9)) return fsync(descriptor);
  errno = static_cast<int>(number("DISK_ERROR", EIO));
  return -1;
}
