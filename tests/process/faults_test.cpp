// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a worker can misbehave, planted by the scripted worker in one candidate: the
// trial is lost, the record says who, where and why, nothing is left running, the sweep goes on.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

constexpr const char* kBadCandidate = "HOST_STREAMS_PER_CONNECTION=2";

struct PlantedFault {
  const char* name;
  const char* fault;  // FAKE_FAULT
  Outcome outcome;
  Phase phase;
  int rank;
  const char* message;  // part of it
};

void PrintTo(const PlantedFault& fault, std::ostream* out) { *out << fault.name; }

// Records of a fixed design of two rounds over two candidates, the second one misbehaving.
struct FaultyRun {
  Finished finished;
  RunData data;
};

FaultyRun sweep_with(const std::filesystem::path& folder, const std::string& environment,
                     const std::string& more = {}, const std::string& launcher = {}) {
  const std::string command =
      environment + " NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker NCCL_SWEEP_LOCKS=. " +
      launcher + program() +
      " run --backend host --workers 3 --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2"
      " --collective all_gather -b 64K -e 64K --seed 7 --timeout 6s --output run " + more;
  FaultyRun run{run_shell(folder, command), {}};
  run.data = read_run(folder / "run");
  return run;
}

std::vector<TrialOutcome> failures(const RunData& data) {
  std::vector<TrialOutcome> failed;
  std::copy_if(data.trials.begin(), data.trials.end(), std::back_inserter(failed),
               [](const TrialOutcome& trial) { return trial.outcome != Outcome::complete; });
  return failed;
}

// Prints the living scripted workers of the folder that it runs in: other tests have theirs.
constexpr const char* kMyWorkers =
    "for p in $(pgrep -x -r S,R,D,T fake_worker); do"
    " [ \"$(readlink /proc/$p/cwd)\" = \"$PWD\" ] && echo $p; done; true";

bool fake_workers_left(const std::filesystem::path& folder) {
  return !run_shell(folder, kMyWorkers).out.empty();
}

