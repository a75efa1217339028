// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "agent/system_file.hpp"
#include "core/words.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;

bool all_of_one_model(const std::vector<Gpu>& gpus) {
  return std::all_of(gpus.begin(), gpus.end(),
                     [&](const Gpu& gpu) { return gpu.model == gpus.front().model; });
}

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) {
    std::erase_if(item, [](unsigned char c) { return std::isspace(c) != 0; });
    items.push_back(item);
  }
  return items;
}

// Position of "3" or "GPU-8932f9" (a beginning is enough) among the GPUs. CUDA reads a list up to
// the first item that names none.
std::optional<std::size_t> position_of(const std::string& item, const std::vector<Gpu>& all) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), index);
  if (error == std::errc{} && end == item.data() + item.size()) {
    return index < all.size() ? std::optional(index) : std::nullopt;
  }
  const auto named = [&](const Gpu& gpu) { return lower_case(gpu.uuid).starts_with(lower_case(item)); };
  if (item.empty() || std::count_if(all.begin(), all.end(), named) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), named) - all.begin());
}

// Where Slurm confines a job to some GPUs of the node, CUDA counts these from 0, while the driver's
// files still list all. Equal lists mean the same GPUs either way.
bool confined_by_slurm(const std::vector<Gpu>& all, const Variables& environment) {
  for (const char* name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}) {
    const std::string list = value_or_empty(environment, name);
    if (list.empty()) continue;
    return items_of(list).size() < all.size() &&
           list != value_or_empty(environment, "CUDA_VISIBLE_DEVICES");
  }
  return false;
}

}  // namespace

std::vector<Gpu> driver_gpus(const fs::path& root) {
  std::vector<Gpu> gpus;
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(root / "proc/driver/nvidia/gpus", none)) {
    Gpu gpu;
    gpu.bus_id = lower_case(folder.path().filename().string());
    gpu.model = proc_value(folder.path() / "information", "Model");
    gpu.uuid = proc_value(folder.path() / "information", "GPU UUID");
    gpu.local_cpus = first_line(root / "sys/bus/pci/devices" / gpu.bus_id / "local_cpulist");
    gpus.push_back(std::move(gpu));
  }
  std::sort(gpus.begin(), gpus.end(),
            [](const Gpu& a, const Gpu& b) { return a.bus_id < b.bus_id; });
  return gpus;
}

VisibleGpus visible_gpus(const std::vector<Gpu>& all, const Variables& environment) {
  const auto chosen = environment.find("CUDA_VISIBLE_DEVICES");
  const std::string list = chosen == environment.end() ? std::string() : chosen->second;
  const bool by_number = list.find('-') == std::string::npos;  // UUIDs have dashes
  const bool bus_order = value_or_empty(environment, "CUDA_DEVICE_ORDER") == "PCI_BUS_ID";
  if (by_number && !all.empty() && !bus_order && !all_of_one_model(all)) {
    return {{}, "GPUs of several models, which CUDA orders by speed (CUDA_DEVICE_ORDER)"};
  }
  if (by_number && confined_by_slurm(all, environment)) {
    return {{}, "Slurm gives this job some of the node's GPUs, counted from 0"};
  }
  if (list.find("MIG") != std::string::npos) return {{}, "CUDA_VISIBLE_DEVICES names parts of GPUs"};
  if (chosen == environment.end()) return {all, {}};
  VisibleGpus visible;
  for (const std::string& item : items_of(list)) {
    const auto position = position_of(item, all);
    if (!position) break;
    visible.gpus.push_back(all[*position]);
  }
  return visible;
}

int visible_count(const std::vector<Gpu>& all, const Variables& environment) {
  const VisibleGpus visible = visible_gpus(all, environment);
  if (visible.unknown_because.empty()) return static_cast<int>(visible.gpus.size());
  const auto chosen = environment.find("CUDA_VISIBLE_DEVICES");
  return static_cast<int>(chosen == environment.end() ? all.size()
                                                      : items_of(chosen->second).size());
}

}  // namespace nccl_sweep::agent
