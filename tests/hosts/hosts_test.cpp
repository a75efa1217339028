// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole program under real mpirun over three hosts with host names, networks and mounts of their
// own. What is not the same on one of them is found and named before anything is measured.
#include <thread>

#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

using Lines = std::vector<std::string>;

// Two candidates, one round.
const std::string kSweep =
    " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 1"
    " --collective all_gather -b 96K -e 96K --seed 11 --output run ";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Hosts : public testing::Test {
 protected:
  void SetUp() override {
    if (!HAVE_MPI) GTEST_SKIP() << "this build has no MPI (libopenmpi-dev was not found)";
    if (geteuid() != 0) GTEST_SKIP() << "network namespaces are for root";
    const Finished possible = shell(
        "n=probe$$; ip netns add $n && ip link add $n type veth peer name peer netns $n &&"
        " unshare --mount --uts true; code=$?; ip netns del $n; exit $code");
    if (possible.exit_code != 0) GTEST_SKIP() << "no network namespaces here: " << possible.err;
    const Finished made = shell(hosts() + "up 3");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  void TearDown() override { shell(hosts() + "down"); }

  Finished shell(const std::string& command) const {
    return run_shell(folder_.path(), command, 60);
  }
  // The folder is the same on all hosts, as a shared file system is.
  std::string hosts() const {
    return "NETNS_HOSTS_TAG=" + tag() + " " SOURCE_FOLDER "/tests/hosts/netns-hosts ";
  }
  static std::string tag() { return "t" + std::to_string(getpid() % 1000000); }
  Finished sweep(const std::string& more = {}, const std::string& mpirun = "--bind-to none") const {
    return shell(hosts() +
                 "mpirun --oversubscribe --mca orte_tmpdir_base $PWD --wdir $PWD -np 3"
                 " --host host1:1,host2:1,host3:1 " + mpirun + " " + program() + kSweep + more);
  }
  // What a host's shell does before each command there.
  void give(const std::string& host, const std::string& commands) const {
    const Finished written = shell(hosts() + "rc " + host + " '" + commands + "'");
    ASSERT_EQ(written.exit_code, 0) << written.err;
  }
  void expect_refused(const Finished& finished, const std::string& why) const {
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_TRUE(has(finished.err, why)) << finished.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run")) << "nothing may be measured";
  }

  TemporaryFolder folder_;
};

TEST_F(Hosts, ThreeThatAreAlikeMeasureOverTheirNetwork) {
  const Finished finished = sweep();
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(folder_.path() / "run");
  EXPECT_EQ(data.run.fabric.hosts, (Lines{"host1", "host2", "host3"}));
  EXPECT_EQ(data.run.fabric.nodes, 3);
  EXPECT_EQ(data.run.mismatches, Lines{});
  EXPECT_FALSE(has(finished.err, "differ")) << finished.err;
  ASSERT_EQ(data.trials.size(), 3U);
  for (const TrialOutcome& trial : data.trials) {
    ASSERT_EQ(trial.outcome, Outcome::complete);
    EXPECT_EQ(trial.cases.at(0).wrong_elements, 0);
  }
}

TEST_F(Hosts, AVariableThatOneHostSetsIsNamedAndStopsTheRun) {
  give("host2", "export NCCL_ALGO=Ring");
  expect_refused(sweep(), "NCCL_ALGO=Ring on host2 (rank 1); NCCL_ALGO unset on host1 (rank 0), "
                          "host3 (rank 2)");
}

TEST_F(Hosts, AllowedToDifferTheyMarkEveryRecordAndTheReport) {
  give("host3", "export HOST_CHUNK_BYTES=64K");
  const Finished finished = sweep("--allow-mismatch");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const std::string line =
      "HOST_CHUNK_BYTES=64K on host3 (rank 2); HOST_CHUNK_BYTES unset on host1 (rank 0), "
      "host2 (rank 1)";
  EXPECT_TRUE(has(finished.err, "warning nodes differ: " + line)) << finished.err;
  EXPECT_TRUE(has(finished.out, "NODES DIFFER  " + line)) << finished.out;
  EXPECT_EQ(read_run(folder_.path() / "run").run.mismatches, Lines{line});
  const Finished count = shell("grep -c nodes_differ run/records.jsonl; wc -l < run/records.jsonl");
  const std::size_t half = count.out.size() / 2;
  EXPECT_EQ(count.out.substr(0, half), count.out.substr(half));
}

// Open MPI binds jobs of up to two processes to a core each.
TEST_F(Hosts, TheCoreThatMpirunBindsAnAgentToIsSaidAndWorkersHaveTheOthers) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  give("host2", "export NCCL_SWEEP_WORKER=$PWD/worker");
  give("host1", "export NCCL_SWEEP_WORKER=$PWD/worker");
  std::ofstream(folder_.path() / "worker")
      << "#!/bin/bash\ngrep Cpus_allowed_list /proc/self/status >> masks.$(hostname)\n"
         "exec " BINARY_FOLDER "/nccl-sweep-worker \"$@\"\n";
  ASSERT_EQ(shell("chmod +x worker").exit_code, 0);
  const Finished finished = sweep("", "-np 2");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(has(finished.err, "the launcher bound agents to 1 CPU for 1 worker"))
      << finished.err;
  const Finished masks = shell("cat masks.* | sort -u");
  EXPECT_TRUE(has(masks.out, "\t0-") || has(masks.out, ",")) << masks.out;
}

