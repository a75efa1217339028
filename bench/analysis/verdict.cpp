// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/comparison.hpp"
#include "analysis/screen_power.hpp"

namespace nccl_sweep {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnsteady = 1.05;
constexpr double kLaunchBound = 50e-6;      // seconds an op: below, launching dominates
constexpr int kFailuresThatDisqualify = 2;  // of the finalist during its confirmation

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The value compared: a case's ln time, or the score where case_index is -1.
double log_time(const Sample& sample, int case_index) {
  return case_index < 0 ? sample.score : std::log(sample.seconds[index(case_index)]);
}

std::vector<double> pair_differences(const Dataset& dataset, int case_index) {
  std::vector<double> differences;
  for (const SamplePair& pair : dataset.pairs()) {
    const double d = log_time(*pair.baseline, case_index) - log_time(*pair.candidate, case_index);
    if (std::isfinite(d)) differences.push_back(d);
  }
  return differences;
}

std::vector<std::vector<double>> log_table(const std::vector<SampleRow>& rows, int case_index) {
  std::vector<std::vector<double>> table;
  for (const SampleRow& row : rows) {
    std::vector<double> values;
    for (const Sample* sample : row) values.push_back(log_time(*sample, case_index));
    if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      table.push_back(std::move(values));
    }
  }
  return table;
}

// Works out RunFindings step by step; lives as long as find() runs.
class Analysis {
 public:
  explicit Analysis(const RunData& data)
      : data_(data), dataset_(data), rule_(rule_of(data.run)), cases_(data.run.cases.size()) {}

  RunFindings run() {
    findings_.design = dataset_.design();
    findings_.finalist = dataset_.finalist();
    for (int c = 0; c < static_cast<int>(data_.run.candidates.size()); ++c) {
      findings_.candidates.push_back(describe_candidate(c));
      for (int i = 0; i < static_cast<int>(cases_); ++i) add_point(c, i);
    }
    mark_points();
    if (dataset_.design() == Design::grid) judge_rounds();
    if (dataset_.design() == Design::screen_confirm) {
      judge_screening();
      judge_pairs();
    }
    overrule_failures();
    find_noise();
    return std::move(findings_);
  }

 private:
  CandidateFinding describe_candidate(int candidate) const {
    CandidateFinding found;
    found.candidate = candidate;
    if (candidate == 0) found.score.verdict = Verdict::baseline;
    std::vector<double> start_up;
    double cpu = 0;
    double wall = 0;
    for (const TrialOutcome& trial : data_.trials) {
      const TrialOrder& order = trial.order;
      if (order.candidate != candidate || order.stage == Stage::burn_in) continue;
      if (trial.outcome != Outcome::complete) {
        found.failures += trial.outcome == Outcome::stopped ? 0 : 1;
        continue;
      }
      if (order.stage == Stage::sentinel) continue;
      ++found.trials;
      if (order.stage == Stage::screen) {
        found.last_screen_round = std::max(found.last_screen_round, order.round);
      }
      start_up.push_back(trial.start_up_seconds);
      for (const CaseTiming& timing : trial.cases) {
        cpu += timing.cpu_seconds;
        wall += timing.wall_seconds;
      }
      found.peak_rss_bytes = std::max(found.peak_rss_bytes, trial.peak_rss_bytes);
    }
    if (!start_up.empty()) found.start_up_seconds = statistics::median(std::move(start_up));
    if (wall > 0) found.cpu_share = cpu / wall;
    return found;
  }

  void add_point(int candidate, int case_index) {
    std::vector<double> seconds;
    for (const Sample* sample : dataset_.samples(candidate, dataset_.evidence_stage(candidate))) {
      const double value = sample->seconds[index(case_index)];
      if (value > 0) seconds.push_back(value);
    }
    if (seconds.empty()) return;
    const Case& c = data_.run.cases[index(case_index)];
    Point point;
    point.candidate = candidate;
    point.case_index = case_index;
    point.finding.verdict = candidate == 0 ? Verdict::baseline : Verdict::undecided;
    point.trials = static_cast<int>(seconds.size());
    point.median = Seconds{statistics::median(std::move(seconds))};
    point.algbw = algorithm_bandwidth(c.size, point.median);
    point.busbw = bus_bandwidth(c.collective, c.size, c.group_size, point.median);
    findings_.points.push_back(point);
  }

