// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives an experiment against planted truth, without processes: what the sweep loop does, in a
// few lines. Tests of the analysis use it to make runs whose right answer is known.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/records.hpp"
#include "core/trial.hpp"

namespace nccl_sweep::tests {

// ln of the factor on a case's time; called once per case of a trial.
using LogFactor = std::function<double(const TrialOrder&, int case_index)>;
using Fate = std::function<Outcome(const TrialOrder&)>;

inline Outcome always_completes(const TrialOrder&) { return Outcome::complete; }

inline RunRecord run_record(int candidates, std::vector<Case> cases) {
  RunRecord run;
  run.version = "0.1.0";
  run.name = "planted";
  run.backend = "model";
  run.simulated = true;
  run.ranks = 2;
  run.candidates.resize(static_cast<std::size_t>(candidates));
  for (int c = 1; c < candidates; ++c) {
    run.candidates[static_cast<std::size_t>(c)].assignments = {{"NCCL_KNOB", std::to_string(c)}};
  }
  run.cases = std::move(cases);
  return run;
}

inline Case large_case(std::int64_t mebibytes = 64) {
  Case c;
  c.size = Bytes{mebibytes << 20};
  c.requested = c.size;
  c.count = c.size.value / 4;
  c.group_size = 2;
  return c;
}

// A case takes a millisecond per 64 MiB times exp(log_factor).
inline TrialOutcome measure(const TrialOrder& order, const std::vector<Case>& cases,
                            const LogFactor& log_factor, Outcome fate) {
  TrialOutcome trial;
  trial.order = order;
  trial.outcome = fate;
  if (fate != Outcome::complete) {
    trial.failure.emplace();
    trial.failure->message = "planted";
    return trial;
  }
  for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
    const Case& c = cases[static_cast<std::size_t>(i)];
    const double seconds =
        1e-3 * static_cast<double>(c.size.value) / (64 << 20) * std::exp(log_factor(order, i));
    CaseTiming timing;
    timing.case_index = i;
    timing.ops_per_block = 10;
    timing.mean_seconds.assign(5, seconds);
    timing.max_seconds = timing.mean_seconds;
    timing.slowest_rank.assign(5, 0);
    trial.cases.push_back(std::move(timing));
  }
  return trial;
}

inline RunData drive(Experiment& experiment, RunRecord run, const LogFactor& log_factor,
                     const Fate& fate = always_completes) {
  RunData data;
  data.run = std::move(run);
  while (const auto order = experiment.next()) {
    data.trials.push_back(measure(*order, data.run.cases, log_factor, fate(*order)));
    experiment.record(data.trials.back());
  }
  return data;
}

// Gaussian noise between launches, the same for all cases of a launch, and a planted gain (ln of
// the speed-up) per candidate.
class Planted {
 public:
  Planted(std::vector<double> gains, double noise, std::uint64_t seed)
      : gains_(std::move(gains)), noise_(0, noise), random_(seed) {}

  double operator()(const TrialOrder& order, int case_index) {
    if (case_index == 0) launch_ = noise_.stddev() > 0 ? noise_(random_) : 0;
    return launch_ - gains_.at(static_cast<std::size_t>(order.candidate));
  }

 private:
  std::vector<double> gains_;
  std::normal_distribution<double> noise_;
  std::mt19937_64 random_;
  double launch_ = 0;
};

}  // namespace nccl_sweep::tests
