// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which launches stand together in a trial, and which row is which case. Figures are copied trial
// by trial, on demand: thousands of files of a thousand rows must not be in memory twice. Private
// to imported_run.cpp.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "importing/run_parts.hpp"

namespace nccl_sweep {

class ImportedTrials {
 public:
  // All must outlive this. Adds cases, trials without their timings, and notes to `data`.
  ImportedTrials(const ImportedFiles& files, const LaunchSettings& settings, RunData& data);

  // A row that is there several times (several cycles or roots) has several blocks.
  std::vector<CaseTiming> timings_of(std::size_t trial) const;

 private:
  using Key = std::tuple<Collective, DataType, ReduceOp, Bytes, Placement, GroupShape, int, bool>;

  void find_cases(std::size_t launch);
  int case_of(const ImportedLaunch& launch, const ImportedTiming& timing);
  std::size_t trial_for(std::size_t launch, bool failed);
  void add(std::size_t launch);
  void note_rounding();

  const ImportedFiles& files_;
  RunData& data_;
  const std::vector<int>& candidate_of_;               // by launch
  std::vector<std::vector<int>> cases_of_;             // by launch, of each row
  std::vector<std::vector<std::size_t>> launches_of_;  // by trial
  std::vector<std::vector<int>> cases_in_;             // by trial, sorted
  std::map<Key, int> cases_;
  std::map<int, std::vector<std::size_t>> trials_;  // by candidate
  std::map<std::pair<int, int>, std::size_t>
      earliest_;  // by candidate and case: none before it is free
  std::map<Bytes, std::set<Bytes>> rounded_;
};

}  // namespace nccl_sweep
