// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/trial_runner.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <poll.h>

#include <fmt/format.h>

#include "agent/cpu_binding.hpp"
#include "agent/footprint.hpp"
#include "agent/reduction.hpp"
#include "agent/staging.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::agent {
namespace {

// Phase deadlines in seconds. A GPU's context and first communicator take about a second, on
// hundreds of nodes tens of them; host and model workers are up in milliseconds.
struct Deadlines {
  double hello;
  double connect;
  double drain;
};
constexpr Deadlines kGpuDeadlines{120, 300, 60};
constexpr Deadlines kCpuDeadlines{30, 60, 30};

// After the deadline, or after a failure was announced: then an agent is lost. Who shortens the
// deadlines is in a hurry here too, but a loaded node must not look like a lost one.
constexpr double kPhasePatience = 60;
constexpr double kLeastPatience = 20;

constexpr double kMeasureTick = 0.05;  // seconds between looks while workers measure
constexpr double kPrimaryGrace = 0.5;  // a victim reports first; its cause is seen soon after

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const Deadlines& deadlines_for(const Setup& setup) {
  return setup.backend == "nccl" ? kGpuDeadlines : kCpuDeadlines;
}

double phase_patience(const Setup& setup) {
  if (setup.phase_timeout <= 0) return kPhasePatience;
  return std::clamp(2 * setup.phase_timeout, kLeastPatience, kPhasePatience);
}

// Sleeps until a worker says something or exits, at most `seconds`.
void wait_for_workers(const std::vector<std::unique_ptr<WorkerLink>>& workers, double seconds) {
  std::vector<pollfd> descriptors;
  for (const auto& worker : workers) {
    if (worker->fault() || worker->progression() == Progression::gone) continue;
    descriptors.push_back({worker->child().channel().descriptor(), POLLIN, 0});
    if (worker->child().pid_descriptor() >= 0) {
      descriptors.push_back({worker->child().pid_descriptor(), POLLIN, 0});
    }
  }
  const int milliseconds = std::max(1, static_cast<int>(seconds * 1000));
  const int ready = ::poll(descriptors.data(), descriptors.size(), milliseconds);
  // A closed socket whose process is still going away would make poll return at once, again and
  // again: never look more often than each millisecond.
  const bool hung_up = std::any_of(descriptors.begin(), descriptors.end(), [](const pollfd& d) {
    return (d.revents & (POLLHUP | POLLERR)) != 0;
  });
  if (ready > 0 && hung_up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TrialRunner::TrialRunner(ControlPlane& control, const Setup& setup,
                         const bool volatile* stop_requested)
    : control_(control),
      setup_(setup),
      stop_requested_(stop_requested) {
  // Most runs have one order of the ranks.
  for (int candidate = 0; candidate < static_cast<int>(setup.candidates.size()); ++candidate) {
    const std::vector<Partition>& partitions = partitions_for(setup, candidate);
    rendezvous_of_.try_emplace(&partitions, setup.layout, partitions, control.rank());
  }
}

double TrialRunner::elapsed() const { return now() - started_; }

wire::Request TrialRunner::request_for(const Launch& launch, int rank) const {
  wire::Request request;
  request.trial = launch.order.index;
  request.seed = setup_.seed;
  request.backend = setup_.backend;
  request.rank = rank;
  request.world = setup_.layout.workers();
  request.simulated_ranks = setup_.simulated_ranks;
  request.local_rank = setup_.layout.local_rank(rank);
  request.local_size = setup_.layout.local_size(rank);
  const int agent = control_.rank();
  request.agent_rank = rank - setup_.layout.first_rank(agent);
  request.agent_size = setup_.layout.workers_of_agent[static_cast<std::size_t>(agent)];
  const Candidate& candidate = setup_.candidates[static_cast<std::size_t>(launch.order.candidate)];
  for (const auto& [knob, value] : candidate.assignments) {
    if (value != kUnset) request.knobs[knob] = value;
  }
  if (!setup_.default_library.empty()) {
    request.knobs.emplace("nccl_library", setup_.default_library);
  }
  request.model = setup_.model;
  request.partitions = rendezvous_->partitions_of(rank);
  for (std::size_t i = 0; i < setup_.cases.size(); ++i) {
    wire::CaseRequest what;
    what.what = setup_.cases[i];
    what.partition = setup_.partition_of_case[i];
    if (!launch.ops_per_block.empty()) {
      what.ops_per_block = launch.ops_per_block[i];
      what.blocks = launch.blocks[i];
      what.warmup_ops = launch.warmup_ops[i];
    }
    request.cases.push_back(std::move(what));
  }
  request.arena = setup_.arena;
  // Each op of an evidence trial costs log lines: launch says how few.
  request.parity_iters = launch.order.stage == Stage::evidence ? 0 : setup_.parity_iters;
  request.verify = setup_.verify;
  if (launch.order.stage == Stage::load) {
    request.load = setup_.load;
    request.load_ctas = setup_.load_ctas;
  }
  return request;
}

void TrialRunner::spawn(const Launch& launch) {
  const Candidate& candidate = setup_.candidates[static_cast<std::size_t>(launch.order.candidate)];
  Variables assigned;
  for (const auto& [knob, value] : candidate.assignments) {
    const auto& names = setup_.environment_knobs;
    if (std::find(names.begin(), names.end(), knob) != names.end()) assigned[knob] = value;
  }
  for (const auto& entry : log_variables(setup_.backend, launch.order.stage)) {
    assigned.insert_or_assign(entry.first, entry.second);
  }
  ChildCommand command;
  command.program = setup_.worker_program;
  command.environment =
      worker_environment(process_environment(), site_of(setup_, control_.rank()), assigned);
  const auto admit = [this](wire::Ready& ready) {
    name_originals(setup_, ready);
    for (const std::string& device : ready.locks) {
      try {
        locks_.take(device);
      } catch (const Error& error) {
        fatal_error_ = error.what();
        throw;
      }
    }
  };
  const int agent = control_.rank();
  const int count = setup_.layout.workers_of_agent[static_cast<std::size_t>(agent)];
  const int first = setup_.layout.first_rank(agent);
  try {
    for (int i = 0; i < count; ++i) {
      command.cpus = worker_cpus(setup_, candidate, first + i);
      workers_.push_back(
          std::make_unique<WorkerLink>(request_for(launch, first + i), command, admit));
    }
  } catch (const Error& error) {
    start_error_ = Fault{Outcome::spawn_failed, error.what(), false};
  }
}

bool TrialRunner::await(Done until, double deadline_seconds) {
  deadline_ = setup_.phase_timeout > 0 ? setup_.phase_timeout : deadline_seconds;
  const double start = now();
  deadline_at_ = start + deadline_;
  const bool measuring = until == Progression::finished;
  // Alone, nothing but the workers can wake this agent; under MPI failures elsewhere are polled.
  const bool alone = control_.size() == 1;
  double victim_since = -1;
  for (;;) {
    bool all_there = true;
    bool primary = start_error_.has_value();
    bool victim = false;
    for (const auto& worker : workers_) {
      worker->service();
      if (worker->fault()) (worker->fault()->victim ? victim : primary) = true;
      all_there = all_there && !worker->fault() && worker->progression() >= until;
    }
    if (all_there && !primary && measuring) primary = !agree_on_blocks();
    if (all_there && !primary) return true;
    if (victim && victim_since < 0) victim_since = now();
    const bool victim_alone = victim && now() - victim_since > kPrimaryGrace;
    const bool late = now() - start > deadline_;
    if (primary || victim_alone || late) {
      control_.announce_failure(trial_);
      return false;
    }
    if (control_.failure_announced(trial_)) return false;
    const double tick = measuring || alone ? kMeasureTick : poll_seconds(now() - start);
    wait_for_workers(workers_, std::min(tick, std::max(0.001, start + deadline_ - now())));
  }
}

// In the burn-in the workers find n and K themselves; they must have found the same.
bool TrialRunner::agree_on_blocks() {
  for (const auto& worker : workers_) {
    if (shape_of(worker->result()) == shape_of(workers_.front()->result())) continue;
    worker->blame(Outcome::garbage, "measured other numbers of blocks than its neighbours");
    return false;
  }
  return true;
}

PhaseReport TrialRunner::report(bool fine, Phase phase, Done until, int shape) const {
  const auto agent = static_cast<std::size_t>(control_.rank());
  const auto device_of = [this](const WorkerLink& worker) {
    const std::string& name = worker.ready().device;
    return name.empty() ? std::string()
                        : fmt::format("{} {}", name, setup_.layout.local_rank(worker.rank()));
  };
  PhaseReport mine;
  mine.trial = trial_;
  mine.status = fatal_error_ ? 2 : fine ? 0 : 1;
  mine.stop = *stop_requested_;
  mine.shape = shape;
  mine.findings = investigate(workers_, start_error_,
                              {phase, until, setup_.layout.host_of_agent[agent], control_.rank(),
                               deadline_, device_of});
  return mine;
}

std::string TrialRunner::answer(PhaseReport& all, const Cargo& cargo) {
  if (!all.same_trial) {
    throw environment_error("agents report of different trials: they are out of step");
  }
  Verdict verdict;
  if (all.status == 0 && all.same_shape && cargo.answer) verdict.cargo = cargo.answer(all);
  verdict.status = all.status;
  verdict.stop = all.stop;
  verdict.same_shape = all.same_shape;
  if (all.status != 0) {
    blamed_ = blame(all.findings, setup_.cases.size());
    verdict.blamed_rank = blamed_.rank;
    verdict.outcome = blamed_.outcome;
  }
  return to_text(verdict);
}

Verdict TrialRunner::exchanged(const Combine& combine, const Patience& patience) {
  try {
    return verdict_from_text(
        idleness_.during([&] { return control_.exchange(combine, patience); }));
  } catch (const NodeLost&) {
    throw;
  } catch (const std::exception& error) {
    throw OutOfStep(error.what());
  }
}

bool TrialRunner::conclude(bool fine, Phase phase, Done until, const Cargo& cargo, int shape) {
  PhaseReport mine = report(fine, phase, until, shape);
  const auto combine = [&](const std::vector<std::string>& children) {
    std::vector<PhaseReport> reports;
    for (const std::string& child : children) reports.push_back(report_from_text(child));
    for (const PhaseReport& child : reports) merge(mine, child);
    if (mine.status == 0 && mine.same_shape) {
      for (const PhaseReport& child : reports) {
        if (cargo.take) cargo.take(child.cargo);
      }
      if (control_.rank() != 0 && cargo.up) mine.cargo = cargo.up();
    }
    return control_.rank() == 0 ? answer(mine, cargo) : to_text(mine);
  };
  // All that are alive know of a failure at once, and come; else each comes at its deadline.
  const double spare = phase_patience(setup_);
  Patience patience{std::max(0.0, deadline_at_ - now()) + spare};
  if (!failing_) {
    patience.after_failure = spare;
    patience.failed = !fine || control_.failure_announced(trial_);
  }
  const Verdict verdict = exchanged(combine, patience);
  stop_seen_ = stop_seen_ || verdict.stop;
  if (verdict.status == 0 && !verdict.same_shape) {
    throw OutOfStep("agents measured different numbers of blocks");
  }
  if (control_.rank() != 0) {
    blamed_ = {};
    blamed_.rank = verdict.blamed_rank;
    blamed_.outcome = verdict.outcome;
    rendezvous_->take_answer(verdict.cargo);
  }
  return verdict.status == 0;
}

TrialOutcome TrialRunner::run(const Launch& launch) {
  workers_.clear();
  start_error_.reset();
  failing_ = false;
  trial_ = launch.order.index;
  rendezvous_ = &rendezvous_of_.at(&partitions_for(setup_, launch.order.candidate));
  started_ = now();
  TrialOutcome outcome;
  outcome.order = launch.order;
  const Deadlines& deadlines = deadlines_for(setup_);

  spawn(launch);
  spawn_seconds_ = elapsed();
  const bool ready = await(Progression::ready, deadlines.hello);
  IdentityComparison identities;
  const Cargo hello = ready ? hello_cargo(launch, identities) : Cargo{};
  if (!conclude(ready, Phase::hello, Progression::ready, hello)) return failed(launch);

  try {
    rendezvous_->share(control_, phase_patience(setup_));
  } catch (const NodeLost& lost) {
    control_.announce_failure(trial_);  // or those above wait for workers that wait for nothing
    control_.report_lost(lost);
  }
  for (const auto& worker : workers_) worker->tell(rendezvous_->connect_for(worker->rank()));
  const bool connected = await(Progression::connected, deadlines.connect);
  if (!conclude(connected, Phase::connect, Progression::connected)) return failed(launch);

  outcome.start_up_seconds = elapsed();
  for (const auto& worker : workers_) worker->tell(wire::Measure{});
  const bool measured = idleness_.during(
      [&] { return await(Progression::finished, launch.measure_deadline); });
  outcome.measure_seconds = elapsed() - outcome.start_up_seconds;
  const int shape = measured ? shape_of(workers_.front()->result()) : 0;
  const Cargo blocks = measured ? measure_cargo(outcome) : Cargo{};
  if (!conclude(measured, Phase::measure, Progression::finished, blocks, shape)) {
    return failed(launch);
  }

  const double stopping = elapsed();
  for (const auto& worker : workers_) worker->tell(wire::Bye{});
  const bool gone = await(Progression::gone, deadlines.drain);
  const Cargo facts = gone ? drain_cargo(launch, outcome) : Cargo{};
  if (!conclude(gone, Phase::drain, Progression::gone, facts)) return failed(launch);
  outcome.start_up_parts["stop"] = elapsed() - stopping;
  if (setup_.keep_logs) keep_logs(launch, nullptr);
  workers_.clear();
  outcome.total_seconds = elapsed();
  return outcome;
}

// Waits, with the other agents, until no worker of the trial is left.
void TrialRunner::reap() {
  workers_.clear();
  start_error_.reset();
  deadline_ = kReapPatience;
  const Suspect blamed = blamed_;
  const bool fine = conclude(true, Phase::drain, Progression::gone);
  blamed_ = blamed;
  if (!fine && control_.rank() == 0) {  // rank 0 ends the run, the others follow
    throw environment_error(blamed.failure.message, blamed.failure.host);
  }
}

TrialOutcome TrialRunner::failed(const Launch& launch) {
  failing_ = true;
  deadline_at_ = now() + kReapPatience;
  // Abort lets a worker leave its collective in order; who does not answer is killed.
  terminate(workers_, setup_.backend == "nccl" ? 6 : 1, control_.rank());
  keep_logs(launch, &blamed_);
  facts_.forget(launch.order);  // some agents may have sent theirs, and nobody has kept them
  reap();
  TrialOutcome outcome;
  outcome.order = launch.order;
  outcome.outcome = blamed_.outcome;
  outcome.failure = blamed_.failure;
  outcome.total_seconds = elapsed();
  return outcome;
}

void TrialRunner::keep_logs(const Launch& launch, Suspect* guilty) {
  constexpr std::int64_t kKeptBytes = std::int64_t{1} << 20;
  namespace fs = std::filesystem;
  for (const auto& worker : workers_) {
    const bool wanted = setup_.keep_logs || (guilty != nullptr && worker->rank() == guilty->rank);
    const std::string text = wanted ? worker->child().log_tail(kKeptBytes) : std::string();
    if (text.empty()) continue;
    std::error_code ignored;
    fs::create_directories(fs::path(setup_.run_folder) / "logs", ignored);
    const std::string name =
        fmt::format("logs/trial-{}-rank-{}.log", launch.order.index, worker->rank());
    std::ofstream(fs::path(setup_.run_folder) / name, std::ios::binary) << text;
  }
  if (guilty != nullptr && !guilty->failure.log_tail.empty()) {
    guilty->failure.log_file =
        fmt::format("logs/trial-{}-rank-{}.log", launch.order.index, guilty->rank);
  }
}

}  // namespace nccl_sweep::agent
