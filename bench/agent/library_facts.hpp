// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library under test says of itself: how its log is asked for, and the facts of a trial
// over all ranks. NCCL writes its log to the worker's output, which stays on the node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/control.hpp"
#include "agent/environment.hpp"
#include "agent/worker_link.hpp"
#include "core/fact.hpp"

namespace nccl_sweep::agent {

// Variables that make the backend's library log what evidence needs: start-up only, or everything
// in a trial of Stage::evidence. Empty for backends without a library. NCCL_DEBUG of the site gives
// way in the workers: all trials log alike.
Variables log_variables(const std::string& backend, Stage stage);

// Collective over all agents: the facts of their workers' logs, versions and conf files, merged.
std::vector<Fact> gather_facts(ControlPlane& control,
                               const std::vector<std::unique_ptr<WorkerLink>>& workers);

// Where ranks differ in what must be the same on all of them: one line that names the first
// difference and its ranks, empty if there is none. `identities`: by world rank.
struct RankIdentity {
  int rank = 0;
  std::string host;
  std::map<std::string, std::string> identity;
};
std::string identity_difference(const std::vector<RankIdentity>& ranks);

}  // namespace nccl_sweep::agent
