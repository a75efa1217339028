// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The answer of a run: one setting for the whole workload, or "keep the default", with the reason
// and what it does to the communication time. Never a percentage of the iteration: how much of
// the communication is hidden behind compute is not known here. Called by report/ and cli/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/verdict.hpp"

namespace nccl_sweep {

struct CaseShare {
  int case_index = 0;
  Seconds before{0};  // calls x median time of the baseline
  Seconds after{0};
  double share = 0;  // of the time before
};

// Of a workload: communication time of one iteration, or of the whole trace where its reader
// found no iterations.
struct Prediction {
  Seconds before{0};
  Seconds after{0};
  Gain gain;
  bool per_iteration = true;
  std::vector<CaseShare> shares;  // by falling share
};

// A case that got slower: 95 % interval wholly below 1, not corrected for the number of cases
// (the cautious side), by at least the 1 % that is worth naming.
struct Regression {
  int case_index = 0;
  double share = 0;  // of the workload's time; without a workload, of the number of scored cases
  Gain gain;
};

struct SizeWinner {  // usable through a tuner plugin only: an environment is for all sizes
  int case_index = 0;
  int candidate = 0;
  Gain gain;
};

struct Recommendation {
  int candidate = 0;   // 0: keep the default
  std::string reason;  // one sentence
  // The best candidate by the run's evidence, also where it is not recommended; 0: none.
  int contender = 0;
  Verdict verdict = Verdict::undecided;  // of the contender
  // Better, yet not recommended: regressions, failures, or an alarm.
  bool refused = false;
  std::optional<Prediction> prediction;  // of the contender, workload runs only
  std::vector<Regression> regressions;   // of the contender
  std::vector<SizeWinner> size_winners;
  std::vector<std::string> warnings;  // what a better contender costs and where it loses

  bool keeps_default() const { return candidate == 0; }
};

struct RecommendOptions {
  bool allow_regressions = false;  // also a winner that failed once
};

Recommendation recommend(const RunData& data, const RunFindings& findings,
                         const RecommendOptions& options = {});

// Why the run has no baseline to compare with: it failed or was never measured; else empty.
std::string why_not_comparable(const RunData& data, const RunFindings& findings);

using Assignments = std::vector<std::pair<std::string, std::string>>;

// Environment variables are upper case by convention and by catalogue; buffer, cpu_bind,
// nccl_library and communicator fields are lower case and cannot be set by an environment file.
Assignments environment_assignments(const Candidate& candidate);
Assignments other_assignments(const Candidate& candidate);

}  // namespace nccl_sweep
