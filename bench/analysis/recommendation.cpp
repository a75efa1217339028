// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "analysis/alarm.hpp"
#include "analysis/comparison.hpp"
#include "analysis/costs.hpp"

namespace nccl_sweep {
namespace {

constexpr double kNamedShare = 0.05;  // of the workload's time: smaller cases may get worse
constexpr double kSaysAllProbability = 0.95;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The finalist, or in a fixed design the fastest of those called better, else the fastest.
int find_contender(const RunFindings& findings) {
  if (findings.design == Design::screen_confirm) return findings.finalist.value_or(0);
  int best = 0;
  const auto key = [](const Finding& f) {
    return std::pair{f.verdict == Verdict::better, f.gain ? f.gain->ratio : 0};
  };
  for (const CandidateFinding& c : findings.candidates) {
    if (c.candidate == 0 || c.failures > 0 || !c.score.gain) continue;
    if (best == 0 || key(c.score) > key(findings.candidates[index(best)].score)) {
      best = c.candidate;
    }
  }
  return best;
}

std::vector<CaseShare> shares_of(const RunData& data, const RunFindings& findings, int candidate) {
  std::vector<CaseShare> shares;
  double total = 0;
  for (std::size_t i = 0; i < data.run.cases.size(); ++i) {
    const double calls = data.run.cases[i].calls;
    const Point* before = findings.point(0, static_cast<int>(i));
    const Point* after = findings.point(candidate, static_cast<int>(i));
    if (!(calls > 0) || before == nullptr || after == nullptr) continue;
    shares.push_back({static_cast<int>(i), calls * before->median, calls * after->median, 0});
    total += shares.back().before.count();
  }
  for (CaseShare& share : shares) share.share = share.before.count() / total;
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return shares;
}

std::optional<Prediction> predict(const RunData& data, const RunFindings& findings, int candidate) {
  const std::optional<Gain>& gain = findings.candidates[index(candidate)].score.gain;
  const bool workload = Score(data.run.cases).is_workload();
  if (!workload || candidate == 0 || !gain || !gain->has_interval()) return std::nullopt;
  Prediction prediction;
  prediction.shares = shares_of(data, findings, candidate);
  for (const CaseShare& share : prediction.shares) prediction.before += share.before;
  // From the paired ratio, not from the sum of medians, so it agrees with the interval.
  prediction.after = prediction.before / gain->ratio;
  prediction.gain = *gain;
  prediction.per_iteration = !data.run.workload || data.run.workload->iterations > 0;
  return prediction;
}

// Nothing where too few trials measured it.
std::optional<Gain> gain_of_case(const Dataset& dataset, int candidate, int case_index) {
  if (dataset.design() == Design::launches) {
    const auto launches = dataset.launches({0, candidate}, case_index);
    if (launches[0].size() < 2 || launches[1].size() < 2) return std::nullopt;
    return uncorrected_gain(launches[0], launches[1]);
  }
  const Stage stage = dataset.evidence_stage(candidate);
  std::vector<double> differences;
  for (const SampleRow& row : dataset.complete_rounds(stage, {0, candidate})) {
    const double d = log_time(*row[0], case_index) - log_time(*row[1], case_index);
    if (std::isfinite(d)) differences.push_back(d);
  }
  if (differences.size() < 2) return std::nullopt;
  return uncorrected_gain(differences);
}

std::vector<Regression> find_regressions(const RunData& data, const Dataset& dataset,
                                         const std::vector<CaseShare>& shares, int candidate) {
  std::vector<Regression> found;
  const std::vector<std::size_t>& used = dataset.score().cases_used();
  for (const std::size_t i : used) {
    const auto known = std::find_if(shares.begin(), shares.end(),
                                    [&](const CaseShare& s) { return index(s.case_index) == i; });
    const double share =
        known != shares.end() ? known->share : 1 / static_cast<double>(used.size());
    if (share <= kNamedShare) continue;
    const std::optional<Gain> gain = gain_of_case(dataset, candidate, static_cast<int>(i));
    const double named = 1 / (1 + rule_of(data.run).claimed_gain);
    if (gain && gain->interval.high < 1 && gain->ratio <= named) {
      found.push_back({static_cast<int>(i), share, *gain});
    }
  }
  return found;
}

std::vector<SizeWinner> find_size_winners(const RunData& data, const RunFindings& findings) {
  std::vector<SizeWinner> winners;
  for (int i = 0; i < static_cast<int>(data.run.cases.size()); ++i) {
    const Point* best = nullptr;
    for (const Point& point : findings.points) {
      if (point.case_index != i || point.finding.verdict != Verdict::better) continue;
      if (best == nullptr || point.finding.gain->ratio > best->finding.gain->ratio) best = &point;
    }
    if (best != nullptr) winners.push_back({i, best->candidate, *best->finding.gain});
  }
  return winners;
}

std::string no_gain_reason(const RunData& data, const RunFindings& findings, int contender) {
  const std::string name = name_of(data.run.candidates[index(contender)]);
  const double percent = data.run.smallest_gain * 100;
  if (findings.design == Design::grid || findings.design == Design::launches) {
    return fmt::format("no setting gains {:.3g} %; the fastest, {}, does not either", percent,
                       name);
  }
  const double kept = findings.screen_kept_probability.value_or(0);
  if (kept >= kSaysAllProbability) {
    return fmt::format(
        "nothing gains {:.3g} %: the finalist {} does not, and the screening keeps "
        "one that does in {:.0f} % of cases",
        percent, name, kept * 100);
  }
  return fmt::format(
      "the finalist {} gains less than {:.3g} %; the others are undecided: at this "
      "noise the screening keeps one that gains it in {:.0f} % of cases only",
      name, percent, kept * 100);
}

// "about 240 pairs (480 trials, about 40 min)"; in a grid a round is a trial of each candidate.
// Empty where more would not help or the number is unknown.
std::string price_of_deciding(const RunFindings& findings, const Finding& finding) {
  if (finding.pairs_needed <= findings.pairs) return {};
  const bool grid = findings.design == Design::grid;
  const auto trials_of_one = grid ? static_cast<std::int64_t>(findings.candidates.size()) : 2;
  const std::int64_t trials = finding.pairs_needed * trials_of_one;
  std::string price = "about " + counted(finding.pairs_needed, grid ? "round" : "pair") + " (" +
                      counted(trials, "trial");
  if (findings.mean_trial_seconds > 0) {
    const Seconds time{static_cast<double>(trials) * findings.mean_trial_seconds};
    price += ", about " + format_seconds(time);
  }
  return price + ")";
}

// "7 more of the default and 9 of NCCL_ALGO=Ring"
std::string more_launches(const RunFindings& findings, const CandidateFinding& candidate,
                          const std::string& name) {
  const int needed = candidate.score.pairs_needed;
  const int of_default = std::max(0, needed - findings.candidates.front().trials);
  const int of_candidate = std::max(0, needed - candidate.trials);
  if (of_default == 0) return fmt::format("{} more of {}", of_candidate, name);
  if (of_candidate == 0) return fmt::format("{} more of the default", of_default);
  return fmt::format("{} more of the default and {} of {}", of_default, of_candidate, name);
}

std::string undecided_launches(const RunData& data, const RunFindings& findings, int contender) {
  const CandidateFinding& candidate = findings.candidates[index(contender)];
  const std::string name = name_of(data.run.candidates[index(contender)]);
  const auto launches = [](int count) { return count == 1 ? "launch" : "launches"; };
  const int baseline = findings.candidates.front().trials;
  std::string reason = fmt::format("undecided after {} {} of the default and {} of {}", baseline,
                                   launches(baseline), candidate.trials, name);
  if (candidate.score.pairs_needed > 0) {
    reason += fmt::format("; at this noise about {} launches of each would settle {:.3g} %: {}",
                          candidate.score.pairs_needed, data.run.smallest_gain * 100,
                          more_launches(findings, candidate, name));
  } else if (!candidate.score.gain || baseline < 2 || candidate.trials < 2) {
    reason += "; two of each at least would show the noise between launches";
  }
  return reason;
}

std::string reason_to_keep(const RunData& data, const RunFindings& findings, int contender) {
  if (findings.design == Design::baseline_only) return "nothing was varied";
  const CandidateFinding& baseline = findings.candidates.front();
  if (baseline.trials == 0 && baseline.failures > 0) return why_not_comparable(data, findings);
  if (contender == 0) return "no setting got as far as being compared with the default";
  const CandidateFinding& candidate = findings.candidates[index(contender)];
  const std::string name = name_of(data.run.candidates[index(contender)]);
  switch (candidate.score.verdict) {
    case Verdict::no_gain:
    case Verdict::worse:
      return no_gain_reason(data, findings, contender);
    case Verdict::failed:
      return fmt::format("the finalist {} failed {}", name, counted(candidate.failures, "time"));
    case Verdict::wrong_data:
      return fmt::format("the finalist {} computed wrong data", name);
    default:
      break;
  }
  if (findings.design == Design::launches) return undecided_launches(data, findings, contender);
  std::string reason = "undecided after ";
  reason += findings.design == Design::grid ? counted(findings.pairs, "round")
                                            : counted(findings.pairs, "pair") + " of the finalist";
  const std::string price = price_of_deciding(findings, candidate.score);
  if (!price.empty()) {
    reason += fmt::format("; at this noise {} would settle {:.3g} %", price,
                          data.run.smallest_gain * 100);
  }
  return reason;
}

std::string confirmation(const RunFindings& findings, const CandidateFinding& candidate) {
  if (findings.design == Design::launches) {
    return fmt::format("by {} launches of the default and {} of it",
                       findings.candidates.front().trials, candidate.trials);
  }
  return "confirmed in " +
         counted(findings.pairs, findings.design == Design::grid ? "round" : "fresh pair");
}

// Why a better contender is not recommended all the same; empty where it is.
std::string objection(const RunData& data, const CandidateFinding& candidate,
                      const std::vector<Regression>& regressions) {
  if (candidate.failures > 0) {
    return fmt::format("it is faster, but failed in {} of {} launches", candidate.failures,
                       candidate.failures + candidate.trials);
  }
  if (regressions.empty()) return {};
  const Regression& first = regressions.front();
  return fmt::format("it is faster overall, but makes {} slower ({:.2f}x, {:.0f} % of the {})",
                     describe(data.run.cases[index(first.case_index)]), first.gain.ratio,
                     first.share * 100,
                     Score(data.run.cases).is_workload() ? "workload's time" : "sizes compared");
}

// One setting is for all sizes: where it helps one and hurts another, that is its price.
void add_mixed_sizes(const RunData& data, const RunFindings& findings, int contender,
                     std::vector<std::string>& warnings) {
  const Point* best = nullptr;
  const Point* worst = nullptr;
  for (const Point& point : findings.points) {
    if (point.candidate != contender || !point.finding.gain) continue;
    const double ratio = point.finding.gain->ratio;
    if (point.finding.verdict == Verdict::better &&
        (best == nullptr || ratio > best->finding.gain->ratio)) {
      best = &point;
    }
    if (point.finding.verdict == Verdict::worse &&
        (worst == nullptr || ratio < worst->finding.gain->ratio)) {
      worst = &point;
    }
  }
  if (best == nullptr || worst == nullptr) return;
  warnings.push_back(fmt::format("faster at {} ({:.2f}x), slower at {} ({:.2f}x)",
                                 describe(data.run.cases[index(best->case_index)]),
                                 best->finding.gain->ratio,
                                 describe(data.run.cases[index(worst->case_index)]),
                                 worst->finding.gain->ratio));
}

void add_advice(const Candidate& candidate, std::vector<std::string>& warnings) {
  for (const auto& [name, value] : candidate.assignments) {
    if (name != "nccl_library") continue;
    warnings.push_back(fmt::format(
        "advisory only: {}={} is another library, which no settings file installs", name, value));
  }
}

bool is_environment_name(const std::string& name) {
  return !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

Assignments assignments_where(const Candidate& candidate, bool environment) {
  Assignments found;
  for (const auto& assignment : candidate.assignments) {
    if (is_environment_name(assignment.first) == environment) found.push_back(assignment);
  }
  return found;
}

}  // namespace

std::string why_not_comparable(const RunData& data, const RunFindings& findings) {
  const CandidateFinding& baseline = findings.candidates.front();
  const bool ended = data.end && data.end->reason == "baseline failed";
  if (ended || (baseline.trials == 0 && baseline.failures > 0)) {
    return "the default itself failed, so nothing can be compared";
  }
  if (baseline.trials == 0) return "the default was not measured, so nothing can be compared";
  return {};
}

Recommendation recommend(const RunData& data, const RunFindings& findings,
                         const RecommendOptions& options) {
  Recommendation result;
  result.contender = find_contender(findings);
  result.size_winners = find_size_winners(data, findings);
  if (result.contender == 0) {
    result.reason = reason_to_keep(data, findings, 0);
    return result;
  }
  const CandidateFinding& contender = findings.candidates[index(result.contender)];
  result.verdict = contender.score.verdict;
  result.prediction = predict(data, findings, result.contender);
  result.regressions = find_regressions(
      data, Dataset(data), shares_of(data, findings, result.contender), result.contender);
  if (findings.untrusted()) {
    result.refused = result.verdict == Verdict::better;
    result.reason = alarm_line(data, findings);
    result.size_winners.clear();
    return result;
  }
  if (result.verdict != Verdict::better) {
    result.reason = reason_to_keep(data, findings, result.contender);
    return result;
  }
  result.warnings = cost_warnings(data, findings, result.contender);
  add_mixed_sizes(data, findings, result.contender, result.warnings);
  add_advice(data.run.candidates[index(result.contender)], result.warnings);
  const std::string against = objection(data, contender, result.regressions);
  if (!against.empty() && !options.allow_regressions) {
    result.refused = true;
    result.reason = against + "; --allow-regressions accepts that";
    return result;
  }
  result.candidate = result.contender;
  result.reason = against.empty() ? confirmation(findings, contender) : against;
  return result;
}

Assignments environment_assignments(const Candidate& candidate) {
  return assignments_where(candidate, true);
}

Assignments other_assignments(const Candidate& candidate) {
  return assignments_where(candidate, false);
}

}  // namespace nccl_sweep
