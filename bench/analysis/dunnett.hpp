// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Dunnett's distribution: how far the largest of several differences from one common baseline goes
// by chance, when all share one estimate of the noise. Used by fixed designs, where many settings
// are compared with the default at once (Dunnett, JASA 50, 1955; Biometrics 20, 1964).
#pragma once

#include <span>

namespace nccl_sweep::statistics {

// The factor on the standard error that makes all intervals of the differences hold at once with
// probability `confidence` (two-sided). shares[i] = n_i / (n_0 + n_i), 0.5 where setting i has as
// many launches as the baseline. One share: Student's t.
double dunnett_critical(double confidence, std::span<const double> shares,
                        double degrees_of_freedom);

}  // namespace nccl_sweep::statistics
