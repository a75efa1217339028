// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_whole.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nccl_sweep {
namespace {

using statistics::Estimate;

constexpr Bytes kLarge{1 << 20};        // below, launching an op weighs more than the fabric
constexpr Bytes kMustHold{16LL << 20};  // from here on no single size may fail
constexpr double kLeastCovered = 0.9;   // of the workload's bytes, for an answer about it

std::size_t index(int i) { return static_cast<std::size_t>(i); }

bool at_size(const ComparedFigure& f) { return f.figure.kind == FigureKind::at_size; }

const Case& case_of(const ComparedFigure& f, const RunRecord& run) {
  return run.cases[index(f.cases.front())];
}

// Calls of a run's case: its own, or those of a workload given for the comparison.
double calls_of(const Case& c, const CompareOptions& options) {
  if (options.workload.empty()) return c.calls;
  double calls = 0;
  for (const WorkloadCase& w : options.workload) {
    const bool same = w.collective == c.collective && w.dtype == c.dtype &&
                      w.group_size == c.group_size && (!reduces(c.collective) || w.op == c.op);
    const Bytes size = nccl_tests_size(w.collective, w.dtype, w.bytes, w.group_size).size;
    if (same && size == c.size && !c.graph) calls += w.calls;
  }
  return calls;
}

double bytes_of_workload(const RunRecord& run, const CompareOptions& options) {
  double bytes = 0;
  for (const WorkloadCase& w : options.workload) {
    bytes += w.calls * static_cast<double>(w.bytes.value);
  }
  if (!options.workload.empty()) return bytes;
  for (const Case& c : run.cases) bytes += c.calls * static_cast<double>(c.size.value);
  return bytes;
}

struct Weighted {
  std::vector<int> cases;
  std::vector<double> calls;
  std::vector<Estimate> estimates;  // ln busbw there
  std::vector<double> seconds;      // there
  int fewest_launches = 0;          // there, of those that state them
};

void add(Weighted& all, const ComparedFigure& f, const RunRecord& run, double calls) {
  all.cases.push_back(f.cases.front());
  all.calls.push_back(calls);
  all.estimates.push_back(log_estimate(f.figure));
  all.seconds.push_back(seconds_at(case_of(f, run), f.figure.busbw));
  const int launches = f.figure.launches;
  if (launches > 0 && (all.fewest_launches == 0 || launches < all.fewest_launches)) {
    all.fewest_launches = launches;
  }
}

// Placements of one call are two cases; with a workload given for the comparison, the first of them
// carries it, as in a plan.
bool is_other_placement(const Weighted& all, const Case& c, const RunRecord& run) {
  return std::any_of(all.cases.begin(), all.cases.end(), [&](int i) {
    Case other = run.cases[index(i)];
    other.placement = c.placement;
    return other == c;
  });
}

Weighted figures_of_workload(const SourceComparison& source, const RunRecord& run,
                             const CompareOptions& options) {
  Weighted all;
  for (const ComparedFigure& f : source.figures) {
    if (!at_size(f)) continue;
    const Case& c = case_of(f, run);
    const double calls = calls_of(c, options);
    const bool twice = !options.workload.empty() && is_other_placement(all, c, run);
    if (calls > 0 && !twice) add(all, f, run, calls);
  }
  return all;
}

// calls x time of the workload there against here.
void weigh_by_workload(SourceComparison& source, const DefaultLaunches& launches,
                       const RunRecord& run, const CompareOptions& options) {
  const Weighted all = figures_of_workload(source, run, options);
  double covered = 0;
  double total = 0;  // seconds there
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    covered += all.calls[i] * static_cast<double>(run.cases[index(all.cases[i])].size.value);
    total += all.calls[i] * all.seconds[i];
  }
  const double share = covered / bytes_of_workload(run, options);
  source.whole_of = fmt::format("the workload's time, {:.0f} % of its bytes", 100 * share);
  const std::vector<double> here = launches.log_speed(all.cases, all.calls);
  if (here.empty()) {
    source.reason = "no case of the workload has a figure there and a launch here";
    return;
  }
  std::vector<double> shares;
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    shares.push_back(all.calls[i] * all.seconds[i] / total);
  }
  Estimate there = weighted_estimate(all.estimates, shares);
  there.value = -std::log(total);
  source.whole = judge_ratio(here, there, all.fewest_launches, options.rule);
  if (share < kLeastCovered) {
    source.whole.standing = Standing::undecided;
    source.reason = fmt::format("less than {:.0f} % of the workload's bytes could be compared",
                                100 * kLeastCovered);
  }
}

// Of all sizes from 1 MiB on, or of all where none is that large.
void weigh_by_size(SourceComparison& source, const DefaultLaunches& launches, const RunRecord& run,
                   const CompareOptions& options) {
  const auto large = [&](const ComparedFigure& f) { return case_of(f, run).size >= kLarge; };
  const bool any_large = std::any_of(source.figures.begin(), source.figures.end(),
                                     [&](auto& f) { return at_size(f) && large(f); });
  Weighted all;
  for (const ComparedFigure& f : source.figures) {
    if (at_size(f) && (!any_large || large(f))) add(all, f, run, 0);
  }
  const auto count = static_cast<std::int64_t>(all.cases.size());
  source.whole_of = fmt::format("the geometric mean of {}{}", counted(count, "figure"),
                                any_large ? " from 1 MiB on" : "");
  const std::vector<double> weights(all.cases.size(), 1.0 / static_cast<double>(count));
  const std::vector<double> here = launches.mean_log_busbw(all.cases);
  if (here.empty()) {
    source.reason = "no launch here has all of these sizes";
    return;
  }
  source.whole = judge_ratio(here, weighted_estimate(all.estimates, weights), all.fewest_launches,
                             options.rule);
}

