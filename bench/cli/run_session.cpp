// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_session.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "agent/control.hpp"
#include "agent/machine.hpp"
#include "agent/record_log.hpp"
#include "agent/sweep_loop.hpp"
#include "cli/progress_display.hpp"
#include "cli/soft_stop.hpp"
#include "cli/sweep_setup.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

// What rank 0 tells the others before the first trial: a setup, or that there will be none.
constexpr char kGo = 'G';
constexpr char kNoRun = 'N';

std::vector<agent::Machine> all_machines(agent::ControlPlane& control) {
  std::vector<agent::Machine> machines;
  for (const std::string& text : control.gather(to_text(agent::this_machine()))) {
    machines.push_back(agent::machine_from_text(text));
  }
  return machines;
}

fs::path default_folder(const std::string& name) {
  return fs::path("results") /
         fmt::format("{}-{:%Y%m%d-%H%M%S}", name, fmt::gmtime(std::time(nullptr)));
}

// Everything that rank 0 needs before the first trial.
struct Start {
  PreparedRun run;
  fs::path folder;
  std::vector<TrialOutcome> done;  // of a resumed run
  std::unique_ptr<agent::RecordLog> log;
};

Start begin_new(const SweepOptions& options, const SessionOptions& session,
                const std::string& name, const std::vector<agent::Machine>& machines) {
  Start start;
  start.run = prepare_run(options, name, machines);
  check_devices(start.run, machines);
  start.run.record.argv = session.argv;
  start.folder =
      session.output.empty() ? default_folder(start.run.spec.name) : fs::path(session.output);
  start.log = std::make_unique<agent::RecordLog>(agent::RecordLog::create(start.folder));
  start.log->append({start.run.record});
  return start;
}

Start begin_resumed(const SessionOptions& session, const std::vector<agent::Machine>& machines) {
  Start start;
  start.folder = session.resume;
  RunData data = read_run(start.folder);
  if (data.end && data.end->reason == "complete") {
    throw usage_error("this run is complete", start.folder.string(), "read it with report");
  }
  start.run = prepare_resume(data.run, machines);
  start.done = std::move(data.trials);
  start.log = std::make_unique<agent::RecordLog>(agent::RecordLog::resume(start.folder));
  fs::remove(start.folder / "STOP");
  return start;
}

SessionEnd lead_run(agent::ControlPlane& control, Start& start, const SessionOptions& session,
                    const bool volatile* stop) {
  agent::Setup& setup = start.run.setup;
  setup.run_folder = fs::absolute(start.folder).string();
  setup.keep_logs = session.keep_logs;
  if (!session.timeout.empty()) {
    setup.phase_timeout = parse_duration(session.timeout, "--timeout").count();
  }
  if (!session.quiet) {
    for (const std::string& line : head_lines(start.run)) fmt::print(stderr, "{}\n", line);
    fmt::print(stderr, "records {}\n", (start.folder / kRecordFile).string());
  }
  control.broadcast(kGo + to_text(setup));

  const std::unique_ptr<TrialQueue> experiment = make_experiment(start.run.record);
  agent::TrialRunner runner(control, setup, stop);
  agent::LoopOptions loop;
  loop.budget_seconds = start.run.spec.budget.count();
  loop.stop_file = start.folder / "STOP";
  loop.parity_iters = start.run.spec.iters;
  loop.parity_warmup = start.run.spec.warmup_iters >= 0 ? start.run.spec.warmup_iters : 1;
  ProgressDisplay progress(start.run.record.candidates);
  const agent::LoopResult result =
      agent::lead(control, setup, runner, *experiment, *start.log, start.done, loop,
                  [&](const agent::Progress& p) {
                    if (!session.quiet || (p.finished != nullptr && p.finished->failure)) {
                      progress.show(p);
                    }
                  });
  progress.finish();
  SessionEnd end;
  end.leads = true;
  end.folder = start.folder;
  end.reason = result.reason;
  end.failed = result.failed;
  end.baseline_failed = experiment->baseline_failed();
  return end;
}

SessionEnd follow_run(agent::ControlPlane& control, const bool volatile* stop) {
  const std::string text = control.broadcast({});
  if (text.front() == kNoRun) return {};
  const agent::Setup setup = agent::setup_from_text(text.substr(1));
  agent::TrialRunner runner(control, setup, stop);
  try {
    agent::follow(control, runner);
  } catch (const Error& error) {
    fmt::print(stderr, "nccl-sweep: {}\n", error.what());
    control.abort(static_cast<int>(error.exit_code()));
  }
  return {};
}

}  // namespace

SessionEnd run_session(const SweepOptions& options, const SessionOptions& session,
                       const std::string& default_name) {
  const bool volatile* stop = install_soft_stop();
  const std::unique_ptr<agent::ControlPlane> control = agent::make_control();
  const std::vector<agent::Machine> machines = all_machines(*control);
  if (control->rank() != 0) return follow_run(*control, stop);
  Start start;
  try {
    start = session.resume.empty() ? begin_new(options, session, default_name, machines)
                                   : begin_resumed(session, machines);
  } catch (...) {
    control->broadcast({kNoRun});
    throw;
  }
  return lead_run(*control, start, session, stop);
}

}  // namespace nccl_sweep::cli
