// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which CPUs a worker gets. Near its GPU by default: a proxy thread on the other socket costs
// bandwidth, and launchers that bind small jobs to one core would put NCCL's threads on top of each
// other. Masks are worked out on rank 0 from what the agents tell of their machines, so that the
// records can say them; the agents set them before exec.
#pragma once

#include <string>
#include <vector>

#include "agent/machine.hpp"
#include "agent/setup.hpp"

namespace nccl_sweep::agent {

// The list, or "all" and why it is not known.
struct GpuLocalCpus {
  std::string cpus = "all";
  std::string note;
};

// The CPUs near the GPU of a rank of this machine, cut to what the job may use; to what the launcher
// gave this agent too, unless that leaves a worker fewer than four.
GpuLocalCpus gpu_local_cpus(const Machine&, int local_rank, int agent_rank, int workers_of_agent);

// For each world rank; `machines` one an agent. One note a different reason.
struct CpuBinding {
  std::vector<std::string> gpu_local;  // per rank: Setup::gpu_local_cpus
  std::vector<std::string> notes;
};
CpuBinding cpu_binding(const std::vector<Machine>& machines, const Layout&);

// For backend host, which binds nothing: where the launcher's mask is too narrow to be kept to.
std::vector<std::string> host_binding_notes(const std::vector<Machine>& machines, const Layout&);

// What a candidate's cpu_bind (without one, the backend's default) means for a rank; empty: all.
std::vector<int> worker_cpus(const Setup&, const Candidate&, int rank);

// "0-3,8" of 0 1 2 3 8.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace nccl_sweep::agent
