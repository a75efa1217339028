// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults under real Open MPI: planted from outside into real workers on the host backend, by the
// model, and by the scripted worker. The agents must agree on whom to blame.
#include <map>

#include "mpi/mpi_fixture.hpp"

namespace nccl_sweep::test {
namespace {

const TrialOutcome* first_failure(const RunData& data) {
  for (const TrialOutcome& trial : data.trials) {
    if (trial.outcome != Outcome::complete) return &trial;
  }
  return nullptr;
}

// A sweep in the background, and a shell function that finds the worker of world rank 1: the
// agents start one worker each, and rank 1's agent is told apart by its OMPI_COMM_WORLD_RANK.
std::string with_worker_of_rank_one(const std::string& launch, const std::string& action) {
  return launch +
         " & launcher=$!\n"
         "victim() {\n"
         "  for agent in $(pgrep -x nccl-sweep); do\n"
         "    tr '\\0' '\\n' < /proc/$agent/environ | grep -qx OMPI_COMM_WORLD_RANK=1 || continue\n"
         "    [ \"$(tr '\\0' ' ' < /proc/$agent/cmdline | grep -c \"$PWD\")\" = 1 ] || continue\n"
         "    pgrep -P $agent\n  done\n}\n"
         "for i in $(seq 500); do\n"
         "  [ \"$(grep -c '\"record\":\"trial\"' run/records.jsonl 2>/dev/null)\" -ge 1 ] && "
         "[ -n \"$(victim)\" ] && break\n  sleep 0.01\ndone\nsleep 0.3\npid=$(victim | head -1)\n" +
         action + "\nwait $launcher";
}

class RealWorkerFaults : public MpiTest {
 protected:
  // Long enough blocks that the fault hits a measuring worker.
  RunData sweep(const std::string& action) {
    const Finished finished = shell(with_worker_of_rank_one(
        mpirun(2) + program() +
            " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2 --timeout 12s"
            " --collective all_gather -b 64M -e 64M --seed 5 --output $PWD/run",
        action));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return read_run(file("run"));
  }
};

TEST_F(RealWorkerFaults, AWorkerKilledFromOutsideIsNamedAndTheSweepGoesOn) {
  const RunData data = sweep("kill -9 $pid");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::crashed);
  EXPECT_EQ(failed->failure->rank, 1);
  EXPECT_NE(failed->failure->message.find("signal 9"), std::string::npos);
  ASSERT_TRUE(data.end);
  EXPECT_EQ(data.end->reason, "complete");
}

TEST_F(RealWorkerFaults, AStoppedWorkerHangsItsTrialOnlyAndGetsTheBlame) {
  const RunData data = sweep("kill -STOP $pid");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::hung);
  EXPECT_EQ(failed->failure->rank, 1);
  EXPECT_EQ(failed->failure->waiting_ranks, std::vector<int>{0});
  EXPECT_EQ(failed->failure->device.back(), '1') << failed->failure->device;
  EXPECT_NE(failed->failure->message.find("is stopped"), std::string::npos);
}

TEST_F(RealWorkerFaults, AWorkerWhoseOutputFloodsIsEnded) {
  const RunData data = sweep("timeout 10 yes flooding >> /proc/$pid/fd/1");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::flooded);
  EXPECT_EQ(failed->failure->rank, 1);
  ASSERT_FALSE(failed->failure->log_tail.empty());
  EXPECT_EQ(failed->failure->log_tail.front(), "flooding");
}

class ScriptedFaults : public MpiTest {
 protected:
  RunData sweep(const std::string& fault) {
    const Finished finished = shell(
        "export NCCL_SWEEP_WORKER=" BINARY_FOLDER
        "/fake_worker FAKE_WHEN=HOST_STREAMS_PER_CONNECTION=2 FAKE_FAULT=" +
        fault + "\n" + mpirun(3) + program() +
        " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2 --timeout 6s"
        " --collective all_gather -b 64K -e 64K --seed 5 --output run");
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return read_run(file("run"));
  }
};

TEST_F(ScriptedFaults, AllAgentsAgreeOnTheOneThatCrashed) {
  const RunData data = sweep("crash@connect:2");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::crashed);
  EXPECT_EQ(failed->failure->rank, 2);
  EXPECT_EQ(failed->failure->phase, Phase::connect);
}

TEST_F(ScriptedFaults, TheRankFurthestBehindIsBlamedForAHang) {
  const RunData data = sweep("hang@hello:1");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->outcome, Outcome::hung);
  EXPECT_EQ(failed->failure->rank, 1);
  EXPECT_EQ(failed->failure->phase, Phase::hello);
  EXPECT_EQ(failed->failure->behind, "others are ready, it is only greeted");
  EXPECT_FALSE(failed->failure->host.empty());
}

TEST_F(ScriptedFaults, AFailureElsewhereEndsThePhaseLongBeforeItsDeadline) {
  const RunData data = sweep("exit@hello:1");
  const TrialOutcome* failed = first_failure(data);
  ASSERT_NE(failed, nullptr);
  // The other two agents would wait for their deadline in measure; told, they need not.
  EXPECT_EQ(failed->failure->phase, Phase::hello);
  EXPECT_LT(failed->total_seconds, 60);
}

// The model's planted faults are done by the real worker program; only its times are simulated.
TEST_F(MpiTest, EveryFaultThatTheModelPlantsIsToldApartAndTheSweepGoesOn) {
  struct Expected {
    Outcome outcome;
    Phase phase;
  };
  const std::map<std::string, Expected> expected{
      {"hang", {Outcome::hung, Phase::measure}},
      {"stuck", {Outcome::hung, Phase::measure}},
      {"crash", {Outcome::crashed, Phase::measure}},
      {"exit", {Outcome::crashed, Phase::measure}},
      {"garbage", {Outcome::garbage, Phase::measure}},
      {"flood_frames", {Outcome::flooded, Phase::measure}},
      {"wrong_data", {Outcome::wrong_data, Phase::measure}},
      {"error", {Outcome::error, Phase::measure}},
      {"unsupported", {Outcome::unsupported, Phase::measure}},
      {"hang_at_hello", {Outcome::hung, Phase::hello}},
      {"crash_at_connect", {Outcome::crashed, Phase::connect}},
      {"hang_at_drain", {Outcome::hung, Phase::drain}}};
  std::string values = "slow";
  for (const auto& [fault, what] : expected) values += "," + fault;
  const Finished finished = shell(
      mpirun(2) + program() + " run --backend model --model faulty --workers 2 --rounds 1" +
      " --timeout 8s --collective all_gather -b 1M -e 1M --seed 2 --output run --vary MODEL_FAULT=" +
      values);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(file("run"));
  std::size_t seen = 0;
  for (const TrialOutcome& trial : data.trials) {
    const std::string name =
        name_of(data.run.candidates.at(static_cast<std::size_t>(trial.order.candidate)));
    const auto found = expected.find(name.substr(name.find('=') + 1));
    if (found == expected.end()) {
      EXPECT_EQ(trial.outcome, Outcome::complete) << name;
      continue;
    }
    ++seen;
    EXPECT_EQ(trial.outcome, found->second.outcome) << name << " " << to_string(trial.outcome);
    ASSERT_TRUE(trial.failure) << name;
    EXPECT_EQ(trial.failure->phase, found->second.phase) << name;
    EXPECT_EQ(trial.failure->rank, 0) << name;
  }
  EXPECT_EQ(seen, expected.size());
  EXPECT_NE(finished.out.find("SIMULATED"), std::string::npos);
}

}  // namespace
}  // namespace nccl_sweep::test
