// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One run per device: a lock file per device name ("GPU-<uuid>") on this node, held until the run
// ends. A second run on the same device stops with a message instead of spoiling both.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace nccl_sweep::agent {

class DeviceLocks {
 public:
  // Lock files live in `folder`; default: $NCCL_SWEEP_LOCKS, else /tmp.
  explicit DeviceLocks(std::filesystem::path folder = {});
  DeviceLocks(const DeviceLocks&) = delete;
  DeviceLocks& operator=(const DeviceLocks&) = delete;
  ~DeviceLocks();

  // Takes the lock unless this object has it. Throws an environment Error that names the process
  // which holds it.
  void take(const std::string& device);

 private:
  std::filesystem::path folder_;
  std::map<std::string, int> held_;
};

}  // namespace nccl_sweep::agent
