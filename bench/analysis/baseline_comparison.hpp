// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Is this fabric as fast as a reference? A run's default against the figures of baseline files or
// of another run, source by source, each figure with a ratio and a standing, and a standing of the
// whole. Sources are never merged. What decides: analysis/README.md. `compare` shows it.
#pragma once

#include <string>
#include <vector>

#include "analysis/baseline_ratio.hpp"
#include "core/baseline_file.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

struct CompareOptions {
  ThresholdRule rule;
  bool all_classes = false;  // floors, expert statements and derived figures decide too
  bool any_nccl = false;     // before and after a change of the library
  // Of many baselines: sources of other fabrics are left out, those of this GPU only where nothing
  // else is comparable.
  bool matching_only = false;
  std::vector<WorkloadCase> workload;  // weights; empty: the run's own, if it has any
};

// "all_gather bfloat16 out_of_place world": everything of a case but its size.
std::string kind_of_case(const Case& c);

// One figure of the reference held against what the run measured.
struct ComparedFigure {
  Figure figure;
  std::vector<int> cases;  // of the run: one, or those within the range of a figure
  double busbw = 0;        // GB/s here, geometric mean over launches
  BusbwRatio ratio;
  bool fails_after_holm = false;   // of the sizes from 16 MiB on
  std::vector<std::string> notes;  // "one launch", "dtype there not stated"
};

struct LeftOut {
  std::string what;    // "all_gather bfloat16 out_of_place world"
  std::string size;    // "16 MiB", or several: "4 sizes"
  std::string reason;  // "no figure at this size", "not measured here"
};

struct SourceComparison {
  std::string file;
  BaselineFabric fabric;
  BaselineSource source;
  std::vector<ComparedFigure> figures;
  std::vector<LeftOut> left_out;
  std::string only_shown;  // why it decides nothing: a floor, another setting; empty: it decides
  // Of the whole: calls x time of the workload, or the geometric mean of the sizes from 1 MiB on.
  BusbwRatio whole;
  std::string whole_of;  // "the workload's time", "3 sizes from 1 MiB on"
  std::string reason;    // why the whole stands as it does, or why nothing could be compared
  std::vector<std::string> notes;
};

struct BaselineComparison {
  ThresholdRule rule;
  int launches = 0;  // of the run's default
  std::vector<SourceComparison> sources;
  std::vector<Contradiction> contradictions;  // that touch what is shown, sources in words
  Standing standing = Standing::not_comparable;
  std::string reason;
};

BaselineComparison compare_with_baselines(const RunData& data,
                                          const std::vector<BaselineFile>& baselines,
                                          const CompareOptions& options);

}  // namespace nccl_sweep
