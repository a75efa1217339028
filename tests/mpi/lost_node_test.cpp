// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// An agent that is gone, or silent, in the middle of a measuring trial under real Open MPI: the user
// reads which, no worker is left, and the run goes on to the trials of an undisturbed one.
#include <algorithm>
#include <set>

#include "mpi/mpi_fixture.hpp"

namespace nccl_sweep::test {
namespace {

// Shell functions. `agent R` is the process of MPI rank R, `settle` waits until none of this folder's
// workers is left, and says which are. The launch runs in the background.
const std::string kFunctions =
    "of_this_test() {  # those of its processes with the name $1; a zombie has no folder\n"
    "  for p in $(pgrep -x $1); do\n"
    "    [ \"$(readlink /proc/$p/cwd)\" = \"$PWD\" ] && echo $p\n  done\n  true\n}\n"
    "agent() {\n"
    "  for p in $(of_this_test nccl-sweep); do\n"
    "    tr '\\0' '\\n' < /proc/$p/environ | grep -qx OMPI_COMM_WORLD_RANK=$1 && echo $p\n  done\n}\n"
    "settle() {\n"
    "  for i in $(seq 300); do\n"
    "    [ -z \"$(of_this_test nccl-sweep-work)\" ] && return\n    sleep 0.1\n  done\n"
    "  of_this_test nccl-sweep-work\n}\n"
    "trials() { cat run/records.jsonl 2>/dev/null | grep -c '\"record\":\"trial\"'; }\n";

class LostNode : public MpiTest {
 protected:
  // Agent 2 of four, child of agent 1, is sent `signal` while its worker measures.
  Finished sweep(const std::string& signal) {
    return shell(kFunctions + mpirun(4) + "--mca odls_base_sigkill_timeout 5 " + program() +
                     " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2"
                     " --timeout 8s --collective all_gather -b 64M -e 64M --seed 5 --output run"
                     " & launcher=$!\n"
                     "for i in $(seq 6000); do\n"
                     "  [ $(trials) -ge 1 ] && [ $(of_this_test nccl-sweep-work | wc -l) -ge 4 ]"
                     " && break\n  sleep 0.01\ndone\nsleep 0.5\nkill -" +
                     signal + " $(agent 2)\nwait $launcher; code=$?\nsettle\nexit $code",
                 240);
  }

  void expect_resumed() {
    const std::size_t before = read_run(file("run")).trials.size();
    EXPECT_GE(before, 1U);
    EXPECT_LT(before, 5U);
    const Finished resumed = shell(mpirun(4) + program() + " run --resume run", 240);
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    const RunData data = read_run(file("run"));
    ASSERT_TRUE(data.end);
    EXPECT_EQ(data.end->reason, "complete");
    const std::multiset<TrialKey> keys = trial_keys(data);
    EXPECT_EQ(keys.size(), 5U);  // burn-in and two rounds of two
    EXPECT_EQ(std::set<TrialKey>(keys.begin(), keys.end()).size(), keys.size());
  }
};

TEST_F(LostNode, AnAgentThatIsKilledIsNamedBeforeTheLauncherEndsTheRest) {
  const Finished finished = sweep("KILL");
  EXPECT_EQ(finished.exit_code, 137) << finished.err;  // mpirun's, for signal 9
  EXPECT_EQ(finished.out, "") << "workers are left";
  EXPECT_NE(finished.err.find("the launcher ends the run, and there is no answer from "),
            std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("(agent 2); `nccl-sweep run --resume run` goes on"),
            std::string::npos)
      << finished.err;
  EXPECT_EQ(finished.err.find("(agent 1)"), std::string::npos) << finished.err;
  EXPECT_FALSE(read_run(file("run")).end);
  expect_resumed();
}

TEST_F(LostNode, AnAgentThatIsStoppedIsLostWhenPatienceEnds) {
  const Finished finished = sweep("STOP");
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  EXPECT_EQ(finished.out, "") << "workers are left";
  EXPECT_NE(finished.err.find("nccl-sweep: lost node "), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("(agent 2): its agent has been silent for "), std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("`nccl-sweep run --resume run` goes on"), std::string::npos)
      << finished.err;
  const RunData data = read_run(file("run"));
  ASSERT_TRUE(data.end);
  EXPECT_EQ(data.end->reason, "lost node");
  EXPECT_EQ(data.end->lost_host, data.run.fabric.hosts.at(0));
  EXPECT_EQ(data.end->trials, static_cast<int>(data.trials.size()));
  const Finished report = shell(program() + " report run");
  EXPECT_NE(report.out.find("ended early: lost node, " + data.end->lost_host), std::string::npos)
      << report.out;
  expect_resumed();
}

}  // namespace
}  // namespace nccl_sweep::test