// The small twin of queue pairs that take one path each: four streams carry four times as much. Which
// is so far above any noise that the verdict may be relied on.
TEST_F(Hosts, OnALinkThatLimitsEachStreamFourOfThemAreBetter) {
  const Finished limited = shell(hosts() + "limit 200mbit 2gbit");
  if (limited.exit_code != 0) GTEST_SKIP() << "no htb here: " << limited.err;
  const Finished finished = run_shell(
      folder_.path(),
      hosts() + "mpirun --bind-to none --mca orte_tmpdir_base $PWD --wdir $PWD -np 2"
                " --host host1:1,host2:1 -x HOST_CHUNK_BYTES=64K " + program() +
          " run --backend host --vary HOST_STREAMS_PER_CONNECTION=4 --collective all_gather"
          " -b 1M -e 1M --placement out_of_place --seed 1 --output run",
      90);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "best single setting: HOST_STREAMS_PER_CONNECTION=4"))
      << finished.out;
}

// Ranks dealt to three hosts in turn send everything over the links, twice as much as node by node.
TEST_F(Hosts, AJobWhoseRanksAreDealtToTheHostsInTurnIsBetterNodeByNode) {
  const Finished limited = shell(hosts() + "limit 200mbit 200mbit");
  if (limited.exit_code != 0) GTEST_SKIP() << "no htb here: " << limited.err;
  const Finished finished = run_shell(
      folder_.path(),
      hosts() + "mpirun --bind-to none --map-by node --mca orte_tmpdir_base $PWD --wdir $PWD -np 6"
                " --host host1:2,host2:2,host3:2 -x HOST_CHUNK_BYTES=64K " + program() +
          " run --backend host --vary rank_order=block,cyclic --collective all_gather"
          " -b 1M -e 1M --placement out_of_place --seed 1 --output run",
      110);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "best single setting: rank_order=block")) << finished.out;
  const RunData data = read_run(folder_.path() / "run");
  EXPECT_EQ(data.run.placement.at("rank_order"), "cyclic");
  ASSERT_EQ(data.run.collapsed.size(), 1U);
  EXPECT_EQ(name_of(data.run.collapsed.front().candidate), "rank_order=cyclic");
  for (const TrialOutcome& trial : data.trials) {
    ASSERT_EQ(trial.outcome, Outcome::complete);
    EXPECT_EQ(trial.cases.at(0).wrong_elements, 0);
  }
}

