// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/fabric.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nccl_sweep::cli {
namespace {

void simulated_fabric(Fabric& fabric, const ModelFile& model, int ranks) {
  fabric.name = "model-" + short_name(model.name);
  fabric.device = "SIMULATED: " + model.description;
  fabric.ranks_per_node = std::clamp(model.ranks_per_node, 1, ranks);
  fabric.nodes = (ranks + fabric.ranks_per_node - 1) / fabric.ranks_per_node;
  fabric.hosts.clear();
  fabric.span = fabric.nodes == 1 ? "node" : "";
}

}  // namespace

SwitchesOfHost switches_of(const std::vector<agent::Machine>& machines) {
  SwitchesOfHost switches;
  for (const agent::Machine& machine : machines) switches[machine.host] = machine.switches;
  return switches;
}

Fabric fabric_of(const std::string& backend, const std::vector<agent::Machine>& machines,
                 const agent::Layout& layout, int ranks, const ModelFile* model) {
  Fabric fabric;
  const agent::Machine& first = machines.front();
  fabric.nodes = layout.nodes();
  fabric.ranks_per_node = layout.local_size(0);
  fabric.ranks = ranks;
  for (const agent::Machine& machine : machines) {
    if (std::find(fabric.hosts.begin(), fabric.hosts.end(), machine.host) == fabric.hosts.end()) {
      fabric.hosts.push_back(machine.host);
    }
  }
  fabric.span = span_of(switches_of(machines));
  if (!first.driver.empty()) fabric.versions["driver"] = first.driver;
  fabric.versions["kernel"] = first.kernel;
  if (model != nullptr) {
    simulated_fabric(fabric, *model, ranks);
  } else {
    const bool gpus = backend == "nccl" && !first.gpus.empty();
    fabric.device = gpus ? first.gpus.front() : first.cpu;
    if (gpus) fabric.adapters = first.adapters;
    fabric.name = gpus ? gpu_fabric_name(fabric)
                       : fmt::format("host-{}-{}x{}", short_name(fabric.device), fabric.nodes,
                                     fabric.ranks_per_node);
  }
  fabric.fingerprint = fingerprint_of(fabric);
  return fabric;
}

}  // namespace nccl_sweep::cli
