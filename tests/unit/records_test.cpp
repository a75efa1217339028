// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gtest/gtest.h>

#include "agent/record_log.hpp"
#include "core/error.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep {
namespace {

RunRecord a_run() {
  RunRecord run;
  run.version = "1";
  run.name = "n";
  run.backend = "host";
  run.spec = R"({"backend":"host"})";
  run.seed = 18446744073709551615ULL;
  run.ranks = 2;
  run.candidates = {Candidate{}, Candidate{{{"B", "2"}, {"A", "1"}}}};
  Case c;
  c.group = parse_group("1/2");
  c.group_size = 2;
  c.size = c.requested = Bytes{1024};
  c.count = 128;
  c.calls = 2.5;
  run.cases = {c};
  run.workload = WorkloadSummary{"w", "kineto", 2};
  return run;
}

TrialOutcome a_trial(int index) {
  TrialOutcome trial;
  trial.order = {index, Stage::confirm, 3, 1};
  CaseTiming timing;
  timing.ops_per_block = 4;
  timing.mean_seconds = {1e-3, 2e-3, 4e-3};
  timing.max_seconds = {2e-3, 3e-3, 5e-3};
  timing.slowest_rank = {0, 1, 1};
  timing.wrong_elements = 0;
  trial.cases = {timing};
  return trial;
}

std::vector<Record> records_of(const TrialOutcome& trial) {
  return {BlocksRecord{trial.order, trial.cases[0]},
          TrialRecord{trial.order, Outcome::complete, "now", 1, 0.5, 0.1, 42, 0, {}}};
}

TEST(Records, ARunIsReadBackAsItWasWritten) {
  const Record back = parse_record(to_line(a_run()), "x:1");
  const RunRecord& run = std::get<RunRecord>(back);
  EXPECT_EQ(run.seed, a_run().seed);
  EXPECT_EQ(run.candidates, a_run().candidates);
  EXPECT_EQ(name_of(run.candidates[1]), "B=2 A=1");
  EXPECT_EQ(run.cases, a_run().cases);
  EXPECT_EQ(run.workload->iterations, 2);
  EXPECT_EQ(to_line(run), to_line(a_run()));
}

TEST(RecordLog, EveryRecordOfARunOnNodesThatDifferSaysSo) {
  const test::TemporaryFolder folder;
  RunRecord run = a_run();
  run.mismatches = {"NCCL_X=1 on n2 (rank 1); NCCL_X unset on n1 (rank 0)"};
  {
    agent::RecordLog log = agent::RecordLog::create(folder.path());
    log.mark_nodes_differ();
    log.append({run});
    log.append(records_of(a_trial(0)));
  }
  std::ifstream in(folder.path() / kRecordFile);
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    EXPECT_NE(line.find(R"("nodes_differ":true)"), std::string::npos) << line;
  }
  EXPECT_EQ(lines, 3);
  EXPECT_EQ(read_run(folder.path()).run.mismatches, run.mismatches);
  EXPECT_EQ(to_line(a_run()).find("nodes_differ"), std::string::npos);
}

TEST(Records, AFailureKeepsAnyBytesOfItsLog) {
  FailureRecord failure{{4, Stage::screen, 0, 1}, Outcome::hung, {}};
  failure.failure.message = "no end";
  failure.failure.log_tail = {"bad \xff byte", "tab\tquote\""};
  const Record back = parse_record(to_line(failure), "x:1");
  EXPECT_EQ(std::get<FailureRecord>(back).failure.log_tail[1], "tab\tquote\"");
}