  // Median over trials of mean / median over a trial's blocks: 1 where all blocks are alike.
  double raggedness(int candidate, int case_index) const {
    std::vector<double> ratios;
    const Stage stage = dataset_.evidence_stage(candidate);
    for (const TrialOutcome& trial : data_.trials) {
      if (trial.order.candidate != candidate || trial.order.stage != stage) continue;
      for (const CaseTiming& timing : trial.cases) {
        if (timing.case_index != case_index || timing.mean_seconds.empty()) continue;
        ratios.push_back(statistics::mean(timing.mean_seconds) /
                         statistics::median(timing.mean_seconds));
      }
    }
    return ratios.empty() ? 1 : statistics::median(std::move(ratios));
  }

  void mark_points() {
    const bool launches = data_.run.backend != "host";  // nothing is launched on a device there
    for (Point& point : findings_.points) {
      const Point* baseline = findings_.point(0, point.case_index);
      point.launch_bound =
          launches && baseline != nullptr && baseline->median.count() < kLaunchBound;
      point.unsteady = point.candidate != 0 && raggedness(point.candidate, point.case_index) >
                                                   kUnsteady * raggedness(0, point.case_index);
    }
  }

  Finding* finding_of(int candidate, int case_index) {
    if (case_index < 0) return &findings_.candidates[index(candidate)].score;
    for (Point& point : findings_.points) {
      if (point.candidate == candidate && point.case_index == case_index) return &point.finding;
    }
    return nullptr;
  }