TEST_F(Hosts, NodesAreOrderedByTheirSwitchesWhereTheseAreKnown) {
  const std::string orders = " --vary node_order=by_switch,across_switches";
  expect_refused(sweep(orders), "node_order orders nodes by their leaf switch");
  give("host1", "export SLURMD_NODENAME=host1 SLURM_TOPOLOGY_ADDR=top.a.host1");
  give("host2", "export SLURMD_NODENAME=host2 SLURM_TOPOLOGY_ADDR=top.b.host2");
  give("host3", "export SLURMD_NODENAME=host3 SLURM_TOPOLOGY_ADDR=top.a.host3");
  const Finished finished = sweep(orders);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = read_run(folder_.path() / "run");
  EXPECT_EQ(data.run.fabric.span, "leaves-2");
  ASSERT_EQ(data.run.collapsed.size(), 1U);  // host1 host2 host3 is across the switches already
  EXPECT_EQ(data.run.collapsed.front().reason, "the nodes are in this order already");
  for (const TrialOutcome& trial : data.trials) {
    ASSERT_EQ(trial.outcome, Outcome::complete);
    EXPECT_EQ(trial.cases.at(0).wrong_elements, 0);
  }
}

TEST_F(Hosts, AConfFileOfOneHostIsNamed) {
  give("host3", "mkdir -p $PWD/etc; echo NCCL_MIN_CTAS=8 > $PWD/etc/nccl.conf;"
                " mount -t overlay overlay -o lowerdir=$PWD/etc:/etc /etc");
  const Finished finished = sweep();
  expect_refused(finished, "conf file's NCCL_MIN_CTAS=8 on host3 (rank 2); conf file's "
                           "NCCL_MIN_CTAS unset on host1 (rank 0), host2 (rank 1)");
  EXPECT_TRUE(has(finished.err, " /etc/nccl.conf absent on ")) << finished.err;
}

// As in a container whose image lacks what the node has.
TEST_F(Hosts, ATopologyFileThatOneHostLacksIsSaidBeforeAnythingIsTimed) {
  ASSERT_EQ(shell("mkdir site empty; echo '<system/>' > site/topo.xml").exit_code, 0);
  give("host2", "mount --bind $PWD/empty $PWD/site");
  expect_refused(sweep("", "--bind-to none -x NCCL_TOPO_FILE=" +
                               (folder_.path() / "site/topo.xml").string()),
                 "site/topo.xml absent on host2 (rank 1); NCCL_TOPO_FILE=");
}

// The nodes have it in /etc; the program runs in containers, whose /etc is the image's.
TEST_F(Hosts, ATopologyFileThatNoContainerHasIsSaidBeforeAnythingIsTimed) {
  ASSERT_EQ(shell("mkdir node image; echo '<system/>' > node/topo.xml;"
                  " cp -r /etc/passwd /etc/ld.so.* /etc/openmpi image").exit_code, 0);
  for (const char* host : {"host1", "host2", "host3"}) {
    give(host, "mount -t overlay overlay -o lowerdir=$PWD/node:/etc /etc");
  }
  std::ofstream(folder_.path() / "container")
      << "#!/bin/bash\n[[ -r /etc/topo.xml ]] || exit 9\n"
         R"(exec unshare --mount bash -c 'mount --bind "$0" /etc; exec "$@"' "$PWD/image" "$@")"
         "\n";
  ASSERT_EQ(shell("chmod +x container").exit_code, 0);
  const Finished finished = sweep("", "--bind-to none -x NCCL_TOPO_FILE=/etc/topo.xml ./container");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const std::size_t said =
      finished.err.find("warning NCCL_TOPO_FILE=/etc/topo.xml NOT READABLE on all ranks");
  ASSERT_NE(said, std::string::npos) << finished.err;
  EXPECT_LT(said, finished.err.find("burn-in")) << finished.err;
}

