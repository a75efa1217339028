// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The host backend under real Open MPI: layouts of agents and workers, resume after a kill.
#include "mpi/mpi_fixture.hpp"

namespace nccl_sweep::test {
namespace {

// Every trial of a short sweep: two candidates, two rounds, two cases.
const std::string kSweep =
    " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2"
    " --collective all_gather,all_reduce -b 256K -e 256K --seed 11 --output ";

struct Shape {
  int ranks;
  std::size_t candidates;
  std::vector<std::string> cases;
  std::multiset<TrialKey> trials;
  std::size_t blocks;  // of the first case of the last trial
  bool operator==(const Shape&) const = default;
};

Shape shape_of(const RunData& data) {
  Shape shape{data.run.ranks, data.run.candidates.size(), {}, trial_keys(data), 0};
  for (const Case& c : data.run.cases) {
    shape.cases.push_back(describe(c) + std::to_string(c.group_size));
  }
  shape.blocks = data.trials.back().cases.size();
  return shape;
}

TEST_F(MpiTest, FourAgentsOrTwoWithTwoWorkersGiveTheTablesOfASoloRun) {
  const Finished solo = shell(program() + kSweep + "solo --workers 4");
  ASSERT_EQ(solo.exit_code, 0) << solo.err;
  const Finished four = shell(mpirun(4) + program() + kSweep + "four");
  ASSERT_EQ(four.exit_code, 0) << four.err;
  const Finished two = shell(mpirun(2) + program() + kSweep + "two --workers 2");
  ASSERT_EQ(two.exit_code, 0) << two.err;
  const Shape expected = shape_of(read_run(file("solo")));
  EXPECT_EQ(expected.ranks, 4);
  EXPECT_EQ(expected.trials.size(), 5U);  // burn-in and two rounds of two
  EXPECT_EQ(shape_of(read_run(file("four"))), expected);
  EXPECT_EQ(shape_of(read_run(file("two"))), expected);
  EXPECT_EQ(read_run(file("four")).run.agents, 4);
  EXPECT_EQ(read_run(file("two")).run.agents, 2);
  // The tables have the same rows: what was measured, without the figures.
  const auto rows = [&](const std::string& run) {
    return shell(program() + " report " + run +
                 " --all --format csv | cut -d, -f 3-12 | sort")
        .out;
  };
  EXPECT_NE(rows("solo").find("HOST_STREAMS_PER_CONNECTION=2"), std::string::npos);
  EXPECT_EQ(rows("four"), rows("solo"));
  EXPECT_EQ(rows("two"), rows("solo"));
}

TEST_F(MpiTest, DataIsVerifiedOnEveryRank) {
  const Finished finished = shell(mpirun(3) + program() + kSweep + "run");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  for (const TrialOutcome& trial : read_run(file("run")).trials) {
    for (const CaseTiming& timing : trial.cases) EXPECT_EQ(timing.wrong_elements, 0);
  }
}

TEST_F(MpiTest, ARunKilledInTheMiddleIsResumedToTheSameSetOfTrials) {
  const Finished whole = shell(mpirun(2) + program() + kSweep + "whole");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Finished killed = shell(
      mpirun(2) + program() + kSweep + "killed & launcher=$!\n"
      "for i in $(seq 400); do\n"
      "  [ \"$(grep -c '\"record\":\"trial\"' killed/records.jsonl 2>/dev/null)\" -ge 2 ] && break\n"
      "  sleep 0.02\ndone\nkill -9 $launcher\nwait $launcher\nsleep 1\npgrep -x nccl-sweep-work\n"
      "true");
  const RunData half = read_run(file("killed"));
  EXPECT_FALSE(half.end);
  EXPECT_GE(half.trials.size(), 2U);
  EXPECT_LT(half.trials.size(), 5U);
  const Finished resumed = shell(mpirun(2) + program() + " run --resume killed");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(trial_keys(read_run(file("killed"))), trial_keys(read_run(file("whole"))));
}

TEST_F(MpiTest, AnErrorOnRankZeroEndsAllRanksWithItsCode) {
  const Finished finished =
      shell(mpirun(3) + program() + " run --backend host --vary HOST_STREAM=1,2 --output run");
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_NE(finished.err.find("HOST_STREAM"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(file("run")));
}

TEST_F(MpiTest, AnErrorThatOnlyRankZeroSeesLateStillEndsAllRanks) {
  const Finished finished = shell(mpirun(3) + program() + kSweep + "run --timeout soon", 30);
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_NE(finished.err.find("'soon' is not a duration"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(file("run")));
}

TEST_F(MpiTest, ProcessesThatALauncherDidNotConnectRefuseToSweepAlone) {
  const Finished finished = shell("SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 SLURM_STEP_ID=0 " +
                                  program() + kSweep + "run");
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  EXPECT_NE(finished.err.find("--mpi=pmix"), std::string::npos) << finished.err;
}

TEST_F(MpiTest, ASoftStopFinishesTheTrialAndCanBeResumed) {
  const Finished stopped = shell(
      mpirun(2) + program() +
      " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 20"
      " --collective all_gather -b 64K -e 64K --seed 3 --output run > out.txt & launcher=$!\n"
      "for i in $(seq 400); do\n"
      "  grep -q '\"record\":\"trial\"' run/records.jsonl 2>/dev/null && break\n  sleep 0.02\n"
      "done\nkill -USR1 $launcher\nwait $launcher");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  const RunData data = read_run(file("run"));
  ASSERT_TRUE(data.end);
  EXPECT_EQ(data.end->reason, "interrupted");
  EXPECT_NE(read_file(file("out.txt")).find("--resume run"), std::string::npos);
}

TEST_F(MpiTest, AgentsOfANodeShareOneStagedCopyWhichGoesWithTheRun) {
  const Finished finished = shell(
      "mkdir tmp; export TMPDIR=$PWD/tmp\n" + mpirun(3) + program() +
      " run --backend host --rounds 3 --collective all_gather -b 64K -e 64K --seed 3 --output run"
      " --stage always & launcher=$!\n"
      "for i in $(seq 400); do\n"
      "  grep -q '\"record\":\"trial\"' run/records.jsonl 2>/dev/null && break\n  sleep 0.02\n"
      "done\nls tmp/nccl-sweep-stage-*/ > copies.txt\nwait $launcher");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.err.find("not staged"), std::string::npos) << finished.err;
  const std::string copies = read_file(file("copies.txt"));
  EXPECT_NE(copies.find("-nccl-sweep-worker\n"), std::string::npos) << copies;
  EXPECT_EQ(std::count(copies.begin(), copies.end(), '\n'), 1) << copies;
  for (const auto& left : std::filesystem::directory_iterator(file("tmp"))) {
    EXPECT_EQ(left.path().filename().string().find("stage"), std::string::npos) << left.path();
  }
}

TEST_F(MpiTest, GroupsOfTwoOnFourWorkersRunAsTwoGroupsAtOnce) {
  std::ofstream(file("w.json")) <<
      R"({"nccl_sweep_workload":1,"name":"pairs","sources":[],"iterations":1,"world_size":64,"notes":[],"cases":[)"
      R"({"collective":"all_gather","dtype":"bfloat16","op":"sum","count":131072,"bytes":262144,)"
      R"("group_size":2,"calls":4},)"
      R"({"collective":"reduce_scatter","dtype":"bfloat16","op":"sum","count":131072,)"
      R"("bytes":262144,"group_size":64,"calls":1}]})";
  const Finished finished =
      shell(mpirun(4) + program() +
            " run --backend host --rounds 1 --workload w.json --seed 5 --output run");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(file("run"));
  ASSERT_EQ(data.run.cases.size(), 2U);
  EXPECT_EQ(data.run.cases[0].group_size, 2);
  EXPECT_FALSE(data.run.cases[0].scaled());
  EXPECT_EQ(data.run.cases[1].group_size, 4);
  EXPECT_TRUE(data.run.cases[1].scaled());
  EXPECT_NE(finished.out.find("scaled from 4 ranks"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace nccl_sweep::test
