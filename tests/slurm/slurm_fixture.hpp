// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A private Slurm cluster of four nodes for each test, started and stopped by local-slurm: node1
// and node2 under leaf1, node3 and node4 under leaf2.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {

class SlurmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HAVE_MPI) GTEST_SKIP() << "this build has no MPI (libopenmpi-dev was not found)";
    const Finished can = run_shell(folder_.path(), local_slurm() + " can");
    constexpr int kSkip = 77;
    if (can.exit_code == kSkip) GTEST_SKIP() << can.out;
    const int index = 1 + getpid() % 250;
    const Finished begun = run_shell(
        folder_.path(), local_slurm() + " start $PWD/slurm 4 " + std::to_string(index), 120);
    ASSERT_EQ(begun.exit_code, 0) << begun.err;
    started_ = true;
  }

  void TearDown() override {
    if (started_) run_shell(folder_.path(), local_slurm() + " stop $PWD/slurm");
  }

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

  // A command on the "login node". Its own files are apart from those of the test.
  Finished shell(const std::string& command, int seconds = 120) const {
    return run_shell(folder_.path(), ". slurm/env.sh\n" + command, seconds);
  }

  // `nccl-sweep sbatch` with a sweep of the host backend, into job.sbatch.
  void write_script(const std::string& options) const {
    const Finished written =
        shell(program() + " sbatch --backend host --collective all_gather -b 64K -e 64K --seed 7" +
              " --file job.sbatch " + options);
    ASSERT_EQ(written.exit_code, 0) << written.err;
  }

  // Submits, in the environment that `before` makes, and returns the job's number.
  std::string submit(const std::string& what, const std::string& before = "") const {
    const Finished submitted = shell(before + "\nsbatch --parsable " + what);
    EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
    return submitted.out.substr(0, submitted.out.find_first_of(";\n"));
  }

  // Starts an array by bash, as its script wants it, and returns the job's number.
  std::string submit_array() const {
    const Finished submitted = shell("bash job.sbatch");
    const std::string begin = "submitted job ";
    EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
    EXPECT_EQ(submitted.out.substr(0, begin.size()), begin);
    return submitted.out.substr(begin.size(), submitted.out.find(':') - begin.size());
  }

  std::string job_says(const std::string& job) const {
    return shell("scontrol show job -o " + job).out;
  }

  // Polls until `done`; nothing is concluded from how long it took.
  bool eventually(const std::function<bool()>& done, int seconds = 200) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    return true;
  }

  bool finished(const std::string& job) const {
    return eventually([&] {
      const std::string said = job_says(job);
      for (const char* state : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}) {
        if (said.find(std::string("JobState=") + state + " ") != std::string::npos) return true;
      }
      return false;
    });
  }

  // Of the script, once the job has ended. (sbatch -W looks ever more rarely.)
  int exit_code_of(const std::string& job) const {
    EXPECT_TRUE(finished(job));
    const std::string said = job_says(job);
    const std::string name = " ExitCode=";
    const std::size_t at = said.find(name);
    return at == std::string::npos ? -1 : std::atoi(said.c_str() + at + name.size());
  }

  // Copies of the worker in the node's own /dev/shm.
  std::size_t staged_on(const std::string& node) const {
    std::ifstream process(file("slurm/run/slurmd-" + node + ".pid"));
    std::string number;
    process >> number;
    const auto shm = std::filesystem::path("/proc") / number / "root" / "dev/shm";
    EXPECT_TRUE(std::filesystem::exists(shm)) << shm;
    std::size_t copies = 0;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(shm, none)) {
      if (contains(entry.path().filename().string(), "-nccl-sweep-worker")) ++copies;
    }
    return copies;
  }

  // All at once, as when the nodes lose power: no agent hears of another's end.
  void kill_agents() const {
    shell(R"sh(
agents=()
for pid in $(for node in 1 2 3 4; do ip netns pids "lsl$(<slurm/etc/index)-node$node"; done); do
  if [[ $(</proc/$pid/comm) == nccl-sweep ]]; then agents+=("$pid"); fi
done
kill -KILL "${agents[@]}")sh");
  }

  std::size_t trials_in(const std::string& run) const {
    const std::string text = read_file(file(run) / kRecordFile);
    std::size_t count = 0;
    const std::string closing = R"("record":"trial")";
    for (std::size_t at = text.find(closing); at != std::string::npos;
         at = text.find(closing, at + 1)) {
      ++count;
    }
    return count;
  }

  // Every trial there once, with its own number.
  static void expect_whole(const RunData& data, std::size_t trials) {
    ASSERT_TRUE(data.end);
    EXPECT_EQ(data.end->reason, "complete");
    std::set<int> numbers;
    std::set<std::tuple<int, int>> settings;  // of the grid: round and candidate
    for (const TrialOutcome& trial : data.trials) {
      EXPECT_EQ(trial.outcome, Outcome::complete);
      numbers.insert(trial.order.index);
      if (trial.order.stage == Stage::grid) {
        settings.insert({trial.order.round, trial.order.candidate});
      }
    }
    EXPECT_EQ(data.trials.size(), trials);
    EXPECT_EQ(numbers.size(), trials);
    EXPECT_EQ(settings.size(), trials - 1);  // all but the burn-in
  }

  TemporaryFolder folder_;

 private:
  static std::string local_slurm() { return SOURCE_FOLDER "/tests/slurm/local-slurm"; }
  bool started_ = false;
};

}  // namespace nccl_sweep::test
