// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be known of a run before anything is timed: files that NCCL will read, variables that
// are set, what differs between nodes, and the CPUs that the workers get. No worker is started for
// it.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/cpu_binding.hpp"
#include "agent/parity.hpp"
#include "cli/sweep_setup.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::cli {
namespace {

using Hosts = std::map<std::string, std::vector<std::string>>;

void check_cpu_list(const std::string& list, const std::vector<agent::Machine>& machines) {
  if (list == kGpuLocal || list == "all") return;
  std::vector<int> wanted = parse_cpu_list(list);
  std::sort(wanted.begin(), wanted.end());
  for (const agent::Machine& machine : machines) {
    if (machine.allowed_cpus.empty()) continue;
    const std::vector<int> allowed = parse_cpu_list(machine.allowed_cpus);
    std::vector<int> both;
    std::ranges::set_intersection(wanted, allowed, std::back_inserter(both));
    if (both.empty()) {
      throw usage_error(fmt::format("cpu_bind={}: none of these CPUs may be used on {}", list,
                                    machine.host),
                        {}, fmt::format("this job may use {}", machine.allowed_cpus));
    }
  }
}

// "0-31 32-63 on all ranks": the workers' masks by local rank.
std::string masks_text(const PreparedRun& run, const std::vector<agent::Machine>& machines) {
  const agent::Layout& layout = run.setup.layout;
  std::map<std::string, std::vector<std::string>> of_host;
  for (std::size_t agent = 0; agent < machines.size(); ++agent) {
    const int first = layout.first_rank(static_cast<int>(agent));
    for (int rank = first; rank < first + layout.workers_of_agent[agent]; ++rank) {
      of_host[machines[agent].host].push_back(
          run.setup.gpu_local_cpus[static_cast<std::size_t>(rank)]);
    }
  }
  Hosts hosts;
  for (const auto& [host, masks] : of_host) {
    hosts[fmt::format("{}", fmt::join(masks, " "))].push_back(host);
  }
  return fmt::format("{}", fmt::join(agent::by_host(hosts), "; "));
}

void record_placement(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  Hosts governors;
  for (const agent::Machine& machine : machines) {
    if (!machine.governor.empty()) governors[machine.governor].push_back(machine.host);
  }
  std::map<std::string, std::string>& placement = run.record.placement;
  if (!governors.empty()) {
    placement["governor"] = fmt::format("{}", fmt::join(agent::by_host(governors), "; "));
  }
  if (run.setup.gpu_local_cpus.empty()) return;
  placement["gpu_local_cpus"] = masks_text(run, machines);
  const auto ignore = run.setup.site.find("NCCL_IGNORE_CPU_AFFINITY");
  placement["NCCL_IGNORE_CPU_AFFINITY"] = ignore == run.setup.site.end() ? "unset" : ignore->second;
}

void warn_of_unreadable_files(PreparedRun& run) {
  for (const std::string& line : run.record.notes) {
    if (line.find("NOT READABLE") == std::string::npos) continue;
    const bool topology = line.starts_with("NCCL_TOPO_FILE");
    run.warnings.push_back(
        line + (topology ? ": NCCL goes on without it and detects the topology by itself"
                         : ": NCCL goes on without what it sets"));
  }
}

void warn_of_hidden_gpus(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  if (run.spec.backend != "nccl") return;
  Hosts hidden;
  for (const agent::Machine& machine : machines) {
    const std::size_t visible = machine.gpu_cpus.size();
    if (visible == 0 || visible >= machine.gpus.size()) continue;
    hidden[fmt::format("agents see {} of {} GPUs", visible, machine.gpus.size())].push_back(
        machine.host);
  }
  for (const std::string& line : agent::by_host(hidden)) {
    run.warnings.push_back(line + " (CUDA_VISIBLE_DEVICES): NVLink peers may be hidden from NCCL");
  }
}

void warn_of_crowded_hosts(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  if (run.spec.backend != "host") return;
  std::map<std::string, int> workers_on;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    workers_on[machines[i].host] += run.setup.layout.workers_of_agent[i];
  }
  for (const agent::Machine& machine : machines) {
    const int workers = workers_on[machine.host];
    if (workers <= machine.cores) continue;
    run.warnings.push_back(
        fmt::format("{} workers on the {} cores of {}: they take turns, times are longer and "
                    "noisier than the network's",
                    workers, machine.cores, machine.host));
    return;
  }
}

}  // namespace

void bind_workers(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  for (const Candidate& candidate : run.plan.candidates) {
    for (const auto& [knob, value] : candidate.assignments) {
      if (knob == "cpu_bind") check_cpu_list(value, machines);
    }
  }
  if (run.spec.backend == "nccl") {
    agent::CpuBinding binding = agent::cpu_binding(machines, run.setup.layout);
    run.setup.gpu_local_cpus = std::move(binding.gpu_local);
    // Without GPUs (a plan made on a login node) the masks mean nothing.
    const bool gpus = std::ranges::any_of(machines, [](const auto& m) { return !m.gpus.empty(); });
    if (gpus) run.warnings.insert(run.warnings.end(), binding.notes.begin(), binding.notes.end());
  }
  if (run.spec.backend == "host") {
    for (std::string& note : agent::host_binding_notes(machines, run.setup.layout)) {
      run.warnings.push_back(std::move(note));
    }
  }
  record_placement(run, machines);
}

void add_notes(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  RunRecord& record = run.record;
  // Said for every backend: whoever tries the tool on host first learns where to look later.
  record.notes = agent::nccl_file_lines(machines);
  warn_of_unreadable_files(run);
  std::vector<std::string> pinned;
  std::vector<std::string> names;
  for (const auto& [name, value] : run.setup.site) {
    names.push_back(name);
    if (!name.starts_with("CUDA_")) pinned.push_back(name + "=" + value);
  }
  if (!pinned.empty()) record.notes.push_back(fmt::format("pinned: {}", fmt::join(pinned, " ")));
  if (run.spec.backend == "nccl" && machines.front().conf) {
    std::vector<std::string> conf;
    for (const auto& [name, value] : *machines.front().conf) {
      if (name.starts_with("NCCL_")) names.push_back(name);
      conf.push_back(name + "=" + value);
    }
    if (!conf.empty()) {
      record.notes.push_back(fmt::format("from conf files: {}", fmt::join(conf, " ")));
    }
  }
  const KnobCatalogue catalogue = KnobCatalogue::load(data_folder() / "knobs");
  for (std::string& line : unknown_variables(names, catalogue)) {
    run.warnings.push_back(std::move(line));
  }
  warn_of_hidden_gpus(run, machines);
  warn_of_crowded_hosts(run, machines);
}

void check_parity(PreparedRun& run, const std::vector<agent::Machine>& machines, bool allowed) {
  agent::Parity parity = agent::parity_of(machines, run.spec.backend);
  if (!parity.mismatches.empty() && !allowed) throw agent::mismatch_error(parity);
  run.setup.own_variables = std::move(parity.own_variables);
  run.setup.nodes_differ = !parity.mismatches.empty();
  RunRecord& record = run.record;
  for (const std::string& line : parity.notes) record.notes.push_back("differs: " + line);
  for (const std::string& line : parity.mismatches) {
    run.warnings.push_back("nodes differ: " + line);
  }
  if (record.mismatches.empty()) record.mismatches = std::move(parity.mismatches);
}

}  // namespace nccl_sweep::cli
