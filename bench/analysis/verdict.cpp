// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/alarm.hpp"
#include "analysis/comparison.hpp"
#include "analysis/fixed_design.hpp"
#include "analysis/points.hpp"
#include "analysis/screen_power.hpp"

namespace nccl_sweep {
namespace {

constexpr int kFailuresThatDisqualify = 2;  // of the finalist during its confirmation

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::vector<double> pair_differences(const Dataset& dataset, int case_index) {
  std::vector<double> differences;
  for (const SamplePair& pair : dataset.pairs()) {
    const double d = log_time(*pair.baseline, case_index) - log_time(*pair.candidate, case_index);
    if (std::isfinite(d)) differences.push_back(d);
  }
  return differences;
}

double mean_trial_seconds(const RunData& data) {
  double sum = 0;
  int complete = 0;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.outcome != Outcome::complete || !is_analysed(trial.order.stage)) continue;
    sum += trial.total_seconds;
    ++complete;
  }
  return complete > 0 ? sum / complete : 0;
}

// Works out RunFindings step by step; lives as long as find() runs.
class Analysis {
 public:
  explicit Analysis(const RunData& data)
      : data_(data), dataset_(data), rule_(rule_of(data.run)), cases_(data.run.cases.size()) {}

  RunFindings run() {
    findings_.design = dataset_.design();
    findings_.finalist = dataset_.finalist();
    findings_.candidates = describe_candidates(data_);
    findings_.points = measure_points(data_, dataset_);
    for (Point& point : findings_.points) {
      point.effect = find_effect(data_, point.candidate, point.case_index);
      point.path = launched_path(data_, point.candidate, point.case_index);
    }
    findings_.noise_floor = noise_floor(data_, dataset_);
    if (dataset_.design() != Design::launches) {  // whose order in time is not known
      findings_.machine_change = find_machine_change(dataset_);
    }
    findings_.mean_trial_seconds = mean_trial_seconds(data_);
    if (dataset_.design() == Design::grid) judge_rounds();
    if (dataset_.design() == Design::launches) judge_launches();
    if (dataset_.design() == Design::screen_confirm) {
      judge_screening();
      judge_pairs();
    }
    findings_.alarm = find_alarm(data_, dataset_, rule_);
    overrule_failures();
    return std::move(findings_);
  }

 private:
  Finding* finding_of(int candidate, int case_index) {
    if (case_index == kScore) return &findings_.candidates[index(candidate)].score;
    for (Point& point : findings_.points) {
      if (point.candidate == candidate && point.case_index == case_index) return &point.finding;
    }
    return nullptr;
  }

  void judge_pairs() {
    if (!dataset_.finalist()) return;
    const int finalist = *dataset_.finalist();
    const std::vector<double> by_score = pair_differences(dataset_, kScore);
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
          log_table(dataset_.complete_rounds(Stage::confirm, {0, finalist}), kScore));
      findings_.screen_kept_probability =
          screen_keeps_probability(static_cast<int>(data_.run.candidates.size()),
                                   rule_.smallest_gain, noise.residuals, data_.run.seed,
                                   findings_.machine_change);
    }
  }

  // Medians of the rounds shared with the baseline, shown without interval and without claim.
  void judge_screening() {
    for (int c = 1; c < static_cast<int>(data_.run.candidates.size()); ++c) {
      const auto rows = dataset_.complete_rounds(Stage::screen, {0, c});
      for (int i = kScore; i < static_cast<int>(cases_); ++i) {
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

  // The default and all that were measured, never failed, and are known for what they are.
  std::vector<int> comparable() const {
    std::vector<int> found{0};
    for (const CandidateFinding& c : findings_.candidates) {
      const bool known = data_.run.candidates[index(c.candidate)].is_known();
      if (c.candidate != 0 && c.failures == 0 && c.trials > 0 && known) {
        found.push_back(c.candidate);
      }
    }
    return found;
  }

  void judge_launches() {
    const std::vector<int> compared = comparable();
    if (compared.size() < 2) return;
    const FixedDesign by_score(rule_, 1);
    const FixedDesign by_case(rule_, static_cast<int>(cases_));
    for (int i = kScore; i < static_cast<int>(cases_); ++i) {
      const FixedDesign& design = i == kScore ? by_score : by_case;
      const std::vector<Finding> found = design.judge_launches(dataset_.launches(compared, i));
      for (std::size_t c = 0; c < found.size(); ++c) {
        Finding* finding = finding_of(compared[c + 1], i);
        if (finding != nullptr) *finding = found[c];
      }
    }
  }

  void judge_rounds() {
    const std::vector<int> complete = comparable();
    if (complete.size() < 2) return;
    const auto rows = dataset_.complete_rounds(Stage::grid, complete);
    findings_.pairs = static_cast<int>(rows.size());
    std::vector<std::vector<SampleRow>> shared;  // rounds of the default and one other
    for (std::size_t c = 1; c < complete.size(); ++c) {
      shared.push_back(dataset_.complete_rounds(Stage::grid, {0, complete[c]}));
    }
    const FixedDesign by_score(rule_, 1);
    const FixedDesign by_case(rule_, static_cast<int>(cases_));
    for (int i = kScore; i < static_cast<int>(cases_); ++i) {
      std::vector<std::vector<double>> differences;
      for (const auto& rounds : shared) {
        differences.emplace_back();
        for (const auto& row : log_table(rounds, i)) differences.back().push_back(row[0] - row[1]);
      }
      const FixedDesign& design = i == kScore ? by_score : by_case;
      const std::vector<Finding> found = design.judge_rounds(differences, log_table(rows, i));
      for (std::size_t c = 0; c < found.size(); ++c) {
        Finding* finding = finding_of(complete[c + 1], i);
        if (finding != nullptr) *finding = found[c];
      }
    }
  }

  void overrule_failures() {
    for (const TrialOutcome& trial : data_.trials) {
      if (is_descriptive(trial.order.stage)) continue;
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
  if (run.imported && !run.simulated) {
    return "holds for these launches: they were not interleaved, so what changed between them counts";
  }
  if (run.simulated) {
    return "SIMULATED: holds for the model's assumptions, says nothing about real hardware";
  }
  if (!run.mismatches.empty()) {
    return "holds for nodes that differ as they did here, and for this hour";
  }
  if (run.fabric.nodes <= 1) return "holds for this allocation, this node, this hour";
  return "holds for this allocation, these nodes, this hour";
}

}  // namespace nccl_sweep