  void judge_pairs() {
    if (!dataset_.finalist()) return;
    const int finalist = *dataset_.finalist();
    const std::vector<double> by_score = pair_differences(dataset_, -1);
    findings_.pairs = static_cast<int>(by_score.size());
    findings_.decision = decide(by_score, rule_);
    const Finding score = judge_score(by_score, rule_);
    findings_.candidates[index(finalist)].score = score;
    std::vector<std::vector<double>> by_case;
    std::vector<int> measured;
    for (int i = 0; i < static_cast<int>(cases_); ++i) {
      std::vector<double> differences = pair_differences(dataset_, i);
      if (differences.empty() || finding_of(finalist, i) == nullptr) continue;
      by_case.push_back(std::move(differences));
      measured.push_back(i);
    }
    const std::vector<Finding> cases = judge_cases(by_case, rule_);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      *finding_of(finalist, measured[i]) = cases[i];
    }
    // Where the score is one case's time, that case was the hypothesis that was tested.
    const std::vector<std::size_t>& used = dataset_.score().cases_used();
    if (used.size() == 1) {
      Finding* row = finding_of(finalist, static_cast<int>(used.front()));
      if (row != nullptr) *row = score;
    }
    if (score.verdict == Verdict::no_gain || score.verdict == Verdict::worse) {
      const auto noise = statistics::two_way_noise(
          log_table(dataset_.complete_rounds(Stage::confirm, {0, finalist}), -1));
      findings_.screen_kept_probability =
          screen_keeps_probability(static_cast<int>(data_.run.candidates.size()),
                                   rule_.smallest_gain, noise.residuals, data_.run.seed);
    }
  }

  // Medians of the rounds shared with the baseline, shown without interval and without claim.
  void judge_screening() {
    for (int c = 1; c < static_cast<int>(data_.run.candidates.size()); ++c) {
      const auto rows = dataset_.complete_rounds(Stage::screen, {0, c});
      for (int i = -1; i < static_cast<int>(cases_); ++i) {
        Finding* finding = finding_of(c, i);
        if (finding == nullptr) continue;
        finding->verdict = Verdict::not_confirmed;
        std::vector<double> differences;
        for (const auto& row : log_table(rows, i)) differences.push_back(row[0] - row[1]);
        if (differences.empty()) continue;
        const auto rounds = static_cast<int>(differences.size());
        finding->gain =
            Gain{std::exp(statistics::median(std::move(differences))), {0, 0}, 0, rounds};
      }
    }
  }

  void judge_rounds() {
    std::vector<int> complete{0};
    for (const CandidateFinding& c : findings_.candidates) {
      if (c.candidate != 0 && c.failures == 0 && c.trials > 0) complete.push_back(c.candidate);
    }
    if (complete.size() < 2) return;
    const auto rows = dataset_.complete_rounds(Stage::grid, complete);
    findings_.pairs = static_cast<int>(rows.size());
    const int others = static_cast<int>(complete.size()) - 1;
    for (int i = -1; i < static_cast<int>(cases_); ++i) {
      const int comparisons = others * (i < 0 ? 1 : static_cast<int>(cases_));
      const std::vector<Finding> found = judge_grid(log_table(rows, i), comparisons, rule_);
      for (std::size_t c = 0; c < found.size(); ++c) {
        Finding* finding = finding_of(complete[c + 1], i);
        if (finding != nullptr) *finding = found[c];
      }
    }
  }

  void overrule_failures() {
    for (const TrialOutcome& trial : data_.trials) {
      const int c = trial.order.candidate;
      const bool fine = trial.outcome == Outcome::complete || trial.outcome == Outcome::stopped;
      if (fine || c == 0) continue;
      const bool tolerated = trial.order.stage == Stage::confirm &&
                             trial.outcome != Outcome::wrong_data &&
                             findings_.candidates[index(c)].failures < kFailuresThatDisqualify;
      Finding& score = findings_.candidates[index(c)].score;
      if (tolerated || score.verdict == Verdict::wrong_data) continue;
      const Verdict verdict =
          trial.outcome == Outcome::wrong_data ? Verdict::wrong_data : Verdict::failed;
      score.verdict = verdict;
      for (Point& point : findings_.points) {
        if (point.candidate == c) point.finding.verdict = verdict;
      }
    }
  }

  void find_noise() {
    std::vector<int> candidates{0};
    Stage stage = Stage::confirm;
    if (dataset_.design() == Design::grid) {
      stage = Stage::grid;
      for (const CandidateFinding& c : findings_.candidates) {
        if (c.candidate != 0 && c.failures == 0) candidates.push_back(c.candidate);
      }
    } else if (dataset_.finalist()) {
      candidates.push_back(*dataset_.finalist());
    }
    const auto rows = dataset_.complete_rounds(stage, candidates);
    for (int i = 0; i < static_cast<int>(cases_); ++i) {
      findings_.noise_floor.push_back(kNaN);
      if (dataset_.design() == Design::baseline_only) {
        std::vector<double> logs;
        for (const Sample* s : dataset_.samples(0, Stage::grid)) logs.push_back(log_time(*s, i));
        if (logs.size() > 1) findings_.noise_floor.back() = statistics::standard_deviation(logs);
        continue;
      }
      const auto noise = statistics::two_way_noise(log_table(rows, i));
      if (noise.degrees_of_freedom > 0) findings_.noise_floor.back() = noise.standard_deviation;
    }
  }

  const RunData& data_;
  Dataset dataset_;
  DecisionRule rule_;
  std::size_t cases_;
  RunFindings findings_;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 8> kWords{"baseline", "better",    "no gain",
                                                   "worse",    "undecided", "not confirmed",
                                                   "failed",   "wrong data"};
  return kWords.at(static_cast<std::size_t>(verdict));
}

const Point* RunFindings::point(int candidate, int case_index) const {
  const auto found = std::find_if(points.begin(), points.end(), [&](const Point& p) {
    return p.candidate == candidate && p.case_index == case_index;
  });
  return found == points.end() ? nullptr : &*found;
}

RunFindings find(const RunData& data) { return Analysis(data).run(); }

std::string scope_line(const RunRecord& run) {
  if (run.simulated) {
    return "SIMULATED: holds for the model's assumptions, says nothing about real hardware";
  }
  if (run.fabric.nodes <= 1) return "holds for this allocation, this node, this hour";
  return "holds for this allocation, these nodes, this hour";
}

}  // namespace nccl_sweep
