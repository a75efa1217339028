// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/placement.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/fabric.hpp"
#include "core/error.hpp"

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

WorkerPlaces worker_places(const std::vector<int>& node_of_rank,
                           const std::vector<agent::Machine>& machines) {
  WorkerPlaces places{node_of_rank, {}};
  std::set<std::string> hosts;
  for (const agent::Machine& machine : machines) {
    if (hosts.insert(machine.host).second) places.leaf_of_node.push_back(leaf_of(machine.switches));
  }
  return places;
}

void order_ranks(agent::Setup& setup, const SweepPlan& plan, const WorkerPlaces& places) {
  std::vector<RankOrder> orders;
  for (const Candidate& candidate : setup.candidates) {
    const RankOrder order = rank_order_of(candidate);
    const auto found = std::ranges::find(orders, order);
    setup.reordering.push_back(order.as_launched() ? -1
                                                   : static_cast<int>(found - orders.begin()));
    if (order.as_launched() || found != orders.end()) continue;
    orders.push_back(order);
    std::vector<Partition>& partitions = setup.reordered.emplace_back();
    for (const GroupShape& shape : plan.shapes) {
      partitions.push_back(partition_in_order(shape, order, places));
    }
  }
}

void check_switches(const PreparedRun& run, const std::vector<agent::Machine>& machines) {
  const bool asked = std::ranges::any_of(run.setup.candidates, [](const Candidate& candidate) {
    return !rank_order_of(candidate).nodes.empty();
  });
  if (!asked || leaves_known(worker_places(run.setup.layout.node_of_rank(), machines))) return;
  const auto silent = std::ranges::find(machines, "", &agent::Machine::switches);
  throw environment_error(
      fmt::format("{} orders nodes by their leaf switch, and that of {} is not known", kNodeOrder,
                  silent == machines.end() ? machines.front().host : silent->host),
      run.spec.name,
      "Slurm says it (SLURM_TOPOLOGY_ADDR) where topology/tree is set up; else set "
      "SLURMD_NODENAME=NODE and SLURM_TOPOLOGY_ADDR=SWITCH.NODE on each");
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
