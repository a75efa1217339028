// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/cpu_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "agent/gpu.hpp"
#include "core/device_index.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::agent {
namespace {

// The main thread, NCCL's proxy threads and one to spare.
constexpr int kFewestCpus = 4;

// Empty where a system does not say; a text that we cannot read is the same.
std::vector<int> list_of(const std::string& text) {
  try {
    return parse_cpu_list(text);
  } catch (const Error&) {
    return {};
  }
}

std::vector<int> common(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Why NCCL's threads have few CPUs here, or "". `workers` of this agent, `on_node` of all agents of
// its node.
std::string narrow_mask(const Machine& machine, int workers, int on_node) {
  const int given = static_cast<int>(list_of(machine.launcher_cpus).size());
  const int allowed = static_cast<int>(list_of(machine.allowed_cpus).size());
  if (given > 0 && given < kFewestCpus * workers && given < allowed) {
    return fmt::format(
        "the launcher bound agents to {} for {}, too few for NCCL's threads: workers do not keep to "
        "it (mpirun --bind-to none)",
        counted(given, "CPU"), counted(workers, "worker"));
  }
  if (allowed > 0 && allowed < kFewestCpus * on_node) {
    return fmt::format(
        "{} for the {} of a node: NCCL's proxy threads share them with the launching threads, give "
        "the job {} a worker",
        counted(allowed, "CPU"), counted(on_node, "worker"), kFewestCpus);
  }
  return {};
}

}  // namespace

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

GpuLocalCpus gpu_local_cpus(const Machine& machine, int local_rank, int agent_rank,
                            int workers_of_agent) {
  if (machine.gpu_cpus.empty()) {
    return {"all",
            machine.gpu_order_unknown.empty() ? "no GPU is visible" : machine.gpu_order_unknown};
  }
  const int gpu = device_index(static_cast<int>(machine.gpu_cpus.size()), local_rank, agent_rank,
                               workers_of_agent);
  if (gpu < 0) return {"all", "more workers than visible GPUs"};
  const std::vector<int> near = list_of(machine.gpu_cpus[static_cast<std::size_t>(gpu)]);
  if (near.empty()) return {"all", "/sys does not say which CPUs are near the GPUs"};
  const std::vector<int> may_use = common(near, list_of(machine.allowed_cpus));
  if (may_use.empty()) return {"all", "the job may use no CPU near the GPU"};
  const std::vector<int> given = common(may_use, list_of(machine.launcher_cpus));
  if (static_cast<int>(given.size()) >= kFewestCpus * workers_of_agent) {
    return {cpu_list_text(given), {}};
  }
  return {cpu_list_text(may_use), {}};
}

CpuBinding cpu_binding(const std::vector<Machine>& machines, const Layout& layout) {
  CpuBinding binding;
  std::set<std::string> notes;
  for (std::size_t agent = 0; agent < machines.size(); ++agent) {
    const Machine& machine = machines[agent];
    const int workers = layout.workers_of_agent[agent];
    const int first = layout.first_rank(static_cast<int>(agent));
    for (int rank = first; rank < first + workers; ++rank) {
      GpuLocalCpus local = gpu_local_cpus(machine, layout.local_rank(rank), rank - first, workers);
      if (!local.note.empty()) notes.insert("workers are not bound to CPUs: " + local.note);
      binding.gpu_local.push_back(std::move(local.cpus));
    }
    notes.insert(narrow_mask(machine, workers, layout.local_size(first)));
  }
  notes.erase("");
  binding.notes.assign(notes.begin(), notes.end());
  return binding;
}

std::vector<int> worker_cpus(const Setup& setup, const Candidate& candidate, int rank) {
  std::string bind = setup.backend == "nccl" ? std::string(kGpuLocal) : "all";
  for (const auto& [knob, value] : candidate.assignments) {
    if (knob == "cpu_bind") bind = value;
  }
  if (bind != kGpuLocal) return parse_cpu_list(bind);
  const auto index = static_cast<std::size_t>(rank);
  return index < setup.gpu_local_cpus.size() ? parse_cpu_list(setup.gpu_local_cpus[index])
                                             : std::vector<int>{};
}

}  // namespace nccl_sweep::agent
