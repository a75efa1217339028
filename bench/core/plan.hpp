// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec expanded against a machine: the explicit list of candidates, cases and groups that a run
// goes through. Made on rank 0 and by `plan`; the other agents get the result as text.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.hpp"
#include "core/case.hpp"
#include "core/knob.hpp"
#include "core/spec.hpp"

namespace nccl_sweep {

struct SweepPlan {
  std::vector<Candidate> candidates;     // [0] is the baseline
  std::vector<Collapsed> collapsed;      // by core/prune.hpp
  std::vector<Case> cases;
  std::vector<Partition> partitions;     // of world ranks; [0] is the world as one group
  std::vector<GroupShape> shapes;        // that the partitions were made for
  std::vector<bool> graph_partition;     // for graph cases: equal groups, communicators of their own
  std::vector<int> partition_of_case;    // index into partitions
  int ranks = 0;                         // in the figures: workers, or the model's ranks
  Bytes arena;                           // bytes of the rotating buffers
  std::vector<std::string> notes;        // roundings, scaled groups: said in plan and run
};

// `node_of_rank`: the node index of every rank of the figures (a model's ranks are simulated).
// `workload`: the cases of a workload, empty without one. Throws usage Errors: unknown knob, bad
// value, sizes "workload" without one, groups that do not divide, nothing left to measure.
SweepPlan expand(const SweepSpec&, const KnobCatalogue&, const std::vector<WorkloadCase>& workload,
                 const std::vector<int>& node_of_rank);

// Index of the shape's partition in the plan, added if it is not there yet: capturing a graph
// changes a communicator's buffers and later launches. Shapes with equal groups share one, unless a
// candidate numbers the ranks otherwise. Throws as partition_world() does.
int partition_index(SweepPlan& plan, const GroupShape& shape, bool graph,
                    const std::vector<int>& node_of_rank);

// The candidate that `name` means ("A=1 B=512K", any order and spelling), for --only; usage Error
// with a did-you-mean where there is none.
const Candidate& find_candidate(const SweepPlan&, const KnobCatalogue&, std::string_view backend,
                                std::string_view name);

// What a trial of `backend` costs before anything was measured: start-up and measuring apart, in
// seconds. Per case the method's blocks (10 ms and more each), warm-up and verification; an assumed
// rate stands for the fabric until the burn-in has shown it. A model only starts processes; asked
// for "nccl" instead, the same plan's price on real GPUs comes out.
struct TrialCost {
  double start_up_seconds = 0;
  double measuring_seconds = 0;
};
TrialCost estimate_trial(std::string_view backend, const SweepSpec&, const SweepPlan&);

}  // namespace nccl_sweep
