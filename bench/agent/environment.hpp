// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The environment that workers get: this node's own, without anything of the MPI launch, with
// rank 0's library variables (NCCL_, UCX_, HOST_ ...) in place of the node's, and the candidate.
// So how a launcher forwards variables stops mattering.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.hpp"
#include "core/environment.hpp"

namespace nccl_sweep::agent {

using nccl_sweep::process_environment;
using nccl_sweep::Variables;

// NCCL_, UCX_, SHARP_, CUDA_ and the host backend's own, except CUDA_VISIBLE_DEVICES, which is each
// node's, and labels such as CUDA_HOME and NCCL_VERSION.
bool is_library_variable(std::string_view name);
Variables library_variables(const Variables& environment);

// Launch variables that would make a worker's libraries believe that they are an MPI rank:
// OMPI_, PMIX_, PMI_, PRTE_, and Slurm's step variables; NCCL_COMM_ID too.
bool is_launch_variable(std::string_view name);

// Names a node's own hardware (NCCL_SOCKET_IFNAME, NCCL_IB_HCA ...): nodes, and ranks bound to rails,
// may each have a value of their own.
bool is_node_variable(std::string_view name);
// What the library says of itself, not what it does: NCCL_DEBUG, dumps.
bool is_log_variable(std::string_view name);

// `own` without library variables, and `site`'s: what the baseline's workers get.
Variables site_environment(const Variables& own, const Variables& site);

// "NAME=VALUE" for exec. `site` are rank 0's library variables, sent to all agents; a candidate's
// value kUnset takes the name out.
std::vector<std::string> worker_environment(const Variables& own, const Variables& site,
                                            const Variables& candidate);

// For run's first lines and its record: NCCL_TOPO_FILE, NCCL_CONF_FILE, ~/.nccl.conf and
// /etc/nccl.conf of this agent: unset, readable, or set and not readable.
std::vector<std::string> nccl_file_report(const Variables& own);

// What NCCL takes from its conf files, by its own rules: $NCCL_CONF_FILE, else ~/.nccl.conf, then
// /etc/nccl.conf; the first to set a variable wins, and the environment before them all, so names
// that it sets are left out. Nothing where such a file cannot be read: then its content is unknown.
std::optional<Variables> conf_file_variables(const Variables& own);
std::optional<Variables> conf_file_variables(const Variables& own, const std::string& home,
                                             const std::string& system_file);

}  // namespace nccl_sweep::agent
