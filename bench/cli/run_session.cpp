// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_session.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "agent/control.hpp"
#include "agent/parity.hpp"
#include "agent/record_log.hpp"
#include "agent/staging.hpp"
#include "agent/sweep_loop.hpp"
#include "cli/lost_node.hpp"
#include "cli/placement.hpp"
#include "cli/progress_display.hpp"
#include "cli/site_policy.hpp"
#include "cli/soft_stop.hpp"
#include "cli/sweep_setup.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

// What rank 0 tells the others before the first trial: a setup, or that there will be none.
constexpr char kGo = 'G';
constexpr char kNoRun = 'N';

void save_spec(const SweepSpec& spec, const std::string& file) {
  std::ofstream out(file);
  out << to_json_text(spec) << "\n";
  if (!out.flush()) throw environment_error("cannot write the spec", file);
}

// Where there is no worker program, the preparation will say so.
agent::Leader leader_of_run() {
  agent::Leader leader{agent::library_variables(agent::process_environment()), {}};
  try {
    leader.worker_program = worker_program();
  } catch (const Error&) {
  }
  return leader;
}

// results/NAME-TIME, made unique: short runs of one name may begin in the same second.
fs::path default_folder(std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string base = fmt::format("{}-{:%Y%m%d-%H%M%S}", name, fmt::gmtime(std::time(nullptr)));
  fs::path folder = fs::path("results") / base;
  for (int copy = 2; fs::exists(folder); ++copy) {
    folder = fs::path("results") / fmt::format("{}-{}", base, copy);
  }
  return folder;
}

double phase_timeout(const std::string& text) {
  if (text.empty()) return 0;
  const double seconds = parse_duration(text, "--timeout").count();
  if (!(seconds > 0)) throw usage_error("a timeout of 0 ends every trial", "--timeout");
  return seconds;
}

// Everything that rank 0 needs before the first trial. Whatever can go wrong goes wrong while it is
// made: the other ranks still wait to hear whether there is a run at all.
struct Start {
  PreparedRun run;
  fs::path folder;
  std::vector<TrialOutcome> done;  // of a resumed run
  std::unique_ptr<agent::RecordLog> log;
  std::unique_ptr<TrialQueue> experiment;
  double allowed_seconds = 0;  // of this session; 0: no limit
  std::string setup_text;
};

void begin_new(Start& start, const SweepOptions& options, const SessionOptions& session,
               const std::string& name, const std::vector<agent::Machine>& machines) {
  start.run = prepare_run(options, name, machines);
  check_devices(start.run, machines);
  check_switches(start.run, machines);
  check_nodes(start.run, machines);
  check_parity(start.run, machines, session.allow_mismatch);
  if (!options.allow_hidden_gpus) refuse_hidden_gpus(start.run, machines);
  choose_staged(start.run, session.stage);
  start.run.record.argv = session.argv;
  start.folder =
      session.output.empty() ? default_folder(start.run.spec.name) : fs::path(session.output);
  if (!session.save_spec.empty()) save_spec(start.run.spec, session.save_spec);
  start.log = std::make_unique<agent::RecordLog>(agent::RecordLog::create(start.folder));
  if (start.run.setup.nodes_differ) start.log->mark_nodes_differ();
  start.log->append({start.run.record});
}

// A run that ended because the machine was not well goes on before the failures that ended it.
void forget_failed_baseline(std::vector<TrialOutcome>& trials) {
  while (!trials.empty() && trials.back().order.candidate == 0 &&
         trials.back().outcome != Outcome::complete) {
    trials.pop_back();
  }
}

double seconds_of(const std::vector<TrialOutcome>& trials) {
  return std::accumulate(trials.begin(), trials.end(), 0.0, [](double sum, const auto& trial) {
    return sum + trial.total_seconds;
  });
}

// A budget is of the whole run, however often it is stopped; one that comes with --resume is for what
// follows. 0: no limit.
double budget_left(const SweepSpec& spec, const SweepOptions& options, const RunData& data) {
  if (!options.budget.empty()) return parse_duration(options.budget, "--budget").count();
  if (spec.budget.count() <= 0) return 0;
  const double of_trials = seconds_of(data.trials);
  constexpr double kNothing = 1e-9;  // 0 would be no limit
  return std::max(kNothing, spec.budget.count() -
                                std::max(of_trials, data.end ? data.end->seconds : 0));
}

void begin_resumed(Start& start, const SweepOptions& options, const SessionOptions& session,
                   const std::vector<agent::Machine>& machines) {
  start.folder = session.resume;
  if (start.folder.filename() == kRecordFile) start.folder = start.folder.parent_path();
  start.log = std::make_unique<agent::RecordLog>(agent::RecordLog::open_existing(start.folder));
  fs::remove(start.folder / "STOP");  // of an earlier time
  RunData data = read_run(start.folder);
  if (data.end && data.end->reason == "complete") {
    throw usage_error("this run is complete", start.folder.string(), "read it with report");
  }
  start.run = prepare_resume(data.run, options, machines);
  check_devices(start.run, machines);
  check_switches(start.run, machines);
  check_nodes(start.run, machines);
  // What is measured already says of itself whether nodes differed: that holds for the rest too.
  check_parity(start.run, machines, !data.run.mismatches.empty());
  if (!data.run.mismatches.empty()) start.log->mark_nodes_differ();
  if (!options.allow_hidden_gpus) refuse_hidden_gpus(start.run, machines);
  choose_staged(start.run, session.stage);
  start.run.spec.budget = Seconds{budget_left(start.run.spec, options, data)};
  if (data.end && data.end->reason == "baseline failed") forget_failed_baseline(data.trials);
  start.log->keep(data.trials.size());
  start.done = std::move(data.trials);
}