// A source that states only averages and peaks: the lowest of them stands for all.
void weigh_by_range(SourceComparison& source) {
  const auto lowest =
      std::min_element(source.figures.begin(), source.figures.end(),
                       [](const auto& a, const auto& b) { return a.ratio.value < b.ratio.value; });
  source.whole = lowest->ratio;
  source.whole_of = source.figures.size() > 1 ? "the lowest of its figures" : "its only figure";
}

// "all_gather float32 in_place world 1 GiB": figures that fail although many are looked at.
std::vector<std::string> failing_sizes(SourceComparison& source, const RunRecord& run) {
  std::vector<ComparedFigure*> looked_at;
  std::vector<BusbwRatio> ratios;
  for (ComparedFigure& f : source.figures) {
    if (at_size(f) && case_of(f, run).size < kMustHold) continue;
    looked_at.push_back(&f);
    ratios.push_back(f.ratio);
  }
  const std::vector<bool> failed = fail_after_holm(ratios);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    looked_at[i]->fails_after_holm = failed[i];
    if (!failed[i]) continue;
    const Case& c = case_of(*looked_at[i], run);  // a range may be of several placements
    names.push_back(fmt::format(
        "{} {}", at_size(*looked_at[i]) ? kind_of_case(c) : std::string(to_string(c.collective)),
        figure_label(looked_at[i]->figure)));
  }
  return names;
}

bool weighs_calls(const RunRecord& run, const CompareOptions& options) {
  return !options.workload.empty() ||
         std::any_of(run.cases.begin(), run.cases.end(), [](const Case& c) { return c.calls > 0; });
}

std::string why(const BusbwRatio& whole, const ThresholdRule& rule) {
  if (!whole.interval && whole.standing == Standing::undecided) {
    return fmt::format("fewer than {} launches: --single judges them by their value alone",
                       kFewestLaunches);
  }
  if (whole.standing == Standing::pass) return fmt::format("reaches {:g}", rule.threshold);
  if (whole.standing == Standing::fail) return fmt::format("below {:g}", rule.threshold);
  return fmt::format("the interval holds {:g}: more launches would tell", rule.threshold);
}

// What both sides have and in what it differs says most.
std::string why_none(const std::vector<LeftOut>& left_out) {
  const std::string none = "none of its figures stands for what was measured here";
  const auto differs = std::find_if(left_out.begin(), left_out.end(), [](const LeftOut& one) {
    return one.reason.find(" there, ") != std::string::npos;
  });
  if (differs != left_out.end()) return fmt::format("{}: {}", none, differs->reason);
  return left_out.empty() ? none
                          : fmt::format("{}: {}, {}: {}", none, left_out.front().what,
                                        left_out.front().size, left_out.front().reason);
}

}  // namespace

void judge_whole(SourceComparison& source, const DefaultLaunches& launches, const RunRecord& run,
                 const CompareOptions& options) {
  if (source.figures.empty()) {
    source.reason = why_none(source.left_out);
    return;
  }
  if (std::none_of(source.figures.begin(), source.figures.end(), at_size)) {
    weigh_by_range(source);
  } else if (weighs_calls(run, options)) {
    weigh_by_workload(source, launches, run, options);
  } else {
    weigh_by_size(source, launches, run, options);
  }
  if (source.whole.standing == Standing::not_comparable) return;
  const std::vector<std::string> failing = failing_sizes(source, run);
  if (!failing.empty()) {
    source.whole.standing = Standing::fail;
    source.reason =
        fmt::format("below {:g} at {}", options.rule.threshold, fmt::join(failing, ", "));
  }
  if (source.reason.empty()) source.reason = why(source.whole, options.rule);
}

void judge_all(BaselineComparison& comparison) {
  std::vector<const SourceComparison*> deciding;
  for (const bool of_runs : {true, false}) {
    for (const SourceComparison& s : comparison.sources) {
      const bool its_turn = is_of_a_run(s.source.figure_class) == of_runs;
      const bool comparable = s.whole.standing != Standing::not_comparable;
      if (its_turn && comparable && s.only_shown.empty()) deciding.push_back(&s);
    }
    if (!deciding.empty()) break;
  }
  if (deciding.empty()) {
    comparison.standing = Standing::not_comparable;
    comparison.reason = comparison.launches == 0 ? "the run has no complete launch of the default"
                                                 : "no reference that decides is comparable";
    return;
  }
  const auto all_are = [&](Standing standing) {
    return std::all_of(deciding.begin(), deciding.end(),
                       [&](const auto* s) { return s->whole.standing == standing; });
  };
  comparison.standing = deciding.front()->whole.standing;
  comparison.reason = deciding.front()->reason;
  if (deciding.size() == 1) return;
  comparison.reason = fmt::format("{} sources agree", deciding.size());
  if (all_are(Standing::pass) || all_are(Standing::fail)) return;
  comparison.standing = Standing::undecided;
  comparison.reason = fmt::format("{} sources do not all say the same", deciding.size());
}

}  // namespace nccl_sweep
