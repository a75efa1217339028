// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that the agents need to know of a run, made on rank 0 and sent to all of them as
// text: other ranks read no file and no library variable of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/environment.hpp"
#include "core/plan.hpp"
#include "core/trial.hpp"

namespace nccl_sweep::agent {

// Where the workers are. World ranks are numbered agent by agent.
struct Layout {
  std::vector<std::string> host_of_agent;
  std::vector<int> workers_of_agent;

  int workers() const;
  int first_rank(int agent) const;
  std::string host_of_rank(int rank) const;  // empty where no worker has this rank
  int nodes() const;
  std::vector<int> node_of_rank() const;  // by distinct host name, in order of appearance
  int local_rank(int rank) const;         // among the workers of its host
  int local_size(int rank) const;
};

// A file that each node is to copy to its own disk (staging.hpp).
struct StagedFile {
  std::string path;
  std::string hash;  // fnv1a of what rank 0 has, 16 hex digits
  std::int64_t bytes = 0;
};

struct Setup {
  std::string backend;
  std::string model;              // model backend: the fabric as JSON text
  std::vector<Candidate> candidates;
  std::vector<std::string> environment_knobs;  // names that go into the environment
  std::vector<Case> cases;
  std::vector<Partition> partitions;
  std::vector<std::vector<Partition>> reordered;  // the same with the ranks in another order
  std::vector<int> reordering;      // by candidate: index into it, -1: as launched; empty: all are
  std::vector<int> partition_of_case;
  int simulated_ranks = 0;        // 0: the workers are the ranks
  Bytes arena;
  int parity_iters = 0;
  bool verify = true;
  std::string load;               // kernel of Stage::load trials; empty: none
  int load_ctas = 0;
  std::uint64_t seed = 0;
  Variables site;                 // rank 0's library variables
  // By agent, in place of rank 0's ("unset": has none); empty: none anywhere.
  std::vector<Variables> own_variables;
  bool nodes_differ = false;      // known and allowed
  std::vector<std::string> gpu_local_cpus;  // per rank: a CPU list or "all"
  Layout layout;
  std::string worker_program;     // the same path on every node
  std::vector<StagedFile> stage;
  // The libnccl that the loader would find, where it is staged: workers of settings without
  // nccl_library open it by this name. Empty: the loader finds it.
  std::string default_library;
  std::map<std::string, std::string> original_of;  // by copy; of this node, not sent
  std::string run_folder;         // for kept logs; absolute
  bool keep_logs = false;
  double phase_timeout = 0;       // seconds; > 0 replaces the deadlines of all phases
};

// What `partitions` is for a candidate.
const std::vector<Partition>& partitions_for(const Setup&, int candidate);

// The site's variables as the workers of an agent get them.
Variables site_of(const Setup&, int agent);

std::string to_text(const Setup&);
Setup setup_from_text(const std::string&);

// What rank 0 sends for each trial.
struct Launch {
  TrialOrder order;
  std::vector<int> ops_per_block;  // per case; empty: burn-in
  std::vector<int> blocks;
  std::vector<int> warmup_ops;
  double measure_deadline = 0;     // seconds
};

std::string to_text(const Launch&);
Launch launch_from_text(const std::string&);

}  // namespace nccl_sweep::agent
