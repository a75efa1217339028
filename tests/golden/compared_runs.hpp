// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A reference and runs that stand to it in a known way: exactly at the threshold, 1 % below,
// noisy, with other sizes. Launches differ by plain numbers, not by random ones. All invented.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/baseline_file.hpp"
#include "planted_runs.hpp"

namespace nccl_sweep::tests {

inline constexpr double kPlantedBusbw = 200;  // GB/s there, at every size

// Launches of the default at `share` of the reference. `noise` spreads them: ln busbw of launch i
// is off by -noise, 0, +noise, -noise ...; of three or six launches that is 0 on average.
inline RunData compared_run(double share, double noise = 0, int launches = 6,
                            std::vector<Case> cases = {}) {
  if (cases.empty()) {
    cases = {planted_case(Collective::all_gather, DataType::bfloat16, 1 << 20, 0),
             planted_case(Collective::all_gather, DataType::bfloat16, 64 << 20, 0),
             planted_case(Collective::all_gather, DataType::bfloat16, 1 << 30, 0)};
  }
  RunData data;
  data.run = planted_record("compared", {Candidate{}}, std::move(cases));
  data.run.fabric.device = "NVIDIA H200";
  data.run.fabric.link = "NVLink 370.8 GB/s";
  for (int launch = 0; launch < launches; ++launch) {
    TrialOutcome trial;
    trial.order = {launch, Stage::grid, launch, 0};
    for (std::size_t i = 0; i < data.run.cases.size(); ++i) {
      const Case& c = data.run.cases[i];
      const double busbw = kPlantedBusbw * share * std::exp(noise * (launch % 3 - 1)) * 1e9;
      CaseTiming timing;
      timing.case_index = static_cast<int>(i);
      timing.ops_per_block = 20;
      const double seconds =
          static_cast<double>(c.size.value) * busbw_factor(c.collective, c.group_size) / busbw;
      timing.mean_seconds = {c.size.value > 0 ? seconds : 1e-5};
      timing.max_seconds = timing.mean_seconds;
      timing.slowest_rank = {0};
      timing.wrong_elements = 0;
      trial.cases.push_back(std::move(timing));
    }
    data.trials.push_back(std::move(trial));
  }
  data.end = EndRecord{"complete", launches, 0, 1.5, 0.1};
  return data;
}

inline constexpr const char* kPlantedBaseline = R"({
  "nccl_sweep_baseline": 1,
  "fabrics": [{"name": "h200-2-nvlink", "gpu": "H200", "nodes": 1, "gpus_per_node": 2,
               "link": "NVLink"}],
  "sources": [{"id": "lab", "class": "measured and published", "title": "lab/figures@1234567",
               "nccl": "2.28.3", "platform": "bench"}],
  "series": [
    {"fabric": "h200-2-nvlink", "source": "lab", "collective": "all_gather",
     "placement": "out_of_place",
     "figures": [{"size": "1M", "busbw": 200}, {"size": "64M", "busbw": 200},
                 {"size": "1G", "busbw": 200}]}
  ]
})";

inline BaselineFile planted_baseline() { return parse_baseline(kPlantedBaseline, "planted"); }

}  // namespace nccl_sweep::tests