TEST_F(Hosts, AnotherWorkerProgramOnOneHostIsFound) {
  ASSERT_EQ(shell("cp " BINARY_FOLDER "/nccl-sweep-worker worker; cp worker other; "
                  "printf x >> other").exit_code, 0);
  give("host3", "mount --bind $PWD/other $PWD/worker");
  expect_refused(sweep("", "--bind-to none -x NCCL_SWEEP_WORKER=" +
                               (folder_.path() / "worker").string()),
                 "nccl-sweep-worker ");
}

class LostHost : public Hosts {
 protected:
  // Host 2's processes are sent `signal` in the middle of a trial; `then` is what the user does next.
  Finished lose_host2(const std::string& signal, const std::string& then) const {
    return run_shell(
        folder_.path(),
        hosts() + "mpirun --oversubscribe --bind-to none --mca orte_tmpdir_base $PWD --wdir $PWD"
                  " -np 3 --host host1:1,host2:1,host3:1 " + program() + kLongSweep +
            " & launcher=$!\n"
            "for i in $(seq 6000); do\n"
            "  [ $(cat run/records.jsonl 2>/dev/null | grep -c '\"record\":\"trial\"') -ge 1 ] &&"
            " break\n  sleep 0.01\ndone\nsleep 0.5\n"
            "kill -" + signal + " $(ip netns pids " + tag() + "-host2)\n" + then +
            "\nfor i in $(seq 300); do\n  left=$(for h in 1 3; do for p in $(ip netns pids " +
            tag() + "-host$h); do cat /proc/$p/comm; done; done | grep sweep)\n"
            "  [ -z \"$left\" ] && break\n  sleep 0.1\ndone\necho \"$left\"",
        240);
  }
  void expect_resumed() const {
    ASSERT_EQ(shell(hosts() + "up 3").exit_code, 0);
    const Finished resumed = run_shell(
        folder_.path(),
        hosts() + "mpirun --oversubscribe --bind-to none --mca orte_tmpdir_base $PWD --wdir $PWD"
                  " -np 3 --host host1:1,host2:1,host3:1 " + program() + " run --resume run",
        240);
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    const RunData data = read_run(folder_.path() / "run");
    ASSERT_TRUE(data.end);
    EXPECT_EQ(data.end->reason, "complete");
    ASSERT_EQ(data.trials.size(), 5U);
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
      EXPECT_EQ(data.trials[i].order.index, static_cast<int>(i));
    }
  }

  const std::string kLongSweep =
      " run --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --rounds 2 --timeout 8s"
      " --collective all_gather -b 64M -e 64M --seed 5 --output run";
};

TEST_F(LostHost, OneThatDiesIsNamedAndTheRunGoesOnWhenItIsBack) {
  const Finished finished = lose_host2("KILL", "wait $launcher");
  EXPECT_EQ(finished.out, "\n") << "processes are left on the other hosts";
  EXPECT_TRUE(has(finished.err, "no answer from host2 (agent 1)")) << finished.err;
  EXPECT_TRUE(has(finished.err, "`nccl-sweep run --resume run` goes on")) << finished.err;
  EXPECT_FALSE(read_run(folder_.path() / "run").end);
  expect_resumed();
}

// mpirun waits for the daemon of such a host, until the user has enough.
TEST_F(LostHost, OneThatHangsIsLostWhenPatienceEnds) {
  const Finished finished = lose_host2(
      "STOP", "for i in $(seq 1500); do\n  grep -q '\"reason\":\"lost node\"' run/records.jsonl &&"
              " break\n  sleep 0.1\ndone");
  EXPECT_EQ(finished.out, "\n") << "processes are left on the other hosts";
  EXPECT_TRUE(has(finished.err, "lost node host2 (agent 1): its agent has been silent for "))
      << finished.err;
  const RunData data = read_run(folder_.path() / "run");
  ASSERT_TRUE(data.end);
  EXPECT_EQ(data.end->lost_host, "host2");
  expect_resumed();
}

}  // namespace
}  // namespace nccl_sweep::test
