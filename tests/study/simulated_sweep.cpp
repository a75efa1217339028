// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "simulated_sweep.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "analysis/experiment.hpp"
#include "analysis/recommendation.hpp"
#include "analysis/verdict.hpp"

namespace nccl_sweep::study {
namespace {

constexpr double kSeconds = 1e-3;  // an op of the default

RunRecord run_of(int candidates, std::uint64_t seed) {
  RunRecord run;
  run.backend = "model";
  run.simulated = true;
  run.seed = seed;
  run.candidates.resize(static_cast<std::size_t>(candidates));
  for (int c = 1; c < candidates; ++c) {
    run.candidates[static_cast<std::size_t>(c)].assignments = {{"KNOB", std::to_string(c)}};
  }
  Case one;
  one.size = one.requested = Bytes{64 << 20};
  one.group_size = 2;
  run.cases = {one};
  return run;
}

TrialOutcome outcome_of(const TrialOrder& order, double seconds) {
  TrialOutcome trial;
  trial.order = order;
  CaseTiming timing;
  timing.ops_per_block = 10;
  timing.mean_seconds = {seconds};
  timing.max_seconds = timing.mean_seconds;
  timing.slowest_rank = {0};
  trial.cases.push_back(std::move(timing));
  return trial;
}

bool is_counted(Stage stage) { return stage == Stage::burn_in || is_analysed(stage); }

}  // namespace

RunData simulate_with(Experiment& experiment, const Truth& truth, const NoiseModel& model,
                      std::uint64_t seed) {
  RunData data;
  data.run = run_of(truth.candidates, seed);
  const Noise noise = model.start(~seed, experiment.planned_trials());
  while (const auto order = experiment.next()) {
    const double speed_up = order->candidate == kPlanted ? 1 + truth.gain : 1;
    data.trials.push_back(outcome_of(*order, kSeconds / speed_up * std::exp(noise(order->index))));
    experiment.record(data.trials.back());
  }
  return data;
}

SweepResult judge_run(const RunData& data, const Truth& truth) {
  const RunFindings findings = find(data);
  const Recommendation recommendation = recommend(data, findings);
  SweepResult result;
  for (const TrialOutcome& trial : data.trials) result.trials += is_counted(trial.order.stage);
  result.says_nothing_gains = recommendation.reason.starts_with("nothing gains");
  result.says_machine_changed = findings.machine_change.has_value();
  result.winner = !recommendation.keeps_default();
  result.found = result.winner && recommendation.candidate == kPlanted;
  if (!findings.finalist) return result;
  const Finding& finding = findings.candidates[static_cast<std::size_t>(*findings.finalist)].score;
  result.has_interval = finding.gain && finding.gain->has_interval();
  if (!result.has_interval) return result;
  const double true_ratio = *findings.finalist == kPlanted ? 1 + truth.gain : 1;
  result.covered =
      finding.gain->interval.low <= true_ratio && true_ratio <= finding.gain->interval.high;
  return result;
}

SweepResult simulate(const Truth& truth, const NoiseModel& model, std::uint64_t seed) {
  ScreenConfirm experiment(truth.candidates, Score(run_of(truth.candidates, seed).cases), seed, {});
  return judge_run(simulate_with(experiment, truth, model, seed), truth);
}

}  // namespace nccl_sweep::study
