// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From every worker's blocks to one timing a case: per block the mean over the ranks of a group,
// of which the slowest group counts, and the slowest rank. What an agent sends up stands for all
// ranks below it: groups that are complete there are reduced to the slowest, only those that reach
// beyond travel apart (for groups of neighbours at most two). So its size depends on the cases and
// on the groups that are cut, not on the number of ranks. Times travel as 32-bit floats (1e-7).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/rank_spread.hpp"
#include "agent/setup.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::agent {

// A number made of the blocks of each case: equal on all workers, or they cannot be reduced.
int shape_of(const wire::Result&);

class BlockReduction {
 public:
  // `shape`: of any worker.
  BlockReduction(const Setup& setup, int candidate, const wire::Result& shape);

  void add(int rank, const wire::Result& result);  // one worker of this agent
  void take(const std::string& text);              // what another agent's text() made
  std::string text();

  // Of all ranks that were added or taken.
  std::vector<CaseTiming> timings() const;
  RankSpread seconds_of_ranks() const { return spread_; }  // in all blocks of the trial

 private:
  struct Partial {  // of a group that is not complete yet
    int ranks = 0;
    std::vector<double> seconds;         // sums, by slot: all blocks of the partition's cases
    std::vector<double> device_seconds;
  };
  struct Block {  // of the groups that are complete, but for the slowest rank, which is of all
    double mean = 0;
    double device_mean = 0;
    double slowest = 0;
    int slowest_rank = 0;
  };
  struct CaseSums {
    double cpu_seconds = 0;
    double wrong_elements = 0;
    double ranks_verified = 0;
    double wall_seconds = 0;
    double load_alone_seconds = 0;
    double load_slowdown = 0;
  };
  using Partials = std::map<int, Partial>;  // by group

  int group_of(int partition, int rank) const;
  void raise(Block& block, double seconds, int rank);
  void complete(int partition, const Partial& whole, std::vector<Block>& blocks) const;
  void complete_groups();
  bool has_device_clock() const;

  const Setup& setup_;
  const std::vector<Partition>& partitions_;
  std::vector<int> ops_per_block_;
  std::vector<std::size_t> first_block_;              // of each case, and the end
  std::map<int, std::vector<std::size_t>> blocks_of_; // by partition: its blocks among all
  std::vector<Block> blocks_;
  std::vector<CaseSums> cases_;
  std::map<int, Partials> partials_;                  // by partition
  RankSpread spread_;
};

}  // namespace nccl_sweep::agent
