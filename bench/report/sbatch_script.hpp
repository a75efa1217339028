// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a Slurm batch script that runs one sweep: stops softly before the time limit or a
// preemption, puts itself back into the queue and goes on from its records. Pure text from a
// description; `nccl-sweep sbatch` fills it in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep {

enum class SlurmLauncher { mpirun, srun };
enum class Container { none, pyxis, apptainer, singularity };

struct SbatchScript {
  std::string command;  // that wrote the script, for its first lines
  std::string plan;     // in words: trials and time
  std::string name;     // of the sweep; letters that a file name should not have are replaced
  int nodes = 1;
  int agents_per_node = 1;
  int gpus_per_node = 0;  // 0: none is asked for
  int minutes = 60;       // time limit
  int notice_seconds = 120;  // so long before the limit Slurm sends its signal
  std::string partition;  // empty: the cluster's default
  std::string account;
  std::string switches;   // "2", "2@1:00:00": at most so many leaf switches, waited for so long
  SlurmLauncher launcher = SlurmLauncher::mpirun;
  Container container = Container::none;
  std::string image;
  std::vector<std::string> mounts;  // "/a" or "/a:/b", beside the working folder
  std::vector<int> array_nodes;     // one array task for each; empty: no array
  std::vector<std::string> array_partitions;
  std::vector<std::string> array_switches;  // like `switches`, but at least as many, too
  std::string program = "nccl-sweep";  // path that is the same on all nodes
  std::vector<std::string> sweep;      // arguments of `nccl-sweep run`
  std::vector<std::string> resumed;    // and of `run --resume`
};

std::string to_text(const SbatchScript&);

// 2 of "2" and of "2@1:00:00", Slurm's longest wait for them; 0 where it is neither.
int switch_count(const std::string& text);

// One word of a shell command; quoted where it must be.
std::string shell_word(std::string_view text);

// With a blank between.
std::string shell_words(const std::vector<std::string>& texts);

// "ib-qps" of "IB QPs!": letters, digits, dot, dash and underscore.
std::string job_name(std::string_view text);

}  // namespace nccl_sweep
