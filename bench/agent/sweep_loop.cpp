// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/sweep_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "agent/footprint.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Warm-up per case: at least 5 ops and 20 ms; 300 ms before the first case of a trial.
int warmup_ops(double seconds_per_op, bool first_case) {
  const double wanted = first_case ? 0.3 : 0.02;
  constexpr int kLeast = 5;
  constexpr int kMost = 1'000'000;
  return std::clamp(static_cast<int>(std::ceil(wanted / seconds_per_op)), kLeast, kMost);
}

// n, K and warm-up of all later trials, from the burn-in.
void fix_blocks(Launch& launch, const TrialOutcome& burn_in) {
  launch.ops_per_block.clear();
  launch.blocks.clear();
  launch.warmup_ops.clear();
  for (const CaseTiming& timing : burn_in.cases) {
    const double per_op = trial_value(timing, true).count();
    launch.ops_per_block.push_back(timing.ops_per_block);
    launch.blocks.push_back(static_cast<int>(timing.mean_seconds.size()));
    launch.warmup_ops.push_back(warmup_ops(per_op, timing.case_index == 0));
  }
}

// A setting ten times slower than the baseline is still measured; the rest is a hang. Wall time:
// filling and checking the buffers belong to it.
double measure_deadline(const TrialOutcome& burn_in) {
  return 15 + 10 * (burn_in.total_seconds - burn_in.start_up_seconds);
}

void fix_parity(Launch& launch, const Setup& setup, const LoopOptions& options) {
  const std::size_t cases = setup.cases.size();
  launch.ops_per_block.assign(cases, options.parity_iters);
  launch.blocks.assign(cases, 1);
  launch.warmup_ops.assign(cases, std::max(0, options.parity_warmup));
}

// `facts_changed`: the library said something else than in the candidate's trial before.
std::vector<Record> records_of(const TrialOutcome& outcome, bool facts_changed) {
  std::vector<Record> records;
  if (facts_changed) records.emplace_back(EvidenceRecord{outcome.order, outcome.facts});
  for (const CaseTiming& timing : outcome.cases) {
    records.emplace_back(BlocksRecord{outcome.order, timing});
  }
  if (outcome.failure) {
    records.emplace_back(FailureRecord{outcome.order, outcome.outcome, *outcome.failure});
  }
  records.emplace_back(TrialRecord{outcome.order, outcome.outcome, utc_now(), outcome.total_seconds,
                                   outcome.start_up_seconds, outcome.connect_seconds,
                                   outcome.peak_rss_bytes, outcome.device_bytes,
                                   outcome.start_up_parts, {}, outcome.slowest,
                                   outcome.rank_seconds});
  return records;
}

class Leader {
 public:
  Leader(ControlPlane& control, const Setup& setup, TrialRunner& runner, Experiment& experiment,
         RecordLog& log, const LoopOptions& options,
         const std::function<void(const Progress&)>& show)
      : control_(control),
        runner_(runner),
        meter_(control),
        experiment_(experiment),
        log_(log),
        options_(options),
        show_(show),
        cases_(setup.cases.size()) {
    constexpr double kBurnInDeadline = 600;  // seconds: nothing is known of the fabric yet
    launch_.measure_deadline = kBurnInDeadline;
    if (options.parity_iters > 0) fix_parity(launch_, setup, options);
  }

  void replay(const std::vector<TrialOutcome>& done) {
    for (const TrialOutcome& outcome : done) {
      const std::optional<TrialOrder> order = experiment_.next();
      if (!order || !(*order == outcome.order)) {
        throw usage_error(fmt::format("trial {} of the records is not what this version would have "
                                      "run there",
                                      outcome.order.index),
                          log_.file().string(), "resume with the version that began the run");
      }
      take(outcome);
    }
  }

  LoopResult run() {
    start_ = Clock::now();
    std::string reason = "complete";
    bool tried_here = false;  // of this session: nothing has to settle before its first trial
    while (const std::optional<TrialOrder> order = experiment_.next()) {
      if (stop_wanted()) {
        reason = "interrupted";
        break;
      }
      const double quiet = tried_here ? options_.quiet_seconds : 0;
      const double used = seconds_since(start_) + quiet;
      if (options_.budget_seconds > 0 && used + mean_trial() > options_.budget_seconds) {
        reason = "budget";
        break;
      }
      if (!rest(quiet)) continue;  // asked to stop meanwhile
      tried_here = true;
      const Launch launch = launch_for(*order);
      show_(progress(*order, nullptr));
      meter_.trial_begins();
      control_.broadcast(to_text(launch));
      const TrialOutcome outcome = runner_.run(launch);
      meter_.trial_ends(outcome.total_seconds, outcome.measure_seconds);
      // Batch systems end a job by signals to all of its processes, workers too: no setting's fault.
      if (outcome.outcome != Outcome::complete && runner_.stop_seen()) {
        reason = "interrupted";
        break;
      }
      log_.append(records_of(outcome, facts_changed(outcome)));
      take(outcome);
      show_(progress(*order, &outcome));
    }
    if (experiment_.baseline_failed()) reason = "baseline failed";
    return {reason, trials_, failed_, seconds_since(start_)};
  }

