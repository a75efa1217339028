// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/baseline_match.hpp"
#include "analysis/baseline_of_run.hpp"
#include "analysis/baseline_whole.hpp"
#include "analysis/launches.hpp"

namespace nccl_sweep {
namespace {

std::string launches_note(int launches, const char* where) {
  return launches == 1 ? fmt::format("one launch {}", where)
                       : fmt::format("{} launches {}", launches, where);
}

// The figures of one source on one fabric, which belong together.
struct Reference {
  const BaselineFile& file;
  const BaselineFabric& fabric;
  const BaselineSource& source;
  std::vector<const BaselineSeries*> series;
};

std::vector<Reference> references_of(const BaselineFile& file) {
  std::vector<Reference> references;
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const BaselineSeries& series : file.series) {
    const auto [place, added] =
        seen.emplace(std::pair(series.source, series.fabric), references.size());
    if (added) {
      references.push_back({file, file.fabric(series.fabric), file.source(series.source), {}});
    }
    references[place->second].series.push_back(&series);
  }
  return references;
}

// Otherwise it has averages and peaks only, and no case could be missed.
bool states_sizes(const Reference& reference) {
  return std::any_of(reference.series.begin(), reference.series.end(), [](const auto* series) {
    return std::any_of(series->figures.begin(), series->figures.end(),
                       [](const Figure& f) { return f.kind == FigureKind::at_size; });
  });
}

class Comparer {
 public:
  Comparer(const RunData& data, const CompareOptions& options)
      : run_(data.run),
        title_(run_title(data)),
        wrong_trials_(trials_with_wrong_data(data)),
        options_(options),
        launches_(data),
        here_(baseline_fabric(data.run)) {}

  int launches() const { return launches_.count(); }

  SourceComparison compare(const Reference& reference) const {
    SourceComparison result;
    result.file = reference.file.name;
    result.fabric = reference.fabric;
    result.source = reference.source;
    result.only_shown = why_only_shown(reference.source);
    result.whole.standing = Standing::not_comparable;
    result.reason = mismatch(reference);
    if (!result.reason.empty()) return result;
    note_what_differs(result);
    if (wrong_trials_ > 0) {
      result.notes.push_back(fmt::format("wrong data in {} here: see nccl-sweep report",
                                         counted(wrong_trials_, "trial")));
    }
    std::set<const Figure*> used;
    const int cases = states_sizes(reference) ? static_cast<int>(run_.cases.size()) : 0;
    for (int i = 0; i < cases; ++i) compare_case(result, reference, i, used);
    for (const BaselineSeries* series : reference.series) {
      for (const Figure& figure : series->figures) {
        if (!used.contains(&figure)) compare_range(result, reference, *series, figure);
      }
    }
    judge_whole(result, launches_, run_, options_);
    note_itself(result);
    return result;
  }

 private:
  std::string why_only_shown(const BaselineSource& source) const {
    if (!is_measured(source.figure_class) && !options_.all_classes) {
      return fmt::format("class {}: decides with --all-classes only",
                         to_string(source.figure_class));
    }
    return source.setting.empty() ? "" : fmt::format("measured with {}", source.setting);
  }

  std::string mismatch(const Reference& reference) const {
    if (launches_.count() == 0) return "no complete launch of the default";
    std::string reason = fabric_mismatch(reference.fabric, here_, reference.source.figure_class);
    if (reason.empty()) reason = recipe_mismatch(reference.source.recipe, recipe_of(run_));
    if (!reason.empty() || options_.any_nccl) return reason;
    const auto version = run_.fabric.versions.find("nccl");
    return nccl_mismatch(reference.source.nccl,
                         version == run_.fabric.versions.end() ? "" : version->second);
  }

  // What nccl-tests' output leaves out is no difference. False where variables are among it.
  bool told_alike(SourceComparison& result) const {
    const BaselineFabric& there = result.fabric;
    const auto untold = [&](const char* what, const std::string& value, const char* where) {
      result.notes.push_back(
          fmt::format("{}: {}, not told by what was imported {}", what, value, where));
    };
    if (here_.imported && here_.link.empty() && !there.link.empty()) {
      untold("link between GPUs", there.link + " there", "here");
    }
    if (there.imported && there.link.empty() && !here_.link.empty()) {
      untold("link between GPUs", here_.link + " here", "there");
    }
    const bool without_here = here_.imported && run_.environment.empty();
    const bool without_there = there.imported && result.source.environment.empty();
    if (without_here == without_there) return !without_here;
    untold("variables", without_here ? "known there" : "known here",
           without_here ? "here" : "there");
    return false;
  }

  // By the title alone it might be another month's launches in files of the same names.
  void note_itself(SourceComparison& result) const {
    constexpr double kAsWritten = 1e-4;  // figures of a file are rounded
    const bool equal = std::all_of(
        result.figures.begin(), result.figures.end(),
        [](const ComparedFigure& f) { return std::abs(f.ratio.value - 1) < kAsWritten; });
    if (!equal || !is_of_a_run(result.source.figure_class) || result.source.title != title_) return;
    result.notes.insert(result.notes.begin(),
                        "the reference was made of this very run: 1.00x says nothing");
  }

  // Of another run: the variables may be the very change that is looked at.
  void note_what_differs(SourceComparison& result) const {
    if (!is_of_a_run(result.source.figure_class)) return;
    if (!told_alike(result)) return;
    std::set<std::string> names;
    for (const auto& [name, value] : result.source.environment) names.insert(name);
    for (const auto& [name, value] : run_.environment) names.insert(name);
    const auto value_in = [](const auto& environment, const std::string& name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::string("unset") : found->second;
    };
    for (const std::string& name : names) {
      const std::string there = value_in(result.source.environment, name);
      const std::string here = value_in(run_.environment, name);
      if (there != here) {
        result.notes.push_back(fmt::format("differs: {}: {} there, {} here", name, there, here));
      }
    }
  }

