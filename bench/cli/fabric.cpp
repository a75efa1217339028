// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/fabric.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/hash.hpp"

namespace nccl_sweep::cli {
namespace {

// "NVIDIA H200" -> "h200", "AMD EPYC 9554 64-Core Processor" -> "amd-epyc-9554".
std::string slug(std::string_view text) {
  if (text.starts_with("NVIDIA ")) text.remove_prefix(7);
  std::string result;
  int words = 0;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '-') {
      constexpr int kMostWords = 3;
      if (++words == kMostWords) break;
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unknown" : result;
}

std::string fingerprint_of(const Fabric& fabric, int ranks) {
  return fmt::format("{:016x}", fnv1a(fmt::format("{}|{}|{}|{}|{}", fabric.name, fabric.device,
                                                  fabric.nodes, fabric.ranks_per_node, ranks)));
}

void simulated_fabric(Fabric& fabric, const ModelFile& model, int ranks) {
  fabric.name = "model-" + slug(model.name);
  fabric.device = "SIMULATED: " + model.description;
  fabric.ranks_per_node = std::clamp(model.ranks_per_node, 1, ranks);
  fabric.nodes = (ranks + fabric.ranks_per_node - 1) / fabric.ranks_per_node;
  fabric.hosts.clear();
}

}  // namespace

Fabric fabric_of(const std::string& backend, const std::vector<agent::Machine>& machines,
                 const agent::Layout& layout, int ranks, const ModelFile* model) {
  Fabric fabric;
  const agent::Machine& first = machines.front();
  fabric.nodes = layout.nodes();
  fabric.ranks_per_node = layout.local_size(0);
  for (const agent::Machine& machine : machines) {
    if (std::find(fabric.hosts.begin(), fabric.hosts.end(), machine.host) == fabric.hosts.end()) {
      fabric.hosts.push_back(machine.host);
    }
  }
  if (!first.driver.empty()) fabric.versions["driver"] = first.driver;
  fabric.versions["kernel"] = first.kernel;
  if (model != nullptr) {
    simulated_fabric(fabric, *model, ranks);
  } else {
    const bool gpus = backend == "nccl" && !first.gpus.empty();
    fabric.device = gpus ? first.gpus.front() : first.cpu;
    fabric.name = fmt::format("{}{}-{}x{}", gpus ? "" : "host-", slug(fabric.device), fabric.nodes,
                              fabric.ranks_per_node);
  }
  fabric.fingerprint = fingerprint_of(fabric, ranks);
  return fabric;
}

}  // namespace nccl_sweep::cli
