// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from records to verdicts: a run whose report has 10 000 points (candidate x case), read
// back from its file and analysed. All figures are invented.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "analysis/statistics.hpp"
#include "analysis/verdict.hpp"
#include "core/records.hpp"

namespace nccl_sweep {
namespace {

constexpr int kRounds = 4;
constexpr int kCases = 100;

double noisy(int trial, int c) { return 1e-4 * (c + 1) * std::exp(0.01 * std::sin(trial * 7 + c)); }

RunData run_with(int candidates) {
  RunData data;
  data.run.backend = "host";
  data.run.spec = R"({"backend":"host","collectives":["all_gather"],"sizes":["1M"],"rounds":4})";
  data.run.ranks = 2;
  for (int i = 0; i < candidates; ++i) {
    data.run.candidates.push_back({});
    if (i > 0) data.run.candidates.back().assignments = {{"KNOB", std::to_string(i)}};
  }
  for (int c = 0; c < kCases; ++c) {
    Case one;
    one.group_size = 2;
    one.requested = one.size = Bytes{(c + 1) * (std::int64_t{1} << 20)};
    data.run.cases.push_back(one);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < candidates; ++i) {
      TrialOutcome trial;
      trial.order = {static_cast<int>(data.trials.size()), Stage::grid, round, i};
      for (int c = 0; c < kCases; ++c) {
        CaseTiming timing;
        timing.case_index = c;
        timing.ops_per_block = 10;
        timing.mean_seconds.assign(5, noisy(trial.order.index, c));
        timing.max_seconds = timing.mean_seconds;
        timing.slowest_rank.assign(5, 0);
        trial.cases.push_back(std::move(timing));
      }
      data.trials.push_back(std::move(trial));
    }
  }
  return data;
}

void analyse(benchmark::State& state) {
  const RunData data = run_with(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(find(data));
  state.counters["points"] = static_cast<double>(state.range(0) * kCases);
}
BENCHMARK(analyse)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

void read_records(benchmark::State& state) {
  const RunData data = run_with(static_cast<int>(state.range(0)));
  const auto file = std::filesystem::temp_directory_path() / "nccl-sweep-benchmark.jsonl";
  {
    std::ofstream out(file);
    out << to_line(data.run) << "\n";
    for (const TrialOutcome& trial : data.trials) {
      for (const CaseTiming& timing : trial.cases) {
        out << to_line(BlocksRecord{trial.order, timing}) << "\n";
      }
      out << to_line(TrialRecord{trial.order, Outcome::complete, "", 1, 0, 0, 0, 0, {}}) << "\n";
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_run(file));
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(file)) *
                          static_cast<std::int64_t>(state.iterations()));
  std::filesystem::remove(file);
}
BENCHMARK(read_records)->Arg(100)->Unit(benchmark::kMillisecond);

void paired_t(benchmark::State& state) {
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(0.01 + 0.1 * std::sin(i));
  for (auto _ : state) {
    benchmark::DoNotOptimize(statistics::p_value_greater(statistics::estimate_mean(values)));
  }
}
BENCHMARK(paired_t)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nccl_sweep

BENCHMARK_MAIN();
