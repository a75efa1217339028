// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Four small runs with known truth, from which the records under tests/data/runs are made. The
// noise is arithmetic, not random, so the files are the same with every standard library. All
// figures are invented.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/experiment.hpp"
#include "core/records.hpp"

namespace nccl_sweep::tests {

// ln of a factor within +-0.6 %, different for each trial and case.
inline double wiggle(int trial, int case_index, int block = 0) {
  return 0.001 * ((trial * 37 + case_index * 11 + block * 5) % 13 - 6);
}

// To 0.1 ns, so that processors that fuse multiplications give the same file.
inline double rounded(double seconds) { return std::round(seconds * 1e10) / 1e10; }

struct PlantedRun {
  RunRecord run;
  std::vector<std::vector<double>> speed_up;  // [candidate][case]
  std::vector<double> seconds;                // per case, of the baseline
  int hangs = -1;                             // candidate
};

inline Case planted_case(Collective collective, DataType dtype, std::int64_t bytes, double calls) {
  Case c;
  c.collective = collective;
  c.dtype = dtype;
  c.requested = Bytes{bytes};
  const CaseSize size = nccl_tests_size(collective, dtype, c.requested, 2);
  c.size = size.size;
  c.count = size.count_column;
  c.group_size = 2;
  c.calls = calls;
  c.workload_group_size = calls > 0 ? 2 : 0;
  return c;
}

inline RunRecord planted_record(std::string name, std::vector<Candidate> candidates,
                                std::vector<Case> cases) {
  RunRecord run;
  run.version = "0.1.0";
  run.argv = {"nccl-sweep", "run", name + ".json"};
  run.name = std::move(name);
  run.backend = "nccl";
  run.seed = 7;
  run.started = "2026-01-02T03:04:05Z";
  run.fabric.name = "planted-2-nvlink";
  run.fabric.fingerprint = "0123abcd";
  run.fabric.device = "Planted GPU";
  run.fabric.ranks_per_node = 2;
  run.fabric.hosts = {"node1.example.org"};
  run.fabric.versions = {{"nccl", "2.28.9"}};
  run.ranks = 2;
  run.agents = 1;
  run.workers = 2;
  run.candidates = std::move(candidates);
  run.cases = std::move(cases);
  run.arena = Bytes{1 << 30};
  return run;
}

inline TrialOutcome planted_trial(const PlantedRun& planted, const TrialOrder& order) {
  TrialOutcome trial;
  trial.order = order;
  trial.total_seconds = 1.5;
  if (order.candidate == planted.hangs) {
    trial.outcome = Outcome::hung;
    trial.failure = Failure{Phase::measure,
                            1,
                            "node1.example.org",
                            0,
                            "block 2 of 3",
                            "no progress for 30 s",
                            {0},
                            {"last | log line"},
                            "logs/trial-3-rank-1.log"};
    return trial;
  }
  trial.start_up_seconds = 0.9;
  trial.connect_seconds = 0.3;
  trial.peak_rss_bytes = 500 << 20;
  for (int i = 0; i < static_cast<int>(planted.seconds.size()); ++i) {
    const auto c = static_cast<std::size_t>(i);
    const double gain = planted.speed_up[static_cast<std::size_t>(order.candidate)][c];
    CaseTiming timing;
    timing.case_index = i;
    timing.ops_per_block = 20;
    for (int block = 0; block < 3; ++block) {
      const double noise = wiggle(order.index, i) + 0.2 * wiggle(order.index, i, block);
      timing.mean_seconds.push_back(rounded(planted.seconds[c] / gain * std::exp(noise)));
      timing.max_seconds.push_back(rounded(timing.mean_seconds.back() * 1.01));
      timing.slowest_rank.push_back(block % 2);
    }
    timing.wrong_elements = 0;
    timing.cpu_seconds = 0.2;
    timing.wall_seconds = 0.1;
    if (order.stage == Stage::load) {
      timing.load_alone_seconds = 2e-3;
      timing.load_beside_seconds = order.candidate == 0 ? 2.1e-3 : 2.9e-3;
    }
    trial.cases.push_back(std::move(timing));
  }
  return trial;
}

inline RunData measured(const PlantedRun& planted, TrialQueue& experiment) {
  RunData data;
  data.run = planted.run;
  EndRecord end{"complete", 0, 0, 0, 0.1};
  while (const auto order = experiment.next()) {
    data.trials.push_back(planted_trial(planted, *order));
    experiment.record(data.trials.back());
    ++end.trials;
    end.failed += data.trials.back().outcome == Outcome::complete ? 0 : 1;
    end.seconds += 1.5;
  }
  data.end = end;
  return data;
}

// A workload run: one setting is 20 % faster, one hangs, one is chosen by nobody.
inline RunData workload_run() {
  PlantedRun p;
  p.run =
      planted_record("workload",
                     {{},
                      {{{"NCCL_MIN_CTAS", "16"}, {"buffer", "registered"}}},
                      {{{"NCCL_MIN_CTAS", "32"}, {"buffer", "registered"}}},
                      {{{"NCCL_ALGO", "NVLS|Ring"}}}},
                     {planted_case(Collective::all_gather, DataType::bfloat16, 64 << 20, 30),
                      planted_case(Collective::reduce_scatter, DataType::float32, 128 << 20, 30),
                      planted_case(Collective::all_reduce, DataType::float32, 4096, 2)});
  p.run.workload = WorkloadSummary{"job.workload.json", "kineto", 10};
  p.run.environment = {{"NCCL_DEBUG", "WARN"}};
  p.run.notes = {"NCCL_TOPO_FILE unset on all ranks"};
  p.speed_up = {{1, 1, 1}, {1.2, 1.2, 1}, {1.02, 1.02, 1}, {1, 1, 1}};
  p.seconds = {160e-6, 410e-6, 12e-6};
  p.hangs = 3;
  ScreenConfirm experiment(4, Score(p.run.cases), p.run.seed, {});
  return measured(p, experiment);
}

// A simulated run in which nothing helps.
inline RunData simulated_run() {
  PlantedRun p;
  p.run = planted_record("simulated", {{}, {{{"NCCL_IB_QPS_PER_CONNECTION", "4"}}}},
                         {planted_case(Collective::all_gather, DataType::float32, 1 << 20, 0),
                          planted_case(Collective::all_gather, DataType::float32, 64 << 20, 0)});
  p.run.backend = "model";
  p.run.simulated = true;
  p.run.fabric.name = "planted-rails";
  p.speed_up = {{1, 1}, {1, 1}};
  p.seconds = {60e-6, 900e-6};
  ScreenConfirm experiment(2, Score(p.run.cases), p.run.seed, {});
  return measured(p, experiment);
}

// A fixed grid: one faster, one slower.
inline RunData grid_run() {
  PlantedRun p;
  p.run = planted_record("grid", {{}, {{{"NCCL_PROTO", "Simple"}}}, {{{"NCCL_PROTO", "LL"}}}},
                         {planted_case(Collective::all_reduce, DataType::bfloat16, 16 << 20, 0),
                          planted_case(Collective::all_reduce, DataType::bfloat16, 1 << 30, 0)});
  p.speed_up = {{1, 1}, {1.08, 1.08}, {0.6, 0.5}};
  p.seconds = {90e-6, 4200e-6};
  FixedGrid experiment(3, 6, p.run.seed);
  return measured(p, experiment);
}

// Settings that were predicted to be alike: one of them rides along with the first pairs. The
// winner is described after the decision, and what it takes from the compute is named.
inline RunData alarm_run() {
  PlantedRun p;
  p.run = planted_record("alarm",
                         {{}, {{{"NCCL_NVLS_ENABLE", "0"}}}},
                         {planted_case(Collective::all_gather, DataType::bfloat16, 64 << 20, 0),
                          planted_case(Collective::all_gather, DataType::bfloat16, 1 << 30, 0)});
  p.run.collapsed = {{{{{"NCCL_NVLS_ENABLE", "2"}}}, 0, "NCCL_NVLS_ENABLE=2 is the default"}};
  p.speed_up = {{1, 1}, {1.15, 1.1}, {1, 1}};
  p.seconds = {310e-6, 4200e-6};
  ScreenConfirmOptions options;
  options.twin = 2;
  options.closing = {ClosingTrials::Whom::contenders, ClosingTrials::Whom::contenders};
  ScreenConfirm experiment(2, Score(p.run.cases), p.run.seed, options);
  return measured(p, experiment);
}

// The same where the twin comes out faster.
inline RunData raised_alarm_run() {
  RunData data = alarm_run();
  for (TrialOutcome& trial : data.trials) {
    if (trial.order.stage != Stage::alarm) continue;
    for (CaseTiming& timing : trial.cases) {
      for (double& seconds : timing.mean_seconds) seconds = rounded(seconds / 1.1);
    }
  }
  return data;
}

// The default only, both placements, as `bench` does.
inline RunData bench_run() {
  PlantedRun p;
  std::vector<Case> cases;
  for (const std::int64_t bytes : {64LL << 10, 1LL << 20, 1LL << 30}) {
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      cases.push_back(planted_case(Collective::all_gather, DataType::float32, bytes, 0));
      cases.back().placement = placement;
    }
  }
  p.run = planted_record("bench", {Candidate{}}, std::move(cases));
  p.speed_up = {{1, 1, 1, 1, 1, 1}};
  p.seconds = {10.99e-6, 10.21e-6, 13.3e-6, 13.06e-6, 1951.82e-6, 1824.86e-6};
  FixedGrid experiment(1, 1, p.run.seed);
  return measured(p, experiment);
}

// What the run's record file holds.
inline std::string records_text(const RunData& data) {
  std::string text = to_line(data.run) + "\n";
  for (const TrialOutcome& trial : data.trials) {
    for (const CaseTiming& timing : trial.cases) {
      text += to_line(BlocksRecord{trial.order, timing}) + "\n";
    }
    if (trial.failure) {
      text += to_line(FailureRecord{trial.order, trial.outcome, *trial.failure}) + "\n";
    }
    TrialRecord closing;
    closing.order = trial.order;
    closing.outcome = trial.outcome;
    closing.finished = "2026-01-02T03:04:06Z";
    closing.total_seconds = trial.total_seconds;
    closing.start_up_seconds = trial.start_up_seconds;
    closing.connect_seconds = trial.connect_seconds;
    closing.peak_rss_bytes = trial.peak_rss_bytes;
    text += to_line(closing) + "\n";
  }
  if (data.end) text += to_line(*data.end) + "\n";
  return text;
}

}  // namespace nccl_sweep::tests
