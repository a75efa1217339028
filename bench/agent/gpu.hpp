// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPUs of this node as the driver's files in /proc and /sys list them, and which of them a
// worker will open. No CUDA call and no device is opened: agents never hold a GPU. `root` is "/",
// in tests a folder that looks like it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/environment.hpp"

namespace nccl_sweep::agent {

struct Gpu {
  std::string bus_id;      // "0000:19:00.0"
  std::string model;       // "NVIDIA H200"
  std::string uuid;        // "GPU-..."
  std::string local_cpus;  // "0-31,64-95"; empty where the system does not say
};

// In the order of the bus, which is CUDA's among equal GPUs.
std::vector<Gpu> driver_gpus(const std::filesystem::path& root);

// The GPUs that a process with this environment sees, in CUDA's order.
struct VisibleGpus {
  std::vector<Gpu> gpus;
  std::string unknown_because;  // where the files do not tell the order; `gpus` is empty then
};
VisibleGpus visible_gpus(const std::vector<Gpu>& all, const Variables& environment);

// How many there are, which CUDA_VISIBLE_DEVICES tells also where the order is unknown.
int visible_count(const std::vector<Gpu>& all, const Variables& environment);

}  // namespace nccl_sweep::agent