  // Lets the followers go; returns what it cost all agents.
  ControlFigures release(double cpu_before) {
    released_ = true;
    control_.broadcast({});
    return meter_.figures(largest_footprint(control_, cpu_before, runner_.idleness()));
  }
  bool released() const { return released_; }

  EndRecord so_far(const std::string& reason) const {
    return {reason, trials_, failed_, seconds_since(start_), 0, {}, {}};
  }

 private:
  bool stop_wanted() const {
    return runner_.stop_seen() || std::filesystem::exists(options_.stop_file);
  }

  // False where the run was asked to stop meanwhile. The other agents poll in their broadcast.
  bool rest(double seconds) const {
    constexpr double kLook = 0.1;  // seconds between looks for a request to stop
    const Clock::time_point start = Clock::now();
    for (double left = seconds; left > 0; left = seconds - seconds_since(start)) {
      if (stop_wanted()) return false;
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kLook)));
    }
    return true;
  }

  // In an evidence trial each op costs log lines, and nothing is timed: two ops tell all.
  Launch launch_for(const TrialOrder& order) const {
    Launch launch = launch_;
    launch.order = order;
    if (order.stage == Stage::evidence) {
      launch.ops_per_block.assign(cases_, 2);
      launch.blocks.assign(cases_, 1);
      launch.warmup_ops.assign(cases_, 1);
    }
    return launch;
  }

  bool facts_changed(const TrialOutcome& outcome) {
    if (outcome.facts.empty()) return false;
    std::vector<Fact>& before = facts_[{outcome.order.stage == Stage::evidence,
                                        outcome.order.candidate}];
    if (before == outcome.facts) return false;
    before = outcome.facts;
    return true;
  }

  void take(const TrialOutcome& outcome) {
    experiment_.record(outcome);
    ++trials_;
    // A description that is missing is no failure of the setting's.
    const bool judged = !is_descriptive(outcome.order.stage);
    if (judged && outcome.outcome != Outcome::complete) ++failed_;
    trial_seconds_ += outcome.total_seconds;
    if (outcome.order.stage == Stage::burn_in && outcome.outcome == Outcome::complete) {
      if (options_.parity_iters == 0) fix_blocks(launch_, outcome);
      launch_.measure_deadline = measure_deadline(outcome);
    }
  }

  double mean_trial() const { return trials_ > 0 ? trial_seconds_ / trials_ : 0; }

  Progress progress(const TrialOrder& order, const TrialOutcome* finished) const {
    const int planned = experiment_.planned_trials();
    return {order,   experiment_.label(order),
            trials_, planned,
            failed_, finished != nullptr ? finished->total_seconds : 0,
            (mean_trial() + options_.quiet_seconds) * std::max(0, planned - trials_), finished};
  }

  ControlPlane& control_;
  TrialRunner& runner_;
  TrafficMeter meter_;
  Experiment& experiment_;
  RecordLog& log_;
  const LoopOptions& options_;
  const std::function<void(const Progress&)>& show_;
  Launch launch_;  // of a timed trial, but for its order
  std::size_t cases_;
  Clock::time_point start_ = Clock::now();
  std::map<std::pair<bool, int>, std::vector<Fact>> facts_;  // evidence trial or not, candidate
  int trials_ = 0;
  int failed_ = 0;
  double trial_seconds_ = 0;
  bool released_ = false;
};

}  // namespace

LoopResult lead(ControlPlane& control, const Setup& setup, TrialRunner& runner,
                Experiment& experiment, RecordLog& log, const std::vector<TrialOutcome>& done,
                const LoopOptions& options, const std::function<void(const Progress&)>& show) {
  const double cpu_before = own_cpu_seconds();
  Leader leader(control, setup, runner, experiment, log, options, show);
  try {
    leader.replay(done);
    const LoopResult result = leader.run();
    const ControlFigures figures = leader.release(cpu_before);
    log.append({EndRecord{result.reason, result.trials, result.failed, result.seconds,
                          own_cpu_seconds() - cpu_before, figures, {}}});
    return result;
  } catch (const NodeLost& lost) {
    EndRecord end = leader.so_far("lost node");
    end.agent_cpu_seconds = own_cpu_seconds() - cpu_before;
    end.lost_host = setup.layout.host_of_agent.at(static_cast<std::size_t>(lost.agent()));
    try {
      log.append({end});
    } catch (const std::exception&) {
      // The disk is full, or lost with the node: the records before are whole.
    }
    throw;  // the followers wait in an exchange: the caller aborts the run
  } catch (const OutOfStep&) {
    throw;  // so they do here
  } catch (...) {
    if (!leader.released()) leader.release(cpu_before);  // the followers wait for a launch
    throw;
  }
}

void follow(ControlPlane& control, TrialRunner& runner) {
  const double cpu_before = own_cpu_seconds();
  for (;;) {
    const std::string text = control.broadcast({});
    if (text.empty()) break;
    try {
      runner.run(launch_from_text(text));
    } catch (const NodeLost& lost) {
      if (lost.agent() == control.rank()) control.report_lost(lost);
      throw;
    }
  }
  largest_footprint(control, cpu_before, runner.idleness());
}

}  // namespace nccl_sweep::agent
