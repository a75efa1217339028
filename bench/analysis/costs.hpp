// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a setting takes for what it gives: host CPU, start-up, memory, and the compute that runs
// beside it. Costs are no verdict; a recommendation names those that grew. Called by
// analysis/recommendation.cpp and by report/.
#pragma once

#include <string>
#include <vector>

#include "analysis/verdict.hpp"

namespace nccl_sweep {

// Against the baseline; 0 where one of the two was not measured.
struct CostRatios {
  double cpu = 0;
  double start_up = 0;
  double connect = 0;
  double host_memory = 0;
  double device_memory = 0;
};

CostRatios cost_ratios(const RunFindings& findings, int candidate);

// One line for each cost that grew beyond what goes unnoticed: "host CPU 1.8x: ...", and then one
// for the setting that screened next best, if it did within the smallest gain.
std::vector<std::string> cost_warnings(const RunData& data, const RunFindings& findings,
                                       int candidate);

}  // namespace nccl_sweep