TEST(Records, WhoWasBehindAndWhatSupervisingCostAreKept) {
  FailureRecord failure{{4, Stage::screen, 0, 1}, Outcome::hung, {}};
  failure.failure.device = "NVIDIA H200 3";
  failure.failure.behind = "3 of 16 cases behind the furthest";
  const Record read = parse_record(to_line(failure), "x:1");
  EXPECT_EQ(std::get<FailureRecord>(read).failure.device, failure.failure.device);
  EXPECT_EQ(std::get<FailureRecord>(read).failure.behind, failure.failure.behind);

  TrialRecord trial{{}, Outcome::complete, "now", 1, 0.5, 0.1, 42, 0, {}};
  EXPECT_EQ(to_line(trial).find("slowest"), std::string::npos);
  trial.slowest = {{12, "node3", 9, 0.07}};
  trial.rank_seconds = {1, 2, 3};
  EXPECT_EQ(to_line(parse_record(to_line(trial), "x:1")), to_line(trial));
  EXPECT_NE(to_line(trial).find("node3"), std::string::npos);

  EndRecord end{"complete", 3, 0, 9, 0.1, {}};
  EXPECT_FALSE(std::get<EndRecord>(parse_record(to_line(end), "x:1")).control);
  end.control = ControlFigures{512, 900, 90'000, 18, 18, 3800.5, 4000, 2.5, 0.5, 1 << 24, 1, 0.003};
  const auto back = std::get<EndRecord>(parse_record(to_line(end), "x:1"));
  ASSERT_TRUE(back.control);
  EXPECT_EQ(back.control->agents, 512);
  EXPECT_EQ(back.control->most_messages, 18);
  EXPECT_EQ(to_line(back), to_line(end));
  EXPECT_EQ(to_line(end).find("host"), std::string::npos);
  end.lost_host = "node7";
  EXPECT_EQ(std::get<EndRecord>(parse_record(to_line(end), "x:1")).lost_host, "node7");
}

TEST(Records, TheValueOfATrialIsItsMedianBlock) {
  CaseTiming timing = a_trial(0).cases[0];
  EXPECT_DOUBLE_EQ(trial_value(timing, false).count(), 2e-3);
  EXPECT_DOUBLE_EQ(trial_value(timing, true).count(), 3e-3);
  timing.mean_seconds = {1, 4};
  EXPECT_DOUBLE_EQ(trial_value(timing, false).count(), 2.5);
}

TEST(RecordLog, ATornTailIsToleratedAndCutOffByAResume) {
  const test::TemporaryFolder folder;
  const auto run = folder.path() / "run";
  {
    agent::RecordLog log = agent::RecordLog::create(run);
    log.append({a_run()});
    log.append(records_of(a_trial(0)));
    log.append({BlocksRecord{{1, Stage::confirm, 3, 0}, a_trial(1).cases[0]}});  // never closed
  }
  std::ofstream(run / kRecordFile, std::ios::app) << R"({"record":"blo)";
  const RunData torn = read_run(run);
  EXPECT_TRUE(torn.torn_tail);
  EXPECT_EQ(torn.trials.size(), 1U);
  {
    agent::RecordLog log = agent::RecordLog::open_existing(run);
    EXPECT_THROW(agent::RecordLog::open_existing(run), Error);  // it is being written
    log.keep(1);
    log.append(records_of(a_trial(1)));
  }
  const RunData whole = read_run(run);
  EXPECT_FALSE(whole.torn_tail);
  ASSERT_EQ(whole.trials.size(), 2U);
  EXPECT_EQ(whole.trials[1].cases.size(), 1U);  // the orphan is gone
}

TEST(RecordLog, ALastLineWithoutItsNewlineDoesNotCount) {
  const test::TemporaryFolder folder;
  agent::RecordLog::create(folder.path()).append({a_run()});
  std::ofstream(folder.path() / kRecordFile, std::ios::app)
      << to_line(records_of(a_trial(0)).back());
  const RunData data = read_run(folder.path());
  EXPECT_TRUE(data.torn_tail);
  EXPECT_TRUE(data.trials.empty());
}

TEST(RecordLog, AFolderWithARunIsNotOverwritten) {
  const test::TemporaryFolder folder;
  agent::RecordLog::create(folder.path()).append({a_run()});
  EXPECT_THROW(agent::RecordLog::create(folder.path()), Error);
  EXPECT_EQ(read_run(folder.path()).run.name, "n");
}

TEST(RecordLog, AFullDiskLeavesWholeLines) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / kRecordFile);
  try {
    agent::RecordLog::create(folder.path()).append({a_run()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.exit_code(), ExitCode::ok);
  }
}

TEST(RunData, TheFabricIsWhatTheBaselinesLogSays) {
  RunRecord run = a_run();
  run.fabric.device = "NVIDIA H200";
  run.fabric.name = "h200-2";
  run.fabric.ranks_per_node = 2;
  const auto read_back = [&](const std::string& backend, int candidate) {
    const test::TemporaryFolder folder;
    run.backend = backend;
    TrialOutcome trial = a_trial(0);
    trial.order.candidate = candidate;
    std::vector<Record> records = records_of(trial);
    const std::vector<Fact> facts{{FactKind::link, "NVL", "2 x 370.8 GB/s", 2},
                                  {FactKind::version, "nccl", "2.28.3+cuda13.0", 2}};
    records.insert(records.begin(), EvidenceRecord{trial.order, facts});
    agent::RecordLog log = agent::RecordLog::create(folder.path());
    log.append({run});
    log.append(records);
    return read_run(folder.path()).run.fabric;
  };
  const Fabric fabric = read_back("nccl", 0);
  EXPECT_EQ(fabric.name, "h200-2-nvlink");
  EXPECT_EQ(fabric.versions.at("nccl"), "2.28.3");
  EXPECT_EQ(read_back("nccl", 1).name, "h200-2") << "a candidate may have another library";
  EXPECT_EQ(read_back("host", 0).name, "h200-2");
}

TEST(RunData, BrokenFilesAreNamed) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_run(folder.path() / "none"), Error);
  const auto file = folder.path() / kRecordFile;
  std::ofstream(file) << "";
  EXPECT_THROW(read_run(folder.path()), Error);
  std::ofstream(file) << to_line(a_run()) << "\nnonsense\n" << to_line(a_run()) << "\n";
  try {
    read_run(folder.path());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.where().find(":2"), std::string::npos) << error.where();
  }
}

}  // namespace
}  // namespace nccl_sweep
