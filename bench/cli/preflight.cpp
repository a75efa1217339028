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
#include "agent/hidden_gpus.hpp"
#include "agent/parity.hpp"
#include "agent/staging.hpp"
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

// by_host() where the texts are not true of all agents: the others say nothing.
std::vector<std::string> by_some_hosts(Hosts hosts, const std::vector<agent::Machine>& machines) {
  std::size_t said = 0;
  for (const auto& [text, names] : hosts) said += names.size();
  if (hosts.size() != 1 || said == machines.size()) return agent::by_host(hosts);
  hosts[""];  // a second text, so that the hosts of the first are named
  std::vector<std::string> lines = agent::by_host(hosts);
  lines.erase(lines.begin());
  return lines;
}

void warn_of_hidden_gpus(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  if (run.spec.backend != "nccl") return;
  const agent::HiddenGpus hidden = agent::hidden_gpus(machines, run.setup.layout);
  for (const Hosts& hosts : {hidden.of_neighbours, hidden.unused}) {
    for (const std::string& line : by_some_hosts(hosts, machines)) {
      run.warnings.push_back(line +
                             " (CUDA_VISIBLE_DEVICES): NVLink peers may be hidden from NCCL");
    }
  }
}

// The limits themselves go into the record; rank 0's stand for all where they are alike.
void check_limits(PreparedRun& run, const std::vector<agent::Machine>& machines) {
  Hosts all;
  Hosts low;
  const agent::Layout& layout = run.setup.layout;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const agent::Machine& machine = machines[i];
    const int first = layout.first_rank(static_cast<int>(i));
    const agent::Need need{run.spec.backend, layout.local_size(first), run.plan.ranks,
                           !machine.adapters.empty(), run.plan.arena.value};
    all[limits_text(machine.limits)].push_back(machine.host);
    for (const std::string& line : low_limits(machine.limits, need)) {
      low[line].push_back(machine.host);
    }
  }
  run.record.placement["limits"] =
      all.size() == 1 ? all.begin()->first
                      : fmt::format("{} on {}{}", limits_text(machines.front().limits),
                                    machines.front().host, "; others differ");
  for (auto& [line, hosts] : low) {
    for (const std::string& text : by_some_hosts({{line, hosts}}, machines)) {
      run.warnings.push_back("too low: " + text);
    }
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

void refuse_hidden_gpus(const PreparedRun& run, const std::vector<agent::Machine>& machines) {
  if (run.spec.backend != "nccl") return;
  const Hosts hidden = agent::hidden_gpus(machines, run.setup.layout).of_neighbours;
  if (hidden.empty()) return;
  throw environment_error(
      fmt::format("{}: each would measure as if its node had no other GPUs",
                  fmt::join(by_some_hosts(hidden, machines), "; ")),
      {},
      "srun --gpus-per-node=N --gpu-bind=none instead of --gpus-per-task, or "
      "--allow-hidden-gpus");
}

void choose_staged(PreparedRun& run, const std::string& mode) {
  std::vector<std::string> files{run.setup.worker_program};
  for (const Candidate& candidate : run.setup.candidates) {
    for (const auto& [knob, value] : candidate.assignments) {
      // A bare name of another library is looked for by the loader.
      const bool file = knob == "nccl_library" && value.find('/') != std::string::npos;
      if (file && std::ranges::find(files, value) == files.end()) files.push_back(value);
    }
  }
  std::string of_loader;
  if (run.spec.backend == "nccl") {
    of_loader = agent::library_of_loader(
        agent::site_environment(agent::process_environment(), run.setup.site));
    if (!of_loader.empty() && std::ranges::find(files, of_loader) == files.end()) {
      files.push_back(of_loader);
    }
  }
  run.record.placement.erase("staged");  // of the session before
  std::vector<std::string> words;
  for (const std::string& file : files) {
    std::error_code error;
    const bool there = std::filesystem::is_regular_file(file, error);
    if (!there || mode == "never" || (mode == "auto" && !agent::on_network(file))) continue;
    run.setup.stage.push_back(agent::staged_file(file));
    if (file == of_loader) run.setup.default_library = file;
    words.push_back(fmt::format("{} {}", std::filesystem::path(file).filename().string(),
                                format_size(Bytes{run.setup.stage.back().bytes})));
  }
  if (!words.empty()) {
    run.record.placement["staged"] = fmt::format("{} on each node", fmt::join(words, ", "));
  }
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
  check_limits(run, machines);
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
