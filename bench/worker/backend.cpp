// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/backend.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace nccl_sweep::worker {

std::int64_t arena_bytes(const wire::Request& request) {
  std::int64_t bytes = request.arena.value;
  for (const auto& item : request.cases) bytes = std::max(bytes, item.what.size.value);
  return bytes;
}

double Backend::cpu_seconds() const {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Backend::LoadTimes Backend::time_load(const Case&, int, const std::string& kind, int) {
  throw Unsupported("this backend has no load kernel '" + kind + "'");
}

}  // namespace nccl_sweep::worker
