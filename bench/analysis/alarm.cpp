// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/alarm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/comparison.hpp"

namespace nccl_sweep {
namespace {

double percent(double ratio) { return std::abs(ratio - 1) * 100; }

// How it went against the prediction: "came out 3.0 % faster (3 pairs)".
std::string surprise(const AlarmFinding& alarm) {
  if (alarm.wrong_data) return fmt::format("returned wrong data ({})", alarm.failure);
  if (alarm.always_failed()) {
    return fmt::format("failed in all of {} ({})", counted(alarm.trials, "trial"), alarm.failure);
  }
  const Gain& gain = *alarm.finding.gain;
  return fmt::format("came out {:.1f} % {} ({})", percent(gain.ratio),
                     alarm.finding.verdict == Verdict::better ? "faster" : "slower",
                     counted(gain.pairs, "pair"));
}

std::string reach_of(const std::optional<Gain>& gain) {
  if (!gain) return "too few pairs to tell";
  const statistics::Interval& reach = gain->interval;
  return fmt::format("= default within {:.1f} % ({})",
                     std::max(percent(reach.low), percent(reach.high)),
                     counted(gain->pairs, "pair"));
}

}  // namespace

std::optional<AlarmFinding> find_alarm(const RunData& data, const Dataset& dataset,
                                       const DecisionRule& rule) {
  AlarmFinding alarm;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.stage != Stage::alarm || trial.outcome == Outcome::stopped) continue;
    alarm.candidate = trial.order.candidate;
    ++alarm.trials;
    if (trial.outcome == Outcome::complete) continue;
    ++alarm.failures;
    const bool wrong = trial.outcome == Outcome::wrong_data;
    if (alarm.failure.empty() || (wrong && !alarm.wrong_data)) {
      const std::string message = trial.failure ? trial.failure->message : std::string();
      alarm.failure = wrong ? message : fmt::format("{}: {}", to_string(trial.outcome), message);
    }
    alarm.wrong_data = alarm.wrong_data || wrong;
  }
  if (alarm.trials == 0) return std::nullopt;
  std::vector<double> differences;
  for (const SamplePair& pair : dataset.alarm_pairs()) {
    const double d = pair.baseline->score - pair.candidate->score;
    if (std::isfinite(d)) differences.push_back(d);
  }
  if (differences.size() > 1) alarm.finding = judge_alarm(differences, rule);
  return alarm;
}

std::string alarm_line(const RunData& data, const RunFindings& findings) {
  if (!findings.alarm) return {};
  const AlarmFinding& alarm = *findings.alarm;
  const std::string name = name_of(setting_of(data.run, alarm.candidate));
  if (alarm.raised()) {
    return fmt::format("A/A alarm: {} is predicted to equal the default, and yet {}: this run's "
                       "differences are not to be trusted",
                       name, surprise(alarm));
  }
  const std::string reach = reach_of(alarm.finding.gain);
  if (alarm.failures > 0) {
    return fmt::format("A/A: {} failed {} of {} ({}); otherwise {}", name, alarm.failures,
                       counted(alarm.trials, "trial"), alarm.failure, reach);
  }
  return fmt::format("A/A: {}{} {}", name, alarm.finding.gain ? "" : ":", reach);
}

}  // namespace nccl_sweep