class PlantedFaults : public testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedFaults, CostsItsTrialAndIsRecorded) {
  const PlantedFault& planted = GetParam();
  const TemporaryFolder folder;
  const FaultyRun run =
      sweep_with(folder.path(), std::string("FAKE_WHEN=") + kBadCandidate + " FAKE_FAULT=" +
                                    planted.fault);
  EXPECT_EQ(run.finished.exit_code, 0) << run.finished.err;
  const std::vector<TrialOutcome> failed = failures(run.data);
  ASSERT_FALSE(failed.empty()) << run.finished.err;
  for (const TrialOutcome& trial : failed) {
    EXPECT_EQ(name_of(run.data.run.candidates.at(static_cast<std::size_t>(trial.order.candidate))),
              kBadCandidate);
    EXPECT_EQ(trial.outcome, planted.outcome) << to_string(trial.outcome);
    ASSERT_TRUE(trial.failure);
    EXPECT_EQ(trial.failure->phase, planted.phase) << to_string(trial.failure->phase);
    EXPECT_EQ(trial.failure->rank, planted.rank);
    EXPECT_NE(trial.failure->message.find(planted.message), std::string::npos)
        << trial.failure->message;
  }
  ASSERT_TRUE(run.data.end);
  EXPECT_EQ(run.data.end->reason, "complete");
  const bool baseline_measured = std::any_of(
      run.data.trials.begin(), run.data.trials.end(), [](const TrialOutcome& trial) {
        return trial.order.stage == Stage::grid && trial.outcome == Outcome::complete;
      });
  EXPECT_TRUE(baseline_measured);
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, PlantedFaults,
    testing::Values(
        PlantedFault{"ExitInHello", "exit@hello:1", Outcome::crashed, Phase::hello, 1, "status 7"},
        PlantedFault{"CrashInConnect", "crash@connect:2", Outcome::crashed, Phase::connect, 2,
                     "signal 6"},
        PlantedFault{"KillInMeasure", "kill@measure:0", Outcome::crashed, Phase::measure, 0,
                     "signal 9"},
        PlantedFault{"HangInConnect", "hang@connect:1", Outcome::hung, Phase::connect, 1,
                     "no end after"},
        PlantedFault{"HangInMeasure", "hang@measure:2", Outcome::hung, Phase::measure, 2,
                     "no end after"},
        PlantedFault{"DeafHang", "deaf@measure:1", Outcome::hung, Phase::measure, 1,
                     "no end after"},
        PlantedFault{"Stopped", "stop@measure:1", Outcome::hung, Phase::measure, 1, "is stopped"},
        PlantedFault{"HangInDrain", "hang@drain:0", Outcome::hung, Phase::drain, 0,
                     "no end after"},
        PlantedFault{"Garbage", "garbage@connect:1", Outcome::garbage, Phase::connect, 1,
                     "not the protocol"},
        PlantedFault{"LogFlood", "log-flood@measure:1", Outcome::flooded, Phase::measure, 1,
                     "of output"},
        PlantedFault{"FrameFlood", "frame-flood@measure:1", Outcome::flooded, Phase::measure, 1,
                     "frames"},
        PlantedFault{"ReportedError", "error@measure:2", Outcome::error, Phase::measure, 2,
                     "the fabric is on fire"},
        PlantedFault{"WrongData", "wrong@measure:0", Outcome::wrong_data, Phase::measure, 0,
                     "3 wrong elements"},
        PlantedFault{"ImplausibleTimes", "nan@measure:1", Outcome::garbage, Phase::measure, 1,
                     "implausible"},
        PlantedFault{"ClosedSocket", "eof@measure:1", Outcome::hung, Phase::measure, 1,
                     "no end after"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(Faults, TheLastWordsOfTheBlamedRankAreKept) {
  const TemporaryFolder folder;
  const FaultyRun run = sweep_with(
      folder.path(), std::string("FAKE_FAULT=crash@measure:1 FAKE_WHEN=") + kBadCandidate);
  const std::vector<TrialOutcome> failed = failures(run.data);
  ASSERT_FALSE(failed.empty());
  const Failure& failure = *failed.front().failure;
  ASSERT_FALSE(failure.log_tail.empty());
  EXPECT_NE(failure.log_tail.back().find("last words: crash in measure"), std::string::npos);
  EXPECT_NE(read_file(folder.path() / "run" / failure.log_file).find("last words"),
            std::string::npos);
  EXPECT_EQ(failure.step, "block 1 of 3");
  EXPECT_EQ(failure.case_index, 0);
}

TEST(Faults, RanksThatOpenDifferentLibrariesEndTheRunBeforeTheyConnect) {
  const TemporaryFolder folder;
  const FaultyRun run = sweep_with(folder.path(), "FAKE_OTHER=1");
  EXPECT_EQ(run.finished.exit_code, 2) << run.finished.err;
  EXPECT_NE(run.finished.err.find("library differs between ranks: rank 0 on"), std::string::npos)
      << run.finished.err;
  EXPECT_TRUE(run.data.trials.empty());
}

TEST(Faults, ACandidateThatDiffersBetweenRanksCostsItsTrialsOnly) {
  const TemporaryFolder folder;
  const FaultyRun run =
      sweep_with(folder.path(), std::string("FAKE_OTHER=1 FAKE_WHEN=") + kBadCandidate);
  EXPECT_EQ(run.finished.exit_code, 0) << run.finished.err;
  const std::vector<TrialOutcome> failed = failures(run.data);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.front().outcome, Outcome::error);
  EXPECT_EQ(failed.front().failure->phase, Phase::hello);
  EXPECT_NE(failed.front().failure->message.find("library differs"), std::string::npos);
}

TEST(Faults, AWorkerThatDoesNotStartIsASpawnFailure) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(), "NCCL_SWEEP_WORKER=/nonexistent/worker " + program() +
                         " run --backend host --workers 2 --rounds 1 --collective all_gather"
                         " -b 64K -e 64K --output run");
  EXPECT_EQ(finished.exit_code, 3) << finished.err;
  EXPECT_NE((finished.out + finished.err).find("/nonexistent/worker"), std::string::npos);
}

TEST(Faults, ABaselineThatFailsEndsTheRunWithItsOwnExitCode) {
  const TemporaryFolder folder;
  const FaultyRun run = sweep_with(folder.path(), "FAKE_FAULT=crash@measure:1");
  EXPECT_EQ(run.finished.exit_code, 3);
  EXPECT_NE(run.finished.out.find("the baseline failed"), std::string::npos) << run.finished.out;
}

