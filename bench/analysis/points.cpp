// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics.hpp"

namespace nccl_sweep {
namespace {

constexpr double kUnsteady = 1.05;
constexpr double kLongOp = 1e-3;        // from here on both clocks must agree
constexpr double kClocksAgree = 0.005;
constexpr double kLaunchBound = 50e-6;  // seconds an op: below, launching dominates

std::size_t index(int i) { return static_cast<std::size_t>(i); }

CandidateFinding describe_candidate(const RunData& data, int candidate) {
  CandidateFinding found;
  found.candidate = candidate;
  if (candidate == 0) found.score.verdict = Verdict::baseline;
  std::vector<double> start_up;
  std::vector<double> connect;
  std::vector<double> device_bytes;
  double cpu = 0;
  double wall = 0;
  for (const TrialOutcome& trial : data.trials) {
    const TrialOrder& order = trial.order;
    if (order.candidate != candidate || is_descriptive(order.stage)) continue;
    if (trial.outcome != Outcome::complete) {
      found.failures += trial.outcome == Outcome::stopped ? 0 : 1;
      continue;
    }
    if (!is_analysed(order.stage)) continue;
    ++found.trials;
    if (order.stage == Stage::screen) {
      found.last_screen_round = std::max(found.last_screen_round, order.round);
    }
    start_up.push_back(trial.start_up_seconds);
    connect.push_back(trial.connect_seconds);
    device_bytes.push_back(static_cast<double>(trial.device_bytes));
    for (const CaseTiming& timing : trial.cases) {
      cpu += timing.cpu_seconds;
      wall += timing.wall_seconds;
    }
    found.peak_rss_bytes = std::max(found.peak_rss_bytes, trial.peak_rss_bytes);
  }
  if (!start_up.empty()) {
    found.start_up_seconds = statistics::median(std::move(start_up));
    found.connect_seconds = statistics::median(std::move(connect));
    found.device_bytes =
        static_cast<std::int64_t>(statistics::median(std::move(device_bytes)));
  }
  if (wall > 0) found.cpu_share = cpu / wall;
  return found;
}

// Trials mostly have all cases, in order: a run of thousands of either must not be searched for each.
const CaseTiming* timing_of(const TrialOutcome& trial, int case_index) {
  const auto is_it = [&](const CaseTiming& timing) { return timing.case_index == case_index; };
  const auto guess = index(case_index);
  if (guess < trial.cases.size() && is_it(trial.cases[guess])) return &trial.cases[guess];
  const auto found = std::find_if(trial.cases.begin(), trial.cases.end(), is_it);
  return found == trial.cases.end() ? nullptr : &*found;
}

// By the median over trials of the host's time / the device's.
bool clocks_differ(const RunData& data, int candidate, int case_index) {
  std::vector<double> ratios;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != candidate || !is_analysed(trial.order.stage)) continue;
    const CaseTiming* timing = timing_of(trial, case_index);
    if (timing == nullptr || timing->device_seconds.empty()) continue;
    ratios.push_back(statistics::median(timing->mean_seconds) /
                     statistics::median(timing->device_seconds));
  }
  return !ratios.empty() && std::abs(statistics::median(std::move(ratios)) - 1) > kClocksAgree;
}

// Median over trials of mean / median over a trial's blocks: 1 where all blocks are alike.
double raggedness(const RunData& data, const Dataset& dataset, int candidate, int case_index) {
  std::vector<double> ratios;
  const Stage stage = dataset.evidence_stage(candidate);
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != candidate || trial.order.stage != stage) continue;
    const CaseTiming* timing = timing_of(trial, case_index);
    if (timing == nullptr || timing->mean_seconds.empty()) continue;
    ratios.push_back(statistics::mean(timing->mean_seconds) /
                     statistics::median(timing->mean_seconds));
  }
  return ratios.empty() ? 1 : statistics::median(std::move(ratios));
}

std::optional<double> load_slowdown(const RunData& data, int candidate, int case_index) {
  for (const TrialOutcome& trial : data.trials) {
    const bool loaded = trial.order.stage == Stage::load && trial.order.candidate == candidate;
    if (!loaded || trial.outcome != Outcome::complete) continue;
    const CaseTiming* timing = timing_of(trial, case_index);
    if (timing != nullptr && timing->load_alone_seconds > 0) {
      return timing->load_beside_seconds / timing->load_alone_seconds;
    }
  }
  return std::nullopt;
}

