// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The two experiments a run can be: screen and confirm (the default), and a fixed grid of rounds.
// They decide which trial is next from outcomes alone, so replaying the finished trials brings a
// resumed run to where it was. Why it is done this way: analysis/README.md. Rank 0 only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analysis/decision.hpp"
#include "analysis/score.hpp"
#include "analysis/trial_queue.hpp"

namespace nccl_sweep {

// One pass of the screening: `entrants` candidates (the baseline counted) are tried in `rounds`
// shuffled rounds; the best go on to the next stage.
struct ScreenStage {
  int entrants = 0;
  int rounds = 1;
};

// 24 > 10 > 4 > 1 with 1, 1, 2 rounds; 17 > 7 > 3 > 1 with 1, 1, 1; 7 > 3 > 1 with 1, 1. A cut
// keeps two fifths (at least 3), until four or fewer are left, of which one becomes the finalist.
// The last stage has two rounds where four are left or where it is the only one. Two candidates or
// fewer need no screening.
std::vector<ScreenStage> screen_stages(int candidates);

struct PlannedTrials {
  int minimum = 0;
  int expected = 0;
  int maximum = 0;
  std::vector<ScreenStage> screening;  // empty for a fixed grid and for two candidates or fewer
};

// rounds > 0: a fixed grid. Otherwise screen and confirm; failures and noisy screens add to it.
// Candidates include the baseline.
PlannedTrials plan_trials(int candidates, int rounds, const ClosingTrials& closing = {},
                          bool alarm = false);
std::string to_string(const PlannedTrials&);  // "about 46 trials (40 to 76)"

struct ScreenConfirmOptions {
  DecisionRule rule;
  int baseline_rounds = 5;  // where the baseline is the only candidate
  ClosingTrials closing;
  // A setting that should equal the baseline: it joins the first pairs as an A/A test, never
  // judged for itself. Not one of the candidates.
  std::optional<int> twin;
};

// Screens without claims and confirms one finalist against the baseline in fresh adjacent pairs.
class ScreenConfirm final : public TrialQueue {
 public:
  // candidates: their number, the baseline (index 0) included.
  ScreenConfirm(int candidates, Score score, std::uint64_t seed, ScreenConfirmOptions options);

  int planned_trials() const override;
  std::string label(const TrialOrder& order) const override;

  std::optional<int> finalist() const { return finalist_; }
  Decision decision() const { return decide(differences_, options_.rule); }

 private:
  bool usable(const TrialOutcome& trial) const override { return score_.of(trial).has_value(); }
  void refill() override;
  void completed(const TrialOutcome& trial) override;
  void failed(const TrialOutcome& trial) override;
  std::vector<int> contenders() const override;
  std::vector<int> survivors() const override;

  void enqueue_screen_round();
  void finish_screen_stage();
  void enqueue_pair();
  void return_alarm(int round);
  bool screen_is_noisy() const;
  // candidate -> median over rounds of score - round's median; smaller is faster
  std::map<int, double> screen_ranks() const;
  int screen_trials_left() const;
  int screen_rounds_planned() const;
  int next_look() const;  // number of pairs
  int challengers_left() const { return static_cast<int>(live_.size()) - 1; }

  Score score_;
  ScreenConfirmOptions options_;
  std::mt19937_64 random_;
  std::vector<int> live_;       // ascending, [0] is the baseline
  std::vector<int> survivors_;  // also those that were screened out
  std::vector<ScreenStage> stages_;
  std::size_t stage_ = 0;
  int rounds_in_stage_ = 0;  // started ones
  bool doubled_ = false;     // this stage's rounds
  int screen_round_ = 0;     // over all stages
  int grid_rounds_ = 0;
  std::vector<std::map<int, double>> screened_;  // [round]: candidate -> score
  std::optional<int> finalist_;
  int finalist_failures_ = 0;
  bool finalist_out_ = false;
  int alarms_left_ = 0;
  bool twin_rides_ = false;  // with the pair being measured
  int pair_ = 0;  // pairs started, invalid ones included
  bool pair_open_ = false;
  std::map<int, double> half_pair_;  // candidate -> score of the pair being measured
  std::vector<double> differences_;  // score(baseline) - score(finalist), valid pairs
};

// Burn-in, then `rounds` shuffled rounds over all candidates. One that failed is out.
class FixedGrid final : public TrialQueue {
 public:
  FixedGrid(int candidates, int rounds, std::uint64_t seed, ClosingTrials closing = {});

  int planned_trials() const override;
  std::string label(const TrialOrder& order) const override;

 private:
  void refill() override;
  void completed(const TrialOutcome&) override {}
  void failed(const TrialOutcome& trial) override;
  std::vector<int> contenders() const override { return live_; }
  std::vector<int> survivors() const override { return live_; }

  int rounds_;
  int started_ = 0;
  std::mt19937_64 random_;
  std::vector<int> live_;
};

}  // namespace nccl_sweep
