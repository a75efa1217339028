// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Would the screening have noticed? A finalist without gain says nothing about the candidates
// that were screened out, unless the screening is known to keep good ones at this noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/machine_change.hpp"

namespace nccl_sweep {

// Probability that one candidate among otherwise equal ones, faster by `gain` (0.03 = 3 %),
// becomes the finalist: the real screening played with launch noise drawn from `residuals` (of ln
// time), on a machine that changes as this run's did. `candidates` includes the baseline.
double screen_keeps_probability(int candidates, double gain, std::span<const double> residuals,
                                std::uint64_t seed,
                                const std::optional<MachineChange>& change = {});

}  // namespace nccl_sweep
