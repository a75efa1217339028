// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Settings that are predicted to be the same data path are measured once. The predictions follow
// NCCL's source and hold for every version from 2.18 to 2.30; where something that cannot be seen
// from here might matter (a conf file, a network plugin), a setting is rather measured. So is one that
// may not run at all: Tree for an all_gather is an error from 2.24 on and another algorithm before,
// and which library the workers open is not known yet. What is predicted is checked: see
// Stage::alarm. Made on rank 0 and by `plan`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/knob.hpp"
#include "core/plan.hpp"

namespace nccl_sweep {

// What the predictions rest on, besides the plan.
struct PruneContext {
  std::string backend;
  std::vector<int> node_of_rank;            // of the ranks of the figures
  std::vector<std::string> leaf_of_node;    // WorkerPlaces
  std::map<std::string, std::string> site;  // variables of the environment and of conf files
  bool conf_files = false;      // there are conf files whose content is unknown or differs by node
  bool network_plugin = false;  // a plugin may carry the data across nodes, with its own defaults
  bool nvlink_inside = false;   // the GPUs of a node are joined by NVLink
  bool nvlink_across = false;   // so may be those of several hosts, which NCCL then takes for one
};

// Moves candidates that equal another one from `candidates` to `collapsed`. A candidate loses the
// assignments that do nothing here; what is left stands for all that are alike. Of a model's knobs
// only those that its file declares to have no effect somewhere are looked at.
void prune(SweepPlan& plan, const KnobCatalogue& catalogue, const PruneContext& context);

// Whether an NCCL variable, set to anything, can send data between the GPUs of one node over the
// network.
bool can_divert_to_network(std::string_view variable);

}  // namespace nccl_sweep
