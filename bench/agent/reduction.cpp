// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/reduction.hpp"

#include <algorithm>
#include <cstdint>

namespace nccl_sweep::agent {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

int group_of(const Partition& groups, int rank) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (std::find(groups[g].begin(), groups[g].end(), rank) != groups[g].end()) {
      return static_cast<int>(g);
    }
  }
  return 0;
}

// Where (case, block, group) stands in the flat vector that travels.
struct Slots {
  explicit Slots(const Setup& setup, const wire::Result& shape) {
    for (std::size_t c = 0; c < shape.cases.size(); ++c) {
      first.push_back(total);
      groups.push_back(setup.partitions[index(setup.partition_of_case[c])].size());
      total += shape.cases[c].seconds_per_op.size() * groups.back();
    }
  }
  std::size_t at(std::size_t c, std::size_t block, std::size_t group) const {
    return first[c] + block * groups[c] + group;
  }
  std::vector<std::size_t> first;
  std::vector<std::size_t> groups;
  std::size_t total = 0;
};

}  // namespace

int shape_of(const wire::Result& result) {
  std::uint32_t hash = 2166136261U;  // FNV-1a, kept positive: shapes are compared by maximum
  for (const wire::CaseBlocks& blocks : result.cases) {
    for (const std::size_t part : {blocks.seconds_per_op.size(),
                                   static_cast<std::size_t>(blocks.ops_per_block)}) {
      hash = (hash ^ static_cast<std::uint32_t>(part)) * 16777619U;
    }
  }
  return static_cast<int>(hash >> 1);
}

std::vector<CaseTiming> reduce_blocks(ControlPlane& control, const Setup& setup,
                                      const std::vector<std::pair<int, wire::Result>>& results) {
  const wire::Result& shape = results.front().second;
  const std::size_t cases = shape.cases.size();
  const Slots slots(setup, shape);
  // Sums over ranks: the times, then how many ranks a slot has, then per case the CPU seconds,
  // the wrong elements and how many ranks verified.
  std::vector<double> sums(2 * slots.total + 3 * cases, 0.0);
  std::vector<double> largest(slots.total + cases, 0.0);  // per slot; per case the wall seconds
  std::vector<int> who(largest.size(), 0);
  for (const auto& [rank, result] : results) {
    for (std::size_t c = 0; c < cases; ++c) {
      const wire::CaseBlocks& blocks = result.cases[c];
      const int group = group_of(setup.partitions[index(setup.partition_of_case[c])], rank);
      for (std::size_t b = 0; b < blocks.seconds_per_op.size(); ++b) {
        const std::size_t slot = slots.at(c, b, index(group));
        sums[slot] += blocks.seconds_per_op[b];
        sums[slots.total + slot] += 1;
        if (blocks.seconds_per_op[b] > largest[slot]) {
          largest[slot] = blocks.seconds_per_op[b];
          who[slot] = rank;
        }
      }
      double* per_case = &sums[2 * slots.total + 3 * c];
      per_case[0] += blocks.cpu_seconds;
      per_case[1] += std::max<double>(0, static_cast<double>(blocks.wrong_elements));
      per_case[2] += blocks.wrong_elements >= 0 ? 1 : 0;
      largest[slots.total + c] = std::max(largest[slots.total + c], blocks.wall_seconds);
    }
  }
  control.sum(sums);
  control.max_with_rank(largest, who);

  std::vector<CaseTiming> timings(cases);
  for (std::size_t c = 0; c < cases; ++c) {
    CaseTiming& timing = timings[c];
    timing.case_index = static_cast<int>(c);
    timing.ops_per_block = shape.cases[c].ops_per_block;
    for (std::size_t b = 0; b < shape.cases[c].seconds_per_op.size(); ++b) {
      double slowest_mean = 0;
      std::size_t slowest_slot = slots.at(c, b, 0);
      for (std::size_t g = 0; g < slots.groups[c]; ++g) {
        const std::size_t slot = slots.at(c, b, g);
        const double ranks = sums[slots.total + slot];
        if (ranks > 0) slowest_mean = std::max(slowest_mean, sums[slot] / ranks);
        if (largest[slot] > largest[slowest_slot]) slowest_slot = slot;
      }
      timing.mean_seconds.push_back(slowest_mean);
      timing.max_seconds.push_back(largest[slowest_slot]);
      timing.slowest_rank.push_back(who[slowest_slot]);
    }
    const double* per_case = &sums[2 * slots.total + 3 * c];
    timing.cpu_seconds = per_case[0];
    timing.wrong_elements = per_case[2] > 0 ? static_cast<std::int64_t>(per_case[1]) : -1;
    timing.wall_seconds = largest[slots.total + c];
  }
  return timings;
}

}  // namespace nccl_sweep::agent