void begin(Start& start, const SweepOptions& options, const SessionOptions& session,
           const std::string& name, const std::vector<agent::Machine>& machines) {
  const double timeout = phase_timeout(session.timeout);
  if (session.resume.empty()) {
    begin_new(start, options, session, name, machines);
  } else {
    begin_resumed(start, options, session, machines);
  }
  agent::Setup& setup = start.run.setup;
  setup.run_folder = fs::absolute(start.folder).string();
  setup.keep_logs = session.keep_logs;
  setup.phase_timeout = timeout;
  start.allowed_seconds = allowed_seconds(start.run, seconds_of(start.done));
  start.experiment = make_experiment(start.run.record);
  start.setup_text = kGo + to_text(setup);
}

// Before the others are let go: stderr may be closed, and they would wait for a leader that is gone.
void announce(const Start& start, const SessionOptions& session) {
  for (const std::string& line : session.quiet ? note_lines(start.run) : head_lines(start.run)) {
    fmt::print(stderr, "{}\n", line);
  }
  if (!session.quiet) {
    fmt::print(stderr, "records {}\n", (start.folder / kRecordFile).string());
  }
}

SessionEnd lead_run(agent::ControlPlane& control, Start& start, const SessionOptions& session,
                    const bool volatile* stop) {
  agent::Setup& setup = start.run.setup;
  agent::StagedCopies copies;
  for (const std::string& line : stage_files(control, setup, copies)) {
    std::fprintf(stderr, "warning %s\n", line.c_str());  // never throws: the followers are let go
  }
  agent::TrialRunner runner(control, setup, stop);
  agent::LoopOptions loop;
  loop.budget_seconds = start.allowed_seconds;
  loop.quiet_seconds = quiet_seconds(start.run.record.policy);
  loop.stop_file = start.folder / "STOP";
  loop.parity_iters = start.run.spec.iters;
  loop.parity_warmup = start.run.spec.warmup_iters >= 0 ? start.run.spec.warmup_iters : 1;
  ProgressDisplay progress(start.run.record);
  const auto show = [&](const agent::Progress& p) {
    const bool failed = p.finished != nullptr && p.finished->failure;
    if (!session.quiet || failed) progress.show(p);
  };
  const agent::LoopResult result =
      agent::lead(control, setup, runner, *start.experiment, *start.log, start.done, loop, show);
  progress.finish();
  return {true, start.folder, result.reason, result.failed, start.experiment->baseline_failed()};
}

void follow_run(agent::ControlPlane& control, const bool volatile* stop, Whereabouts& where) {
  const std::string text = control.broadcast({});
  if (text.front() == kNoRun) return;
  agent::Setup setup = agent::setup_from_text(text.substr(1));
  where = {setup.layout.host_of_agent, setup.run_folder};
  agent::StagedCopies copies;
  stage_files(control, setup, copies);
  agent::TrialRunner runner(control, setup, stop);
  agent::follow(control, runner);
}

}  // namespace

SessionEnd run_session(const SweepOptions& options, const SessionOptions& session,
                       const std::string& default_name) {
  const bool volatile* stop = install_soft_stop();
  const std::unique_ptr<agent::ControlPlane> control = agent::make_control();
  Whereabouts where;
  control->heed(launcher_signals(), [&where](const std::vector<int>& silent) {
    std::fprintf(stderr, "%s\n", launcher_ends_line(silent, where).c_str());
  });
  std::vector<agent::Machine> machines;
  try {
    machines = agent::gather_machines(*control, leader_of_run());
  } catch (const std::exception& error) {
    if (control->size() == 1) throw;
    abort_run(*control, error, where);
  }
  if (control->rank() != 0) {
    try {
      follow_run(*control, stop, where);
    } catch (const std::exception& error) {
      abort_run(*control, error, where);
    }
    return {};
  }
  Start start;
  try {
    begin(start, options, session, default_name, machines);
    announce(start, session);
  } catch (...) {
    control->broadcast({kNoRun});
    throw;
  }
  where = {start.run.setup.layout.host_of_agent, start.folder.string()};
  control->broadcast(start.setup_text);
  try {
    return lead_run(*control, start, session, stop);
  } catch (const agent::NodeLost& error) {
    abort_run(*control, error, where);
  } catch (const agent::OutOfStep& error) {
    if (control->size() == 1) throw;
    abort_run(*control, error, where);
  }
}

}  // namespace nccl_sweep::cli