TEST(Faults, ASettingThatLeavesTheMachineIllEndsTheRunAtTheThirdFailedSentinel) {
  const TemporaryFolder folder;
  const FaultyRun run = sweep_with(
      folder.path(), std::string("FAKE_ILL=ill FAKE_FAULT=crash@measure:1 FAKE_WHEN=") +
                         kBadCandidate);
  EXPECT_EQ(run.finished.exit_code, 3) << run.finished.err;
  EXPECT_NE(run.finished.out.find("the baseline failed"), std::string::npos) << run.finished.out;
  ASSERT_TRUE(run.data.end);
  EXPECT_EQ(run.data.end->reason, "baseline failed");
  const std::vector<TrialOutcome> failed = failures(run.data);
  ASSERT_EQ(failed.size(), 4U);
  EXPECT_EQ(failed.front().order.candidate, 1);
  for (std::size_t i = 1; i < failed.size(); ++i) {
    EXPECT_EQ(failed[i].order.stage, Stage::sentinel);
  }
}

TEST(Faults, ARunThatEndedWithAFailedBaselineGoesOnWhenTheMachineIsWell) {
  const TemporaryFolder folder;
  const FaultyRun ill = sweep_with(folder.path(), "FAKE_FAULT=crash@measure:1");
  ASSERT_TRUE(ill.data.end);
  EXPECT_EQ(ill.data.end->reason, "baseline failed");
  const Finished well =
      run_shell(folder.path(), "NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker " + program() +
                                   " run --resume run/records.jsonl");
  EXPECT_EQ(well.exit_code, 0) << well.err;
  const RunData data = read_run(folder.path() / "run");
  EXPECT_EQ(data.end->reason, "complete");
  EXPECT_EQ(data.trials.size(), 5U);
  EXPECT_TRUE(failures(data).empty());
}

TEST(Faults, ARunIsNotResumedWhileItGoesOn) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(), "export FAKE_FAULT=hang@measure:0 NCCL_SWEEP_WORKER=" BINARY_FOLDER
                     "/fake_worker\n" + program() +
                         " run --backend host --workers 2 --rounds 1 --collective all_gather"
                         " -b 64K -e 64K --output run > /dev/null 2>&1 & first=$!\nsleep 1\n" +
                         program() + " run --resume run\ncode=$?\nkill -9 $first\nexit $code");
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_NE(finished.err.find("still going on"), std::string::npos) << finished.err;
}

TEST(Faults, StrictTurnsAFailedCandidateIntoAnExitCode) {
  const TemporaryFolder folder;
  const FaultyRun run = sweep_with(
      folder.path(), std::string("FAKE_FAULT=exit@hello:0 FAKE_WHEN=") + kBadCandidate, "--strict");
  EXPECT_EQ(run.finished.exit_code, 3);
}

TEST(Faults, NothingIsLeftRunningAfterFaults) {
  const TemporaryFolder folder;
  sweep_with(folder.path(), std::string("FAKE_FAULT=deaf@measure:1 FAKE_WHEN=") + kBadCandidate);
  EXPECT_FALSE(fake_workers_left(folder.path()));
}

TEST(Workers, AreBoundToTheCpusOfTheirCandidateAndTheirOutputIsKeptOnDemand) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(), "NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker taskset -c 0 " + program() +
                         " run --backend host --workers 2 --vary cpu_bind=0 --rounds 1 --keep-logs"
                         " --collective all_gather -b 64K -e 64K --output run");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  for (const TrialOutcome& trial : read_run(folder.path() / "run").trials) {
    const std::string log = read_file(folder.path() / "run/logs" /
                                      ("trial-" + std::to_string(trial.order.index) +
                                       "-rank-1.log"));
    const bool on_one = log.find("starts on 1 CPUs") != std::string::npos;
    EXPECT_EQ(on_one, trial.order.candidate == 1 || std::thread::hardware_concurrency() == 1)
        << log;
  }
}