// Within settings, where launches have no rounds.
double deviation_of_launches(const Dataset& dataset, const std::vector<int>& candidates,
                             int case_index) {
  const auto noise = statistics::pooled_noise(dataset.launches(candidates, case_index));
  return noise.degrees_of_freedom > 0 ? noise.standard_deviation
                                      : std::numeric_limits<double>::quiet_NaN();
}

// Of the baseline where nothing was varied.
double deviation_of_baseline(const Dataset& dataset, int case_index) {
  std::vector<double> logs;
  for (const Sample* sample : dataset.samples(0, Stage::grid)) {
    logs.push_back(log_time(*sample, case_index));
  }
  return logs.size() > 1 ? statistics::standard_deviation(logs)
                         : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<CandidateFinding> describe_candidates(const RunData& data) {
  std::vector<CandidateFinding> found;
  for (int c = 0; c < static_cast<int>(data.run.candidates.size()); ++c) {
    found.push_back(describe_candidate(data, c));
  }
  return found;
}

std::vector<Point> measure_points(const RunData& data, const Dataset& dataset) {
  const bool launches = data.run.backend != "host";  // nothing is launched on a device there
  const int cases = static_cast<int>(data.run.cases.size());
  std::vector<Seconds> baseline(data.run.cases.size());
  std::vector<Point> points;
  for (int candidate = 0; candidate < static_cast<int>(data.run.candidates.size()); ++candidate) {
    const auto samples = dataset.samples(candidate, dataset.evidence_stage(candidate));
    for (int i = 0; i < cases; ++i) {
      std::vector<double> seconds;
      for (const Sample* sample : samples) {
        if (sample->seconds[index(i)] > 0) seconds.push_back(sample->seconds[index(i)]);
      }
      if (seconds.empty()) continue;
      const Case& c = data.run.cases[index(i)];
      Point p;
      p.candidate = candidate;
      p.case_index = i;
      p.finding.verdict = candidate == 0 ? Verdict::baseline : Verdict::undecided;
      p.trials = static_cast<int>(seconds.size());
      p.median = Seconds{statistics::median(std::move(seconds))};
      p.algbw = algorithm_bandwidth(c.size, p.median);
      p.busbw = bus_bandwidth(c.collective, c.size, c.group_size, p.median);
      if (candidate == 0) baseline[index(i)] = p.median;
      const double time = baseline[index(i)].count();
      p.launch_bound = launches && !c.graph && time > 0 && time < kLaunchBound;
      p.clocks_differ = p.median.count() >= kLongOp && clocks_differ(data, candidate, i);
      p.unsteady = candidate != 0 && raggedness(data, dataset, candidate, i) >
                                         kUnsteady * raggedness(data, dataset, 0, i);
      p.load_slowdown = load_slowdown(data, candidate, i);
      points.push_back(p);
    }
  }
  return points;
}

std::vector<double> noise_floor(const RunData& data, const Dataset& dataset) {
  std::vector<int> candidates{0};
  if (dataset.finalist()) candidates.push_back(*dataset.finalist());
  const Design design = dataset.design();
  if (design == Design::grid || design == Design::launches) {
    for (const CandidateFinding& c : describe_candidates(data)) {
      const bool known = data.run.candidates[index(c.candidate)].is_known();
      if (c.candidate != 0 && c.failures == 0 && known) candidates.push_back(c.candidate);
    }
  }
  const Stage stage = design == Design::grid ? Stage::grid : Stage::confirm;
  const auto rows = dataset.complete_rounds(stage, candidates);
  std::vector<double> floor;
  for (int i = 0; i < static_cast<int>(data.run.cases.size()); ++i) {
    if (design == Design::baseline_only) {
      floor.push_back(deviation_of_baseline(dataset, i));
      continue;
    }
    if (design == Design::launches) {
      floor.push_back(deviation_of_launches(dataset, candidates, i));
      continue;
    }
    const auto noise = statistics::two_way_noise(log_table(rows, i));
    floor.push_back(noise.degrees_of_freedom > 0 ? noise.standard_deviation
                                                 : std::numeric_limits<double>::quiet_NaN());
  }
  return floor;
}

}  // namespace nccl_sweep
