// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The A/A test: what became of a setting that is predicted to be the default's data path, and rode
// along with the first pairs. Raised, it says that the prediction or the run is wrong.
#pragma once

#include <optional>
#include <string>

#include "analysis/verdict.hpp"

namespace nccl_sweep {

// Nothing where no such setting was tried.
std::optional<AlarmFinding> find_alarm(const RunData& data, const Dataset& dataset,
                                       const DecisionRule& rule);

// "A/A: NAME = default within 1.2 % (3 pairs)", that it failed, or that it differs and what follows;
// empty where no such setting was tried.
std::string alarm_line(const RunData& data, const RunFindings& findings);

}  // namespace nccl_sweep
