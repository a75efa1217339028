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
#include <nlohmann/json.hpp>

#include "agent/cpu_binding.hpp"
#include "agent/investigation.hpp"
#include "agent/library_facts.hpp"
#include "agent/reduction.hpp"
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

constexpr double kVotePatience = 60;   // after the deadline: then an agent is lost
constexpr double kMeasureTick = 0.05;  // seconds between looks while workers measure
constexpr double kPrimaryGrace = 0.5;  // a victim reports first; its cause is seen soon after

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const Deadlines& deadlines_for(const Setup& setup) {
  return setup.backend == "nccl" ? kGpuDeadlines : kCpuDeadlines;
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
    : control_(control), setup_(setup), stop_requested_(stop_requested) {}

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
  request.model = setup_.model;
  request.partitions = setup_.partitions;
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
  command.environment = worker_environment(process_environment(), site_of(setup_, control_.rank()), assigned);
  const auto admit = [this](const wire::Ready& ready) {
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
  const bool measuring = until == Progression::finished;
  // Alone, nothing but the workers can wake this agent; under MPI failures elsewhere are polled.
  const double tick = measuring || control_.size() == 1 ? kMeasureTick : kPollSeconds;
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

bool TrialRunner::vote(bool fine, int shape) {
  const int status = fatal_error_ ? 2 : fine ? 0 : 1;
  const VoteResult result =
      control_.vote({trial_, status, *stop_requested_, shape}, deadline_ + kVotePatience);
  stop_seen_ = stop_seen_ || result.stop;
  // Where one failed, the shapes differ because of that.
  if (result.status == 0 && !result.same_shape) {
    throw environment_error("agents measured different numbers of blocks");
  }
  return result.status == 0;
}

// False where ranks differ in what must be the same on all of them: of the baseline that ends the
// run, of a candidate (its library on one node is another one) only the trial. Where nodes are known
// to differ and that is allowed, all records say so and nothing is refused.
bool TrialRunner::exchange_rendezvous(const Launch& launch) {
  using nlohmann::json;
  json rendezvous = json::array();
  json identities = json::array();
  for (const auto& worker : workers_) {
    for (const wire::Rendezvous& r : worker->ready().rendezvous) {
      rendezvous.push_back({r.partition, r.group, r.blob});
    }
    identities.push_back({worker->rank(), worker->ready().identity});
  }
  wire::Connect all;
  std::vector<RankIdentity> ranks;
  const std::vector<std::string> texts = control_.gather(json{rendezvous, identities}.dump());
  for (std::size_t agent = 0; agent < texts.size(); ++agent) {
    const json both = json::parse(texts[agent]);
    for (const json& entry : both.at(0)) {
      all.rendezvous.push_back({entry.at(0), entry.at(1), entry.at(2)});
    }
    for (const json& entry : both.at(1)) {
      ranks.push_back({entry.at(0), setup_.layout.host_of_agent[agent], entry.at(1)});
    }
  }
  const std::string difference = identity_difference(ranks);
  if (!difference.empty() && !setup_.nodes_differ) {
    if (launch.order.candidate == 0) fatal_error_ = difference;
    start_error_ = Fault{Outcome::error, difference, false};
    return false;
  }
  for (const auto& worker : workers_) {
    wire::Connect connect;
    for (const wire::Rendezvous& r : all.rendezvous) {
      const auto& group = setup_.partitions[static_cast<std::size_t>(r.partition)]
                                           [static_cast<std::size_t>(r.group)];
      if (std::find(group.begin(), group.end(), worker->rank()) != group.end()) {
        connect.rendezvous.push_back(r);
      }
    }
    worker->tell(connect);
  }
  return true;
}

void TrialRunner::reduce(TrialOutcome& outcome) {
  std::vector<std::pair<int, wire::Result>> results;
  for (const auto& worker : workers_) results.emplace_back(worker->rank(), worker->result());
  outcome.cases = reduce_blocks(control_, setup_, results);
  // The parts have the same names on all ranks: the same backend made them.
  std::map<std::string, double> parts{{"spawn", greeted_seconds_}};
  double rss = 0;
  double device = 0;
  for (const auto& worker : workers_) {
    rss = std::max(rss, static_cast<double>(worker->result().peak_rss_bytes));
    device = std::max(device, static_cast<double>(worker->result().device_bytes));
    for (const auto& [part, seconds] : worker->connected().seconds) {
      parts[part] = std::max(parts[part], seconds);
    }
  }
  std::vector<double> largest{outcome.start_up_seconds, rss, device};
  for (const auto& [part, seconds] : parts) largest.push_back(seconds);
  std::vector<int> ignored(largest.size(), control_.rank());
  control_.max_with_rank(largest, ignored);
  outcome.start_up_seconds = largest[0];
  outcome.peak_rss_bytes = static_cast<std::int64_t>(largest[1]);
  outcome.device_bytes = static_cast<std::int64_t>(largest[2]);
  auto next = largest.begin() + 3;
  for (auto& [part, seconds] : parts) seconds = *next++;
  outcome.start_up_parts = std::move(parts);
  outcome.connect_seconds = outcome.start_up_parts["connect"];
}

TrialOutcome TrialRunner::run(const Launch& launch) {
  workers_.clear();
  start_error_.reset();
  trial_ = launch.order.index;
  started_ = now();
  TrialOutcome outcome;
  outcome.order = launch.order;
  const Deadlines& deadlines = deadlines_for(setup_);

  spawn(launch);
  deadline_ = deadlines.hello;
  if (start_error_) control_.announce_failure(trial_);
  if (!vote(!start_error_)) return failed(launch, Phase::spawn, Progression::started);
  greeted_seconds_ = elapsed();

  if (!vote(await(Progression::ready, deadlines.hello))) {
    return failed(launch, Phase::hello, Progression::ready);
  }
  if (!exchange_rendezvous(launch)) return failed(launch, Phase::hello, Progression::ready);
  if (!vote(await(Progression::connected, deadlines.connect))) {
    return failed(launch, Phase::connect, Progression::connected);
  }
  outcome.start_up_seconds = elapsed();
  for (const auto& worker : workers_) worker->tell(wire::Measure{});
  const bool measured = await(Progression::finished, launch.measure_deadline);
  if (!vote(measured, measured ? shape_of(workers_.front()->result()) : 0)) {
    return failed(launch, Phase::measure, Progression::finished);
  }
  reduce(outcome);

  const double stopping = elapsed();
  for (const auto& worker : workers_) worker->tell(wire::Bye{});
  if (!vote(await(Progression::gone, deadlines.drain))) {
    return failed(launch, Phase::drain, Progression::gone);
  }
  outcome.start_up_parts["stop"] = elapsed() - stopping;
  if (setup_.backend == "nccl") outcome.facts = gather_facts(control_, workers_);
  if (setup_.keep_logs) keep_logs(launch, nullptr);
  workers_.clear();
  outcome.total_seconds = elapsed();
  return outcome;
}

TrialOutcome TrialRunner::failed(const Launch& launch, Phase phase, Done until) {
  const auto agent = static_cast<std::size_t>(control_.rank());
  const Suspect mine = worst_of(workers_, phase, until, setup_.layout.host_of_agent[agent],
                                control_.rank(), start_error_, deadline_);
  std::vector<Suspect> suspects;
  for (const std::string& text : control_.gather(to_text(mine))) {
    suspects.push_back(suspect_from_text(text));
  }
  Suspect guilty = blame(suspects);
  // Abort lets a worker leave its collective in order; who does not answer is killed.
  terminate(workers_, setup_.backend == "nccl" ? 6 : 1, setup_.layout.host_of_agent[agent]);
  keep_logs(launch, &guilty);
  workers_.clear();
  deadline_ = kReapPatience;
  const VoteResult all =
      control_.vote({trial_, fatal_error_ ? 2 : 0, *stop_requested_, 0}, deadline_ + kVotePatience);
  stop_seen_ = stop_seen_ || all.stop;
  if (all.status == 2 && control_.rank() == 0) {  // rank 0 ends the run, the others follow
    throw environment_error(guilty.failure.message, guilty.failure.host);
  }
  TrialOutcome outcome;
  outcome.order = launch.order;
  outcome.outcome = guilty.outcome;
  outcome.failure = std::move(guilty.failure);
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
