// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Records on file systems that are slow, full, or fail at the last moment: the run stops with the
// file and the reason, what is written are whole trials, and --resume completes them.
#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

constexpr int kRounds = 40;

const std::string kSweep = "NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker NCCL_SWEEP_LOCKS=. " +
                           program() +
                           " run --backend host --workers 2 --vary HOST_STREAMS_PER_CONNECTION=2"
                           " --collective all_gather -b 64K -e 64K --seed 7 --output run --rounds ";

const std::string kResume =
    "NCCL_SWEEP_WORKER=" BINARY_FOLDER "/fake_worker NCCL_SWEEP_LOCKS=. " + program() +
    " run --resume run";

// Numbers are complete and unique, every trial has its blocks.
void expect_whole_trials(const RunData& data) {
  EXPECT_FALSE(data.torn_tail);
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    EXPECT_EQ(data.trials[i].order.index, static_cast<int>(i));
    EXPECT_EQ(data.trials[i].cases.size(), 1U) << i;
  }
}

bool preload_is_refused(const Finished& finished) {  // by a build with a sanitizer
  return finished.err.find("ASan runtime does not come first") != std::string::npos;
}

TEST(FullDisk, EndsTheRunWithWholeTrialsAndAResumeCompletesIt) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(),
      "cat > inside.sh <<'END'\n"
      "mkdir run && mount -t tmpfs -o size=32k none run || exit 77\n" +
          kSweep + std::to_string(kRounds) +
          " > /dev/null 2> full.err\n"
          "echo $? > full.code; cp run/records.jsonl full.jsonl\n"
          "mount -o remount,size=4m run && " +
          kResume + " > /dev/null; echo $? > resumed.code; cp run/records.jsonl done.jsonl\n"
          "END\nunshare -m bash inside.sh",
      110);
  if (finished.exit_code == 77 || !std::filesystem::exists(folder.path() / "full.code")) {
    GTEST_SKIP() << "no mount namespace for this user: " << finished.err;
  }
  EXPECT_EQ(read_file(folder.path() / "full.code"), "2\n");
  const std::string said = read_file(folder.path() / "full.err");
  EXPECT_NE(said.find("run/records.jsonl: cannot write: No space left"), std::string::npos) << said;
  EXPECT_NE(said.find("--resume"), std::string::npos) << said;
  const RunData full = read_run(folder.path() / "full.jsonl");
  expect_whole_trials(full);
  EXPECT_GT(full.trials.size(), 5U);
  EXPECT_FALSE(full.end);
  EXPECT_EQ(read_file(folder.path() / "resumed.code"), "0\n") << finished.err;
  const RunData done = read_run(folder.path() / "done.jsonl");
  expect_whole_trials(done);
  EXPECT_EQ(done.trials.size(), 2U * kRounds + 1);
  ASSERT_TRUE(done.end);
  EXPECT_EQ(done.end->reason, "complete");
}

class BadDisk : public testing::TestWithParam<int> {};

TEST_P(BadDisk, ThatConfirmsNothingAnyMoreCostsTheTrialThatItHeld) {
  const TemporaryFolder folder;
  const Finished failed = run_shell(
      folder.path(), "DISK_FAILS=3 DISK_ERROR=" + std::to_string(GetParam()) +
                         " LD_PRELOAD=" SLOW_DISK " " + kSweep + "3");
  if (preload_is_refused(failed)) GTEST_SKIP() << failed.err;
  EXPECT_EQ(failed.exit_code, 2) << failed.err;
  EXPECT_NE(failed.err.find(std::string("run/records.jsonl: cannot write: ") +
                            strerror(GetParam())),
            std::string::npos)
      << failed.err;
  // Confirmed were the run record and two trials.
  const RunData data = read_run(folder.path() / "run");
  expect_whole_trials(data);
  EXPECT_EQ(data.trials.size(), 2U);
  const Finished resumed = run_shell(folder.path(), kResume);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const RunData done = read_run(folder.path() / "run");
  expect_whole_trials(done);
  EXPECT_EQ(done.trials.size(), 7U);
  EXPECT_EQ(done.end->reason, "complete");
}

INSTANTIATE_TEST_SUITE_P(All, BadDisk, testing::Values(EIO, ENOSPC, EDQUOT));

TEST(SlowDisk, OnlyTakesItsTime) {
  const TemporaryFolder folder;
  const Finished finished =
      run_shell(folder.path(), "DISK_SECONDS=0.2 LD_PRELOAD=" SLOW_DISK " " + kSweep + "2");
  if (preload_is_refused(finished)) GTEST_SKIP() << finished.err;
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(folder.path() / "run");
  expect_whole_trials(data);
  EXPECT_EQ(data.end->reason, "complete");
  EXPECT_GE(data.end->seconds, 0.2 * static_cast<double>(data.trials.size()));
}

}  // namespace
}  // namespace nccl_sweep::test
