// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether reference figures may be held against a run at all: the same fabric, library, ranks,
// group, placement and size. Every "no" is a reason in words. Called by baseline_comparison.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/baseline_file.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

// "NVIDIA H200" and "H200" -> "h200", "NVIDIA H200 NVL" -> "h200-nvl": boards of one chip differ.
std::string gpu_key(const std::string& device);

BaselineFabric baseline_fabric(const RunRecord& run);

// Why the fabrics differ; empty where they match. What a source does not say is a reason where it
// measured, and taken as any where it only demands or claims (floors, expert statements, derived).
std::string fabric_mismatch(const BaselineFabric& there, const BaselineFabric& here,
                            FigureClass figure_class);

// "NCCL 2.27 there, 2.28 here"; empty where they match or one is unknown.
std::string nccl_mismatch(const std::string& there, const std::string& here);

// How a run measured: "nccl-sweep", "nccl-tests as usual", "nccl-tests with average 2"; empty: not
// known.
std::string recipe_of(const RunRecord& run);

// "recipe: nccl-tests with average 2 there, nccl-tests as usual here"; empty where figures may be
// compared, or one is unknown.
std::string recipe_mismatch(const std::string& there, const std::string& here);

// A figure of one source that stands for a case.
struct FigureMatch {
  const BaselineSeries* series = nullptr;
  const Figure* figure = nullptr;
  std::string reason;              // why there is none
  std::vector<std::string> notes;  // what the source does not say
};

// `series` are those of one source and fabric. Sizes match where nccl-tests runs the same one.
FigureMatch match_case(const std::vector<const BaselineSeries*>& series,
                       const BaselineFabric& fabric, const Case& c, int run_ranks);

// Why no figure of the series can be held against the case, whatever its size; empty: it can.
std::string series_mismatch(const BaselineSeries& series, const BaselineFabric& fabric,
                            const Case& c, int run_ranks);

}  // namespace nccl_sweep
