// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run's records allow to say, per candidate and per point (candidate x case): numbers,
// intervals and one verdict word each. Claims rest on confirmation pairs or, in a fixed design, on
// whole rounds; trials of the screening never support one. Computed from records alone, so the
// same file gives the same verdicts months later. What to do about it: analysis/recommendation.hpp.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/dataset.hpp"
#include "analysis/decision.hpp"
#include "analysis/effect.hpp"
#include "analysis/machine_change.hpp"
#include "analysis/statistics.hpp"
#include "core/records.hpp"

namespace nccl_sweep {

enum class Verdict {
  baseline,  // the row everything is compared with
  better,
  no_gain,  // whatever gain there is, it is below the smallest gain of interest
  worse,
  undecided,      // too noisy or too few trials
  not_confirmed,  // screened out: no claim in either direction
  failed,         // it crashed, hung or is unsupported here
  wrong_data      // disqualified
};

std::string_view to_string(Verdict);  // "no gain"

// Speed against the baseline: ratio = baseline's time / candidate's time, 1.26 is 26 % faster.
struct Gain {
  double ratio = 1;
  statistics::Interval interval{1, 1};  // of the ratio
  double confidence = 0;                // of the interval; 0: none could be computed
  int pairs = 0;  // confirmation pairs, or of a fixed design rounds, or launches of either

  // Worth showing: two launches give an interval that spans orders of magnitude.
  bool has_interval() const {
    constexpr int kFewest = 3;
    return confidence > 0 && pairs >= kFewest && std::isfinite(interval.high);
  }
  // "+-" would hide how lopsided it is: half the width exceeds a quarter of the ratio, or reaches 1
  // from it although the interval does not.
  bool is_wide() const {
    constexpr double kShare = 0.25;
    const double half = (interval.high - interval.low) / 2;
    const bool claims = interval.low > 1 || interval.high < 1;
    return half > kShare * ratio || (claims && half >= std::abs(ratio - 1));
  }
};

struct Finding {
  Verdict verdict = Verdict::undecided;
  std::optional<Gain> gain;
  int pairs_needed = 0;  // undecided: about so many pairs would settle it; 0: unknown
};

struct CandidateFinding {
  int candidate = 0;
  Finding score;   // by the run's score
  int trials = 0;  // complete and analysed, of all stages
  int failures = 0;
  int last_screen_round = -1;   // how far the screening kept it
  double start_up_seconds = 0;  // medians over complete trials
  double connect_seconds = 0;
  double cpu_share = 0;         // host CPU seconds a second of measuring, over all workers
  std::int64_t peak_rss_bytes = 0;  // largest worker of all trials
  std::int64_t device_bytes = 0;    // median over trials of what the library took
};

// A setting that is predicted to be the baseline's equal, compared with it all the same (A/A).
struct AlarmFinding {
  int candidate = 0;  // as in a trial's order
  int trials = 0;     // run to an end, failed ones included
  int failures = 0;
  bool wrong_data = false;
  std::string failure;  // "hung: no progress ..."; what was wrong with the data where some was
  Finding finding;
  // One failure may be the machine's; with the default fine beside it, never to succeed is not.
  bool always_failed() const { return failures > 1 && failures == trials; }
  // Equals that differ: whatever made it may have made the run's other differences.
  bool raised() const {
    return finding.verdict == Verdict::better || finding.verdict == Verdict::worse || wrong_data ||
           always_failed();
  }
};

struct Point {
  int candidate = 0;
  int case_index = 0;
  Finding finding;
  int trials = 0;  // behind the median
  Seconds median{0};
  Bandwidth algbw;
  Bandwidth busbw;
  bool unsteady = false;      // blocks' mean / median exceeds the baseline's by 5 %
  bool launch_bound = false;  // baseline below 50 us an op: launching dominates, not the fabric
  bool clocks_differ = false; // host and device clock by more than 0.5 %, where an op takes 1 ms
  EffectFinding effect;       // did what the candidate sets act on this case?
  std::string path;           // what was launched: "RING SIMPLE 24 channels"; empty: unknown
  std::optional<double> load_slowdown;  // time of a kernel beside the case / its time alone
};

struct RunFindings {
  Design design = Design::baseline_only;
  std::optional<int> finalist;
  Decision decision = Decision::undecided;   // of the confirmation
  int pairs = 0;                             // valid pairs, or complete rounds of a fixed design
  std::vector<CandidateFinding> candidates;  // by candidate index
  std::vector<Point> points;                 // candidates x cases that have a measurement
  std::vector<double> noise_floor;  // per case: launch-to-launch sd of ln time; NaN unknown
  // For a finalist without gain: probability that the screening would have kept a candidate that
  // is better by the smallest gain. From 0.95 on, "nothing gains" may be said of all candidates.
  std::optional<double> screen_kept_probability;
  std::optional<MachineChange> machine_change;  // while the run measured
  double mean_trial_seconds = 0;  // of complete trials, start-up included: what one more would cost

  std::optional<AlarmFinding> alarm;  // nothing where no setting rode along
  bool untrusted() const { return alarm && alarm->raised(); }

  const Point* point(int candidate, int case_index) const;  // null where nothing was measured
};

RunFindings find(const RunData& data);

// "holds for this allocation, these nodes, this hour"
std::string scope_line(const RunRecord& run);

}  // namespace nccl_sweep
