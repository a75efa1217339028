// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/placement.hpp"

#include <set>

#include "cli/fabric.hpp"

namespace nccl_sweep::cli {
namespace {

// The first that is set. Slurm's templates say it where the container's runtime does not.
std::string container_image(const agent::Variables& environment) {
  for (const char* name : {"NCCL_SWEEP_CONTAINER", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"}) {
    const auto found = environment.find(name);
    if (found != environment.end() && !found->second.empty()) return found->second;
  }
  return {};
}

}  // namespace

std::string rank_order(const std::vector<agent::Machine>& machines) {
  std::set<std::string> hosts;
  std::size_t changes = 1;  // of host, from rank to rank
  for (std::size_t i = 0; i < machines.size(); ++i) {
    hosts.insert(machines[i].host);
    if (i > 0 && machines[i].host != machines[i - 1].host) ++changes;
  }
  if (hosts.size() == machines.size()) return {};
  if (changes == hosts.size()) return "block";
  return changes == machines.size() ? "cyclic" : "mixed";
}

std::map<std::string, std::string> placement_of(const std::vector<agent::Machine>& machines,
                                                const agent::Variables& environment) {
  std::map<std::string, std::string> placement;
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_RESTART_COUNT",
        "SLURM_CLUSTER_NAME", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES",
        "SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) placement[name] = found->second;
  }
  const std::map<std::string, std::string> found{
      {"switches", switches_text(switches_of(machines))},
      {"rank_order", rank_order(machines)},
      {"container_image", container_image(environment)}};
  for (const auto& [name, text] : found) {
    if (!text.empty()) placement[name] = text;
  }
  return placement;
}

}  // namespace nccl_sweep::cli