  ComparedFigure judged(const Figure& figure, std::vector<int> cases,
                        const std::vector<double>& here) const {
    ComparedFigure compared{figure, std::move(cases), 0, {}, false, {}};
    compared.busbw = std::exp(statistics::mean(here));
    compared.ratio = judge_ratio(here, log_estimate(figure), figure.launches, options_.rule);
    if (compared.ratio.launches < kFewestLaunches) {
      compared.notes.push_back(launches_note(compared.ratio.launches, "here"));
    }
    if (figure.launches > 0 && figure.launches < kFewestLaunches) {
      compared.notes.push_back(launches_note(figure.launches, "there"));
    }
    return compared;
  }

  void compare_case(SourceComparison& result, const Reference& reference, int index,
                    std::set<const Figure*>& used) const {
    const Case& c = run_.cases[static_cast<std::size_t>(index)];
    const FigureMatch match = match_case(reference.series, reference.fabric, c, run_.ranks);
    const auto leave_out = [&](const std::string& reason) {
      result.left_out.push_back({kind_of_case(c), format_size(c.size), reason});
    };
    if (match.figure == nullptr) return leave_out(match.reason);
    used.insert(match.figure);
    const std::vector<double> here = launches_.log_busbw(index);
    if (here.empty()) return leave_out("no launch here has it");
    ComparedFigure compared = judged(*match.figure, {index}, here);
    compared.notes.insert(compared.notes.end(), match.notes.begin(), match.notes.end());
    if (c.scaled()) compared.notes.push_back(scaled_note(c));
    result.figures.push_back(std::move(compared));
  }

  // A figure of a range of sizes, or one of a size that the run has not.
  void compare_range(SourceComparison& result, const Reference& reference,
                     const BaselineSeries& series, const Figure& figure) const {
    std::vector<int> cases;
    std::string reason = "not measured here";
    for (int i = 0; i < static_cast<int>(run_.cases.size()); ++i) {
      const Case& c = run_.cases[static_cast<std::size_t>(i)];
      const std::string other = series_mismatch(series, reference.fabric, c, run_.ranks);
      if (series.collective == c.collective && !other.empty()) reason = other;
      const bool inside = c.size.value > 0 && c.size >= figure.from &&
                          (figure.to.value == 0 || c.size <= figure.to);
      if (figure.kind != FigureKind::at_size && inside && other.empty()) cases.push_back(i);
    }
    const std::vector<double> here = figure.kind == FigureKind::average
                                         ? launches_.log_mean_busbw(cases)
                                         : launches_.log_peak_busbw(cases);
    if (here.empty()) {
      result.left_out.push_back(
          {std::string(to_string(series.collective)), figure_label(figure), reason});
      return;
    }
    const std::string sizes =
        fmt::format("over {} here", counted(static_cast<std::int64_t>(cases.size()), "size"));
    result.figures.push_back(judged(figure, std::move(cases), here));
    result.figures.back().notes.push_back(sizes);
  }

  const RunRecord& run_;
  std::string title_;
  int wrong_trials_;
  const CompareOptions& options_;
  DefaultLaunches launches_;
  BaselineFabric here_;
};

// Contradictions are shown with every source that one of them touches.
void add_contradictions(BaselineComparison& comparison, const BaselineFile& file) {
  for (const Contradiction& one : file.contradictions) {
    const bool shown = std::any_of(
        comparison.sources.begin(), comparison.sources.end(), [&](const SourceComparison& s) {
          return s.file == file.name && !s.figures.empty() &&
                 std::find(one.sources.begin(), one.sources.end(), s.source.id) !=
                     one.sources.end();
        });
    if (!shown) continue;
    comparison.contradictions.push_back(one);
    for (std::string& id : comparison.contradictions.back().sources) {
      id = source_and_figures(file, id);
    }
  }
}

void keep_matching(BaselineComparison& comparison, const RunRecord& run) {
  const auto lacks_figures = [](const SourceComparison& s) { return s.figures.empty(); };
  if (!std::all_of(comparison.sources.begin(), comparison.sources.end(), lacks_figures)) {
    std::erase_if(comparison.sources, lacks_figures);
    return;
  }
  std::erase_if(comparison.sources, [&](const SourceComparison& s) {
    return gpu_key(s.fabric.gpu) != gpu_key(run.fabric.device);
  });
}

}  // namespace

std::string kind_of_case(const Case& c) {
  return fmt::format("{} {} {} {}{}", to_string(c.collective), to_string(c.dtype),
                     to_string(c.placement), to_string(c.group), c.graph ? " graph" : "");
}

BaselineComparison compare_with_baselines(const RunData& data,
                                          const std::vector<BaselineFile>& baselines,
                                          const CompareOptions& options) {
  BaselineComparison comparison;
  comparison.rule = options.rule;
  const Comparer comparer(data, options);
  comparison.launches = comparer.launches();
  for (const BaselineFile& file : baselines) {
    for (const Reference& reference : references_of(file)) {
      comparison.sources.push_back(comparer.compare(reference));
    }
    add_contradictions(comparison, file);
  }
  if (options.matching_only) keep_matching(comparison, data.run);
  judge_all(comparison);
  return comparison;
}

}  // namespace nccl_sweep