// On a machine that looks as if it had two GPUs; the library is a stub that nobody could open.
TEST(Workers, OpenAStagedCopyOfTheLibraryThatTheLoaderWouldFind) {
  const TemporaryFolder folder;
  const std::string gpus =
      "mount -t tmpfs none /proc/driver 2>/dev/null || exit 77\n"
      "for g in 01 02; do\n  here=/proc/driver/nvidia/gpus/0000:$g:00.0\n  mkdir -p $here\n"
      "  printf 'Model: \\t NVIDIA H200\\nBus Location: \\t 0000:'$g':00.0\\n' > $here/information\n"
      "done\nexec \"$@\"\n";
  std::ofstream(folder.path() / "gpus.sh") << gpus;
  std::filesystem::create_directories(folder.path() / "lib");
  std::filesystem::create_directories(folder.path() / "tmp");
  std::ofstream(folder.path() / "lib/libnccl.so.2.28.9") << "stub";
  std::filesystem::create_symlink("libnccl.so.2.28.9", folder.path() / "lib/libnccl.so.2");
  const auto run = [&](const std::string& stage) {
    return run_shell(folder.path(),
                     "export TMPDIR=$PWD/tmp LD_LIBRARY_PATH=$PWD/none:$PWD/lib FAKE_LIBRARY=yes"
                     " NCCL_SWEEP_LOCKS=. NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker\n"
                     "unshare -m bash gpus.sh " + program() +
                         " run --backend nccl --workers 2 --rounds 1 --keep-logs --collective"
                         " all_gather -b 64K -e 64K --output " + stage + " --stage " + stage);
  };
  const Finished staged = run("always");
  if (staged.exit_code == 77 || contains(staged.err, "unshare failed")) {
    GTEST_SKIP() << "no mount namespace for this user";
  }
  ASSERT_EQ(staged.exit_code, 0) << staged.err;
  EXPECT_TRUE(contains(staged.err, ", libnccl.so.2.28.9 4 B on each node")) << staged.err;
  const std::string log = read_file(folder.path() / "always/logs/trial-1-rank-1.log");
  EXPECT_TRUE(contains(log, "opens " + (folder.path() / "tmp/nccl-sweep-stage-").string())) << log;
  const std::string records = read_file(folder.path() / "always/records.jsonl");
  EXPECT_TRUE(contains(records, R"("nccl_library","value":")" +
                                    (folder.path() / "lib/libnccl.so.2.28.9").string()))
      << records;

  const Finished original = run("auto");  // the folder is on no network file system
  ASSERT_EQ(original.exit_code, 0) << original.err;
  EXPECT_TRUE(contains(read_file(folder.path() / "auto/logs/trial-1-rank-1.log"),
                       "opens by the loader"));
}

TEST(Workers, StartFromTheirStagedCopyWhichGoesWithTheRun) {
  const TemporaryFolder folder;
  const std::string run =
      "mkdir -p tmp; export TMPDIR=$PWD/tmp NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker\n" +
      program() + " run --backend host --workers 2 --rounds 1 --keep-logs --collective all_gather"
                  " -b 64K -e 64K --output ";
  const auto log_of = [&](const std::string& name) {
    return read_file(folder.path() / name / "logs/trial-1-rank-1.log");
  };
  const Finished staged = run_shell(folder.path(), run + "staged --stage always");
  ASSERT_EQ(staged.exit_code, 0) << staged.err;
  EXPECT_NE(staged.err.find("staged  fake_worker"), std::string::npos) << staged.err;
  EXPECT_NE(log_of("staged").find("/tmp/nccl-sweep-stage-"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "tmp"));
  EXPECT_TRUE(read_run(folder.path() / "staged").run.placement.contains("staged"));

  const Finished refused = run_shell(
      folder.path(), "mkdir -p tmp; touch tmp/nccl-sweep-stage-$(id -u)\n" + run +
                         "original --stage always");
  EXPECT_EQ(refused.exit_code, 0) << refused.err;
  EXPECT_NE(refused.err.find("is not staged, all nodes use the original"), std::string::npos)
      << refused.err;
  EXPECT_NE(log_of("original").find("from " BINARY_FOLDER), std::string::npos);
}

TEST(Faults, WorkersDieWithAKilledAgent) {
  const TemporaryFolder folder;
  run_shell(folder.path(),
            "FAKE_FAULT=hang@measure:1 NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker " +
                program() +
                " run --backend host --workers 3 --rounds 1 --collective all_gather -b 64K -e 64K"
                " --output run & agent=$!; sleep 1; (" +
                kMyWorkers + ") | wc -l > before.txt; kill -9 $agent; sleep 0.5");
  EXPECT_EQ(read_file(folder.path() / "before.txt"), "3\n");
  EXPECT_FALSE(fake_workers_left(folder.path()));
}

TEST(Faults, ASecondRunOnTheSameDeviceStopsWithAMessage) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(),
      "export NCCL_SWEEP_LOCKS=. FAKE_LOCK=GPU-1 NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker\n"
      "FAKE_FAULT=hang@measure:0 " + program() +
          " run --backend host --workers 2 --rounds 1 --collective all_gather -b 64K -e 64K"
          " --output first > /dev/null 2>&1 & first=$!\nsleep 1\n" + program() +
          " run --backend host --workers 2 --rounds 1 --collective all_gather -b 64K -e 64K"
          " --output second\ncode=$?\nkill -9 $first\nexit $code");
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  EXPECT_NE(finished.err.find("GPU-1 is in use by process"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace nccl_sweep::test
