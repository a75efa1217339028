// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a simulated fabric: what an op takes for given knobs, without and with noise.
// All randomness is a hash of (seed, trial, case, block, rank), so figures do not depend on how
// processes are scheduled, and every worker can calculate every other one's.
#pragma once

#include <cstdint>

#include "core/case.hpp"
#include "core/model_file.hpp"

namespace nccl_sweep::worker {

// A standard normal number (Box-Muller) of the counter.
double gaussian(std::uint64_t counter);
// Mean 0 and variance 1 in every distribution. two_humped: two clouds 1.6 apart, as launches that
// find one of two ring orders. outliers: 5 % of the draws are far above the others.
double standard_draw(ModelDistribution, std::uint64_t counter);

class ModelFabric {
 public:
  // `values`: the knobs' values; a knob that is not in it has its declared default.
  ModelFabric(ModelFile model, KnobValues values, int ranks);

  const ModelFile& file() const { return model_; }
  int streams() const { return streams_; }
  bool matches(const KnobValues& when) const;

  // The truth: seconds per op without any noise.
  Seconds true_time(const Case&) const;
  double cpu_per_second(const Case&) const;

  // What worker `rank` sees in timed region `block` of a trial: the truth, launch noise of the
  // trial, drift, block noise and rank noise.
  Seconds seen_time(const Case&, std::uint64_t seed, int trial, int block, int rank) const;

 private:
  struct Factors {
    double bandwidth = 1;
    double latency = 1;
    double cpu = 1;
  };
  Factors factors_of(const Case&) const;
  double launch_cv(Bytes size) const;
  std::string value_of(const std::string& knob) const;

  ModelFile model_;
  KnobValues values_;
  int ranks_;
  int streams_ = 1;
};

}  // namespace nccl_sweep::worker
