// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Are the nodes alike in what decides the figures? Before the first trial rank 0 tells all agents
// its library variables and its worker program; each agent answers with its Machine as the workers
// will find it there, and rank 0 compares. What differs stops the run, or marks all of its records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/control.hpp"
#include "agent/environment.hpp"
#include "agent/machine.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {

// What rank 0 tells all agents.
struct Leader {
  Variables library;           // its library variables: all workers get them
  std::string worker_program;  // the same path everywhere
};

// Collective over all agents: their machines, rank 0 first, on all of them. `leader` counts on rank
// 0 only. A single agent has nobody to be compared with, and reads no checksum.
std::vector<Machine> gather_machines(ControlPlane&, const Leader& leader);

// Checksums of the files that workers read on this node, by what the file is to them. `own`: the
// environment that they will get.
std::map<std::string, std::string> checked_files(const Variables& own, const Leader&);

// The library of that name where the loader looks first, LD_LIBRARY_PATH and `folders`; else empty.
std::string library_file(const std::string& name, const std::string& library_path,
                         const std::vector<std::string>& folders);

// Each line says one thing: its values, the rarest first, with the hosts and ranks that have them,
// at most four hosts a value and three values. So a report is as long for 512 nodes as for two.
struct Parity {
  std::vector<std::string> mismatches;  // at most eight, and a line that counts the others
  std::vector<std::string> notes;       // differs, and harms nothing
  std::vector<std::string> remedies;    // what to do, for the kinds of mismatches that there are
  // By agent: names that each node sets for itself, where nodes differ in them. Empty: none.
  std::vector<Variables> own_variables;
};

// `machines`: one an agent, rank 0 first. GPUs, adapters and NCCL's file count for backend nccl only.
Parity parity_of(const std::vector<Machine>& machines, std::string_view backend);

// The error of a run that must not go on with these mismatches.
Error mismatch_error(const Parity&);

}  // namespace nccl_sweep::agent
