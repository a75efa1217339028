// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The scripts that `nccl-sweep sbatch` writes, as real Slurm jobs under real Open MPI. Skipped, with
// the reason, where Slurm is not installed or namespaces are not allowed.
#include "slurm/slurm_fixture.hpp"

namespace nccl_sweep::test {
namespace {

// Three trials, of a tenth of a second each.
const std::string kShort = "--vary HOST_STREAMS_PER_CONNECTION=2 --rounds 1 -n 20 ";

TEST_F(SlurmTest, ASweepOverFourNodesRecordsWhereItRan) {
  write_script(kShort + "--nodes 4 --gpus-per-node 2");
  const std::string job = submit("job.sbatch");
  ASSERT_TRUE(finished(job));
  const std::string run = "results/sweep-" + job;
  const std::string said = read_file(file("sweep-" + job + ".out"));
  ASSERT_TRUE(std::filesystem::exists(file(run))) << said;
  const RunData data = read_run(file(run));
  expect_whole(data, 3);
  EXPECT_EQ(data.run.fabric.nodes, 4);
  EXPECT_EQ(data.run.fabric.span, "leaves-2");
  EXPECT_EQ(data.run.placement.at("SLURM_JOB_ID"), job);
  EXPECT_EQ(data.run.placement.at("SLURM_JOB_PARTITION"), "batch");
  EXPECT_EQ(data.run.placement.at("SLURM_JOB_NODELIST"), "node[1-4]");
  EXPECT_EQ(data.run.placement.at("switches"), "leaf1: node1 node2; leaf2: node3 node4");
  EXPECT_NE(said.find("4 nodes, 2 leaf switches"), std::string::npos) << said;
}

TEST_F(SlurmTest, SrunStartsOneAgentForEachGpu) {
  write_script(kShort + "--nodes 2 --launcher srun "
               "--gpus-per-node 2 --agents-per-node gpu");
  const std::string job = submit("--nodelist=node3,node4 job.sbatch");
  ASSERT_TRUE(finished(job));
  const std::string said = read_file(file("sweep-" + job + ".out"));
  ASSERT_TRUE(std::filesystem::exists(file("results/sweep-" + job))) << said;
  const RunData data = read_run(file("results/sweep-" + job));
  expect_whole(data, 3);
  EXPECT_EQ(data.run.agents, 4);
  EXPECT_EQ(data.run.fabric.nodes, 2);
  EXPECT_EQ(data.run.placement.at("rank_order"), "block");
  EXPECT_EQ(data.run.fabric.span, "leaf");
  EXPECT_EQ(data.run.placement.at("switches"), "leaf2: node3 node4");
}

// Slurm sends the signal when it next looks at its jobs, half a minute after it was started; so the
// sweep is longer than that, by pauses that are as long on any machine.
TEST_F(SlurmTest, TheTimeLimitsSignalRequeuesTheJobAndItGoesOn) {
  std::ofstream(file("policy.json")) << R"({"quiet_seconds": 0.4})";
  write_script("--vary HOST_STREAMS_PER_CONNECTION=2,4,8 --rounds 18 -n 20 --nodes 2 "
               "--policy policy.json");
  // Somebody is on node1 first: the job gets others, and must get the same again.
  submit("--nodelist=node1 --exclusive --wrap 'sleep 15'");
  const std::string job = submit("--time=1 --signal=B:USR1@20 job.sbatch");
  ASSERT_TRUE(eventually([&] { return job_says(job).find(" Restarts=1 ") != std::string::npos; }))
      << job_says(job) << read_file(file("sweep-" + job + ".out"));
  const std::size_t before = trials_in("results/sweep-" + job);
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, 73U);
  shell("scontrol update JobId=" + job + " TimeLimit=30");  // the rest in one go
  ASSERT_TRUE(finished(job)) << job_says(job);
  EXPECT_NE(job_says(job).find("JobState=COMPLETED"), std::string::npos)
      << read_file(file("sweep-" + job + ".out"));
  expect_whole(read_run(file("results/sweep-" + job)), 73);  // burn-in and 18 rounds of 4
  EXPECT_FALSE(std::filesystem::exists(file("results/sweep-" + job + "-2")));
}

// node3 and node4 are taken twice, first with time to end, then without; node1 and node2 are free.
TEST_F(SlurmTest, APreemptedJobGoesOnOnItsNodesWhenTheyAreFreeAgain) {
  write_script("--vary HOST_STREAMS_PER_CONNECTION=2,4,8 --rounds 6 --nodes 2 --partition low");
  const std::string blocker = submit("--nodelist=node1 --exclusive --wrap 'sleep 300'");
  ASSERT_TRUE(eventually([&] { return contains(job_says(blocker), "JobState=RUNNING "); }));
  const std::string job = submit("job.sbatch");
  const std::string run = "results/sweep-" + job;
  std::size_t trials = 0;
  for (const std::string restarts : {"1", "2"}) {
    ASSERT_TRUE(eventually([&] { return trials_in(run) > trials + 1; }))
        << job_says(job) << read_file(file("sweep-" + job + ".out"));
    shell("scancel " + blocker);
    const std::string other =
        submit("--partition=high --nodelist=node3,node4 --exclusive --wrap 'sleep 1'");
    ASSERT_TRUE(finished(other));
    ASSERT_TRUE(eventually([&] { return contains(job_says(job), " Restarts=" + restarts + " "); }))
        << job_says(job) << read_file(file("sweep-" + job + ".out"));
    trials = trials_in(run);
    EXPECT_LT(trials, 25U);
    shell("scontrol update PartitionName=low GraceTime=0");
  }
  ASSERT_TRUE(finished(job)) << job_says(job);
  const std::string said = read_file(file("sweep-" + job + ".out"));
  EXPECT_TRUE(contains(job_says(job), "JobState=COMPLETED ")) << said;
  EXPECT_TRUE(contains(said, "\npreempted; requeued, to go on in " + run + "\n")) << said;
  EXPECT_TRUE(contains(said, "\nSlurm requeued the job, to go on in " + run + "\n")) << said;
  EXPECT_FALSE(contains(said, "to go on: sbatch")) << said;
  const RunData data = read_run(file(run));
  expect_whole(data, 25);  // burn-in and 6 rounds of 4
  EXPECT_EQ(data.run.placement.at("SLURM_JOB_NODELIST"), "node[3-4]");
  EXPECT_FALSE(std::filesystem::exists(file(run + "-2")));
}

TEST_F(SlurmTest, AJobThatCannotGoOnByItselfSaysHow) {
  write_script("--vary HOST_STREAMS_PER_CONNECTION=2,4,8 --rounds 20 --nodes 2");
  const std::string how = "to go on: sbatch --nodelist=node[1-2] \\\n            THIS_SCRIPT ";
  const auto begin = [&](const std::string& options) {
    const std::string job = submit(options + " --nodelist=node[1-2] job.sbatch");
    EXPECT_TRUE(eventually([&] { return trials_in("results/sweep-" + job) > 1; }));
    return job;
  };
  const std::string kept = begin("--no-requeue");
  shell("scancel --batch --signal=USR1 " + kept);
  EXPECT_EQ(exit_code_of(kept), 130);
  std::string said = read_file(file("sweep-" + kept + ".out"));
  EXPECT_TRUE(contains(said, "stopped before the time limit; the job could not be requeued\n" +
                                 how + "results/sweep-" + kept + "\n")) << said;
  // Of a requeued job somebody changes the nodes.
  const std::string moved = begin("");
  shell("scontrol requeue " + moved);
  ASSERT_TRUE(eventually([&] { return contains(job_says(moved), "JobState=PENDING "); }));
  shell("scontrol update ReqNodeList=node[3-4] JobId=" + moved);
  EXPECT_EQ(exit_code_of(moved), 130);
  said = read_file(file("sweep-" + moved + ".out"));
  const std::string onto = "requeued onto other nodes, node[3-4]: nothing was measured on them\n";
  EXPECT_TRUE(contains(said, onto + how + "results/sweep-" + moved + "\n")) << said;
  EXPECT_FALSE(std::filesystem::exists(file("results/sweep-" + moved + "-2")));
}

TEST_F(SlurmTest, AnArrayGivesEachTaskItsNumberOfNodes) {
  write_script(kShort + "--array-nodes 2,4");
  const std::string job = submit_array();
  const std::string base = "results/sweep-" + job;
  ASSERT_TRUE(finished(job + "_0"));
  ASSERT_TRUE(finished(job + "_1"));
  const RunData two = read_run(file(base + "-2nodes"));
  const RunData four = read_run(file(base + "-4nodes"));
  expect_whole(two, 3);
  expect_whole(four, 3);
  EXPECT_EQ(two.run.fabric.nodes, 2);
  EXPECT_EQ(two.run.placement.at("SLURM_JOB_NUM_NODES"), "2");  // no more were held for it
  EXPECT_EQ(two.run.placement.at("SLURM_ARRAY_TASK_ID"), "0");
  EXPECT_EQ(four.run.fabric.nodes, 4);
}

TEST_F(SlurmTest, AnArrayGivesEachTaskItsPartition) {
  write_script(kShort + "--nodes 2 "
               "--array-partitions other,batch");
  // Not by bash all tasks are of the first partition.
  EXPECT_EQ(exit_code_of(submit("--array=1 --output=wrong.out job.sbatch")), 1);
  const std::string said = read_file(file("wrong.out"));
  EXPECT_NE(said.find("this is partition other, not batch"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(file("results")));
  const std::string job = submit_array();
  int task = 0;
  for (const std::string partition : {"other", "batch"}) {
    ASSERT_TRUE(finished(job + "_" + std::to_string(task)));
    const RunData data = read_run(file("results/sweep-" + job + "-" + partition));
    expect_whole(data, 3);
    EXPECT_EQ(data.run.placement.at("SLURM_JOB_PARTITION"), partition);
    EXPECT_EQ(data.run.placement.at("SLURM_ARRAY_TASK_ID"), std::to_string(task));
    EXPECT_EQ(data.run.fabric.nodes, 2);
    ++task;
  }
}

// The last task has the number of the whole array.
TEST_F(SlurmTest, ATaskOfAnArrayRequeuesItselfAlone) {
  write_script("--vary HOST_STREAMS_PER_CONNECTION=2 --rounds 6 --nodes 2 "
               "--array-partitions other,batch");
  const std::string job = submit_array();
  const std::string other = "results/sweep-" + job + "-other";
  const std::string last = "results/sweep-" + job + "-batch";
  ASSERT_TRUE(eventually([&] { return trials_in(other) > 0 && trials_in(last) > 0; }));
  shell("scancel --signal=USR1 --batch " + job + "_1");
  ASSERT_TRUE(eventually([&] { return contains(job_says(job + "_1"), " Restarts=1 "); }));
  ASSERT_TRUE(finished(job + "_0"));
  ASSERT_TRUE(finished(job + "_1"));
  EXPECT_TRUE(contains(job_says(job + "_0"), " Restarts=0 ")) << job_says(job + "_0");
  expect_whole(read_run(file(other)), 13);
  expect_whole(read_run(file(last)), 13);
}

TEST_F(SlurmTest, AnArrayGivesEachTaskItsNumberOfLeafSwitches) {
  write_script(kShort + "--nodes 2 --array-switches 1,2@10");
  const std::string job = submit_array();
  ASSERT_TRUE(finished(job + "_0"));
  ASSERT_TRUE(finished(job + "_1"));
  const auto run = [&](const char* name) {
    return read_run(file("results/sweep-" + job + name));
  };
  const RunData near = run("-1switches");
  const RunData far = run("-2switches");
  expect_whole(near, 3);
  expect_whole(far, 3);
  EXPECT_EQ(near.run.fabric.nodes, 2);
  EXPECT_EQ(near.run.fabric.span, "leaf");
  EXPECT_EQ(far.run.fabric.nodes, 2);
  EXPECT_EQ(far.run.fabric.span, "leaves-2");
  EXPECT_NE(near.run.fabric.hosts, far.run.fabric.hosts);
}

TEST_F(SlurmTest, AnotherNumberOfLeafSwitchesThanAskedForIsNotMeasured) {
  write_script(kShort + "--nodes 2 --array-switches 2,1");
  // Not by bash: to Slurm 2 is the most, and two nodes of one switch are free.
  EXPECT_EQ(exit_code_of(submit("--array=0 --output=far.out job.sbatch")), 1);
  const std::string said = read_file(file("far.out"));
  EXPECT_NE(said.find("under 1 leaf switches, not 2; nothing was measured"), std::string::npos)
      << said;
  EXPECT_FALSE(std::filesystem::exists(file("results")));
  // Of the three asked for there are two.
  std::filesystem::remove(file("job.sbatch"));
  write_script(kShort + "--nodes 3 --array-switches 1,3");
  const Finished refused = shell("bash job.sbatch");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("batch has nodes under 2 leaf switches, not 3: nothing is submitted"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(shell("squeue -h").out, "");
}

// The nodes' own disk is /dev/shm here: each has one. The login node's TMPDIR is not on them.
TEST_F(SlurmTest, ACancelledJobLeavesARunThatAnotherJobFinishesAndNothingOnTheNodes) {
  const std::string nodes = "--nodelist=node1,node2 job.sbatch";
  const auto submit_staged = [&](const std::string& arguments) {
    return submit(nodes + arguments, "export TMPDIR=$PWD/login SLURM_TMPDIR=/dev/shm");
  };
  const auto measures = [&](const std::string& run, std::size_t trials) {
    return eventually([&] { return trials_in(run) >= trials; });
  };
  write_script("--vary HOST_STREAMS_PER_CONNECTION=2 --rounds 6 --nodes 2 --stage always");
  const std::string job = submit_staged("");
  const std::string run = "results/sweep-" + job;
  ASSERT_TRUE(measures(run, 2)) << read_file(file("sweep-" + job + ".out"));
  EXPECT_EQ(staged_on("node1"), 1U);
  EXPECT_EQ(staged_on("node2"), 1U);
  EXPECT_EQ(staged_on("node3"), 0U);
  shell("scancel " + job);
  ASSERT_TRUE(finished(job));
  EXPECT_NE(job_says(job).find("JobState=CANCELLED"), std::string::npos) << job_says(job);
  EXPECT_LT(trials_in(run), 13U);
  EXPECT_TRUE(eventually([&] { return shell("squeue -h").out.empty(); }));
  EXPECT_EQ(staged_on("node1") + staged_on("node2"), 0U);
  // Killed, nobody can tidy up: the next job does.
  const std::size_t before = trials_in(run);
  const std::string killed = submit_staged(" " + run);
  ASSERT_TRUE(measures(run, before + 1)) << read_file(file("sweep-" + killed + ".out"));
  kill_agents();
  ASSERT_TRUE(finished(killed));
  EXPECT_EQ(staged_on("node1") + staged_on("node2"), 2U);
  const std::string next = submit_staged(" " + run);
  ASSERT_TRUE(finished(next));
  EXPECT_NE(job_says(next).find("JobState=COMPLETED"), std::string::npos)
      << read_file(file("sweep-" + next + ".out"));
  const RunData data = read_run(file(run));
  expect_whole(data, 13);
  EXPECT_NE(data.run.placement.at("staged").find("on each node"), std::string::npos);
  EXPECT_EQ(staged_on("node1") + staged_on("node2"), 0U);
}

TEST_F(SlurmTest, OtherNodesStartARunOfTheirOwn) {
  write_script(kShort + "--nodes 2");
  const std::string first = submit("--nodelist=node1,node2 job.sbatch results/mine");
  ASSERT_TRUE(finished(first));
  const std::string second = submit("--nodelist=node3,node4 job.sbatch results/mine");
  ASSERT_TRUE(finished(second));
  const RunData mine = read_run(file("results/mine"));
  const RunData other = read_run(file("results/mine-2"));
  expect_whole(mine, 3);
  expect_whole(other, 3);
  EXPECT_NE(mine.run.fabric.hosts, other.run.fabric.hosts);
}

TEST_F(SlurmTest, SrunWithoutPmiOrWithTheWrongOneIsRefused) {
  const std::string sweep = program() + " run --backend host --vary HOST_CHUNK_BYTES=65536 "
                                        "--rounds 1 --output ";
  for (const std::string kind : {"none", "pmi2"}) {
    const Finished refused = shell("srun -N2 --ntasks-per-node=1 --mpi=" + kind + " " + sweep + kind);
    EXPECT_EQ(refused.exit_code, 2) << kind << refused.err;
    EXPECT_NE(refused.err.find("use mpirun, or srun --mpi=pmix"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(file(kind)));
  }
}

// A stand-in for apptainer: it mounts nothing, notes what it was to mount, and can keep the topology
// file or the variable that names it from what runs inside.
constexpr const char* kApptainer = R"sh(#!/bin/bash
while [[ $1 != image ]]; do
  if [[ $1 == --bind ]]; then echo "$2" >>binds; fi
  shift
done
shift
case ${HIDE-} in
  variable) unset NCCL_TOPO_FILE ;;
  file) exec unshare --mount bash -c 'mount -t tmpfs none etc && exec "$@"' _ "$@" ;;
esac
exec "$@"
)sh";

TEST_F(SlurmTest, WhatDoesNotReachTheContainerStopsTheJobBeforeAnythingIsMeasured) {
  std::filesystem::create_directory(file("etc"));
  std::ofstream(file("etc/topo.xml")) << "<system/>\n";
  std::ofstream(file("apptainer")) << kApptainer;
  const std::string options = kShort + "--nodes 2 --container apptainer --container-image image ";
  write_script(options + "--launcher srun");  // mpirun takes 4 s to end after a failure
  const std::string topology = file("etc/topo.xml").string();
  const auto exit_code = [&](const std::string& hide) {
    return exit_code_of(submit("--output=" + hide + ".out job.sbatch results/run",
                               "chmod +x apptainer; export PATH=$PWD:$PATH NCCL_TOPO_FILE=" +
                                   topology + " HIDE=" + hide));
  };
  EXPECT_EQ(exit_code("variable"), 2);
  std::string said = read_file(file("variable.out"));
  EXPECT_NE(said.find("NCCL_TOPO_FILE=" + topology + " did not arrive here"), std::string::npos)
      << said;
  EXPECT_EQ(exit_code("file"), 2);
  said = read_file(file("file.out"));
  EXPECT_NE(said.find("NCCL_TOPO_FILE: " + topology + " cannot be read here"), std::string::npos)
      << said;
  EXPECT_FALSE(std::filesystem::exists(file("results")));
  std::filesystem::remove(file("job.sbatch"));
  write_script(options);
  EXPECT_EQ(exit_code("nothing"), 0) << read_file(file("nothing.out"));
  const RunData data = read_run(file("results/run"));
  EXPECT_EQ(data.run.placement.at("container_image"), "image");
  EXPECT_NE(read_file(file("binds")).find(topology + ":" + topology), std::string::npos);
}

}  // namespace
}  // namespace nccl_sweep::test
