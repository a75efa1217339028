// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of a plan's candidates are measured: all that differ, or the one that was asked for.
#pragma once

#include <string>
#include <vector>

#include "agent/machine.hpp"
#include "core/knob.hpp"
#include "core/plan.hpp"
#include "core/rank_order.hpp"
#include "core/records.hpp"
#include "core/spec.hpp"

namespace nccl_sweep::cli {

// Prunes the plan unless the spec says not to, and keeps the baseline and `only` alone where that
// is given. Throws a usage Error where nothing is left to compare with the baseline, and where
// `only` names no candidate.
void choose_candidates(SweepPlan& plan, const SweepSpec& spec, const KnobCatalogue& catalogue,
                       const WorkerPlaces& places, const agent::Variables& site,
                       const std::vector<agent::Machine>& machines, const std::string& only);

// What `plan` shows of the collapsed settings: what they equal, why, and their names.
std::vector<std::string> collapsed_lines(const RunRecord& record);

}  // namespace nccl_sweep::cli
