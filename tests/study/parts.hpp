// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the study: each plays what it says so often as there are seeds and counts.
#pragma once

#include <cstdint>
#include <vector>

#include "criteria.hpp"
#include "launches.hpp"
#include "noise.hpp"

namespace nccl_sweep::study {

struct Seeds {
  std::uint64_t from = 1;
  std::uint64_t to = 1000;
  double count() const { return static_cast<double>(to - from + 1); }
};

// Sweeps against a planted truth: false winners, gains found, wrong "nothing gains", intervals,
// trials spent, changes of the machine noticed.
std::vector<Row> judge_model(const NoiseModel& model, const Seeds& seeds);

// The same with launches of one real series, where a gain of 3 % is what no noise model decides.
std::vector<Row> judge_real_noise(const LaunchSeries& series, const Seeds& seeds);

// Real launches relabelled at random into 2, 4, 6 pretended settings; one of four made 3 % faster;
// and as a control the first half of the launches against the second.
std::vector<Row> judge_relabelled(const LaunchSeries& series, const Seeds& seeds);

// One run of each setting, the fastest wins; a full grid of 5 rounds; and screen and confirm.
std::vector<Row> contrast(const NoiseModel& model, const Seeds& seeds);

}  // namespace nccl_sweep::study
