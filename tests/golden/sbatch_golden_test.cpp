// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch scripts as a user gets them. The approved ones are checked by shellcheck with all other
// scripts; scripts/slurm has some of the same.
#include "report/sbatch_script.hpp"

#include "golden.hpp"

namespace nccl_sweep::tests {
namespace {

SbatchScript sweep() {
  SbatchScript script;
  script.command = "nccl-sweep sbatch sweeps/ib-qps.json --nodes 64 --gpus-per-node 8";
  script.plan = "7 candidates x 20 cases, about 46 trials (40 to 76), at most 31 min";
  script.name = "ib-qps";
  script.nodes = 64;
  script.gpus_per_node = 8;
  script.minutes = 105;
  script.sweep = {"sweeps/ib-qps.json"};
  return script;
}

TEST(Sbatch, MpirunWithoutAContainer) {
  expect_approved("sbatch.mpirun.sh", to_text(sweep()));
}

TEST(Sbatch, SrunWithOneAgentForEachGpu) {
  SbatchScript script = sweep();
  script.launcher = SlurmLauncher::srun;
  script.agents_per_node = 8;
  script.partition = "h100";
  script.account = "physics";
  expect_approved("sbatch.srun.sh", to_text(script));
}

TEST(Sbatch, Pyxis) {
  SbatchScript script = sweep();
  script.launcher = SlurmLauncher::srun;
  script.container = Container::pyxis;
  script.image = "nvcr.io#nvidia/pytorch:25.10-py3";
  script.mounts = {"/opt/nccl-sweep", "/lustre/data sets:/data"};
  script.program = "/opt/nccl-sweep/bin/nccl-sweep";
  expect_approved("sbatch.pyxis.sh", to_text(script));
}

TEST(Sbatch, Apptainer) {
  SbatchScript script = sweep();
  script.container = Container::apptainer;
  script.image = "/images/pytorch.sif";
  script.mounts = {"/opt/nccl-sweep"};
  script.program = "/opt/nccl-sweep/bin/nccl-sweep";
  expect_approved("sbatch.apptainer.sh", to_text(script));
}

TEST(Sbatch, Singularity) {
  SbatchScript script = sweep();
  script.container = Container::singularity;
  script.image = "/images/pytorch.sif";
  script.launcher = SlurmLauncher::srun;
  expect_approved("sbatch.singularity.sh", to_text(script));
}

TEST(Sbatch, ArrayOverNodeCounts) {
  SbatchScript script = sweep();
  script.array_nodes = {2, 16, 64};
  expect_approved("sbatch.array-nodes.sh", to_text(script));
}

TEST(Sbatch, ArrayOverPartitions) {
  SbatchScript script = sweep();
  script.array_partitions = {"h100", "h200"};
  script.sweep = {"--vary", "NCCL_ALGO=Ring,Tree", "--workload", "job's sizes.json"};
  expect_approved("sbatch.array-partitions.sh", to_text(script));
}

TEST(Sbatch, ArrayOverLeafSwitches) {
  SbatchScript script = sweep();
  script.array_switches = {"1@2:00:00", "2", "4"};
  expect_approved("sbatch.array-switches.sh", to_text(script));
}

void expect_shipped(const std::string& name, const SbatchScript& script) {
  expect_approved_file(std::filesystem::path(SOURCE_FOLDER) / "scripts/slurm" / name,
                       to_text(script));
}

// For whoever wants to see what a job does, or has no nccl-sweep on the login node.
TEST(Sbatch, ScriptsThatAreShippedAreWhatTheGeneratorWrites) {
  SbatchScript script = sweep();
  expect_shipped("sweep-mpirun.sbatch", script);
  script.launcher = SlurmLauncher::srun;
  expect_shipped("sweep-srun.sbatch", script);
  script.array_nodes = {2, 16, 64};
  expect_shipped("array-nodes.sbatch", script);
  script.array_nodes.clear();
  script.array_switches = {"1@2:00:00", "2", "4"};
  expect_shipped("array-switches.sbatch", script);
}

TEST(Sbatch, WordsAreQuotedWhereTheShellWouldReadThem) {
  EXPECT_EQ(shell_word("NCCL_ALGO=Ring,Tree"), "NCCL_ALGO=Ring,Tree");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(job_name("my sweep/1"), "my-sweep-1");
}

}  // namespace
}  // namespace nccl_sweep::tests
