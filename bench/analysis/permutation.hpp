// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Would shuffled labels show as much? The largest |t| over all settings against the default,
// compared with the same of relabelled data: exact whatever the noise looks like, as long as equal
// settings are equally distributed (max-T of Westfall and Young, Resampling-Based Multiple Testing,
// 1993). Called by analysis/fixed_design.cpp for findings that are about to be claimed.
#pragma once

#include <span>
#include <vector>

namespace nccl_sweep::statistics {

// p value per setting after the first, adjusted for their number: share of the relabellings (the
// seen one among them) whose largest |t| is at least the setting's own. The same few thousand
// relabellings every time; where there are too few for the level asked for, 0 ("cannot object").

// launches[setting] of ln time, labels shuffled over all launches.
std::vector<double> permutation_p_values(std::span<const std::vector<double>> launches,
                                         double level);

// table[round][setting], complete; labels shuffled within each round.
std::vector<double> permutation_p_values_of_rounds(std::span<const std::vector<double>> table,
                                                   double level);

}  // namespace nccl_sweep::statistics
