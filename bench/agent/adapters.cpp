// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/adapters.hpp"

#include <fmt/format.h>

#include "agent/system_file.hpp"

namespace nccl_sweep::agent {

namespace fs = std::filesystem;

std::map<std::string, std::string> active_adapters(const fs::path& root) {
  std::map<std::string, std::string> adapters;
  std::error_code none;
  for (const auto& device : fs::directory_iterator(root / "sys/class/infiniband", none)) {
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none)) {
      if (first_line(port.path() / "state").find("ACTIVE") == std::string::npos) continue;
      const std::string rate = first_line(port.path() / "rate");  // "400 Gb/sec (4X NDR)"
      const bool ethernet = first_line(port.path() / "link_layer") == "Ethernet";
      adapters[fmt::format("{}:{}", device.path().filename().string(),
                           port.path().filename().string())] =
          fmt::format("{} {} Gb/s", ethernet ? "RoCE" : "IB", rate.substr(0, rate.find(' ')));
    }
  }
  return adapters;
}

}  // namespace nccl_sweep::agent
