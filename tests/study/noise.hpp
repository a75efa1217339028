// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Noise between launches for the study of the verdicts: seven models whose truth is known, and real
// launches drawn with replacement. Written for the study alone: it shares no code with the model
// backend, so an error there cannot hide itself here. The same seed gives the same noise
// everywhere, because nothing comes from the standard library's distributions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launches.hpp"

namespace nccl_sweep::study {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double uniform();  // in (0, 1)
  double normal();
  std::size_t below(std::size_t bound);

 private:
  std::uint64_t state_;
};

// ln of the factor by which trial number `trial` of a run is slower than the truth.
using Noise = std::function<double(int trial)>;

struct NoiseModel {
  std::string name;
  // The machine itself changes during the run; planned_trials says how long that will be.
  std::function<Noise(std::uint64_t seed, int planned_trials)> start;
};

// gaussian, t3, outliers, two-humped, drift, step, gaussian-3 (3 % instead of 1 %).
const std::vector<NoiseModel>& noise_models();

// Launches of one series, drawn with replacement: ln of their ratio to the median. The first one,
// which is slower, is left out, as a run leaves out its burn-in.
NoiseModel resampled(const LaunchSeries& series);

}  // namespace nccl_sweep::study
