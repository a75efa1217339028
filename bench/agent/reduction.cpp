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

// What travels: sums over ranks, and largest values with the rank that has them.
class Reduction {
 public:
  Reduction(const Setup& setup, const wire::Result& shape)
      : setup_(setup),
        shape_(shape),
        slots_(setup, shape),
        sums_(kSlotSums * slots_.total + kCaseSums * shape.cases.size(), 0.0),
        largest_(slots_.total + kCaseLargest * shape.cases.size(), 0.0),
        who_(largest_.size(), 0) {}

  void add(int rank, const wire::Result& result) {
    for (std::size_t c = 0; c < shape_.cases.size(); ++c) {
      const wire::CaseBlocks& blocks = result.cases[c];
      const int group = group_of(setup_.partitions[index(setup_.partition_of_case[c])], rank);
      for (std::size_t b = 0; b < blocks.seconds_per_op.size(); ++b) {
        const std::size_t slot = slots_.at(c, b, index(group));
        sums_[slot] += blocks.seconds_per_op[b];
        sums_[slots_.total + slot] += 1;
        if (b < blocks.device_seconds_per_op.size()) {
          sums_[2 * slots_.total + slot] += blocks.device_seconds_per_op[b];
        }
        raise(slot, blocks.seconds_per_op[b], rank);
      }
      double* sum = case_sums(c);
      sum[0] += blocks.cpu_seconds;
      sum[1] += std::max<double>(0, static_cast<double>(blocks.wrong_elements));
      sum[2] += blocks.wrong_elements >= 0 ? 1 : 0;
      raise(case_largest(c), blocks.wall_seconds, rank);
      raise(case_largest(c) + 1, blocks.load_alone_seconds, rank);
      if (blocks.load_alone_seconds > 0) {
        raise(case_largest(c) + 2, blocks.load_beside_seconds / blocks.load_alone_seconds, rank);
      }
    }
  }

  void over_all(ControlPlane& control) {
    control.sum(sums_);
    control.max_with_rank(largest_, who_);
  }

  std::vector<CaseTiming> timings() {
    std::vector<CaseTiming> timings(shape_.cases.size());
    for (std::size_t c = 0; c < timings.size(); ++c) {
      CaseTiming& timing = timings[c];
      timing.case_index = static_cast<int>(c);
      timing.ops_per_block = shape_.cases[c].ops_per_block;
      for (std::size_t b = 0; b < shape_.cases[c].seconds_per_op.size(); ++b) {
        add_block(c, b, timing);
      }
      const double* sum = case_sums(c);
      timing.cpu_seconds = sum[0];
      timing.wrong_elements = sum[2] > 0 ? static_cast<std::int64_t>(sum[1]) : -1;
      timing.wall_seconds = largest_[case_largest(c)];
      timing.load_alone_seconds = largest_[case_largest(c) + 1];
      timing.load_beside_seconds = timing.load_alone_seconds * largest_[case_largest(c) + 2];
    }
    return timings;
  }

 private:
  static constexpr std::size_t kSlotSums = 3;  // seconds, ranks, device seconds
  static constexpr std::size_t kCaseSums = 3;  // CPU seconds, wrong elements, ranks that verified
  static constexpr std::size_t kCaseLargest = 3;  // wall seconds, load alone, load slowdown

  double* case_sums(std::size_t c) { return &sums_[kSlotSums * slots_.total + kCaseSums * c]; }
  std::size_t case_largest(std::size_t c) const { return slots_.total + kCaseLargest * c; }
  void raise(std::size_t at, double value, int rank) {
    if (value > largest_[at]) {
      largest_[at] = value;
      who_[at] = rank;
    }
  }

  // The slowest group counts.
  void add_block(std::size_t c, std::size_t b, CaseTiming& timing) const {
    double slowest_mean = 0;
    double slowest_device = 0;
    std::size_t slowest_slot = slots_.at(c, b, 0);
    for (std::size_t g = 0; g < slots_.groups[c]; ++g) {
      const std::size_t slot = slots_.at(c, b, g);
      const double ranks = std::max(1.0, sums_[slots_.total + slot]);
      slowest_mean = std::max(slowest_mean, sums_[slot] / ranks);
      slowest_device = std::max(slowest_device, sums_[2 * slots_.total + slot] / ranks);
      if (largest_[slot] > largest_[slowest_slot]) slowest_slot = slot;
    }
    timing.mean_seconds.push_back(slowest_mean);
    timing.max_seconds.push_back(largest_[slowest_slot]);
    timing.slowest_rank.push_back(who_[slowest_slot]);
    if (slowest_device > 0) timing.device_seconds.push_back(slowest_device);
  }

  const Setup& setup_;
  const wire::Result& shape_;
  Slots slots_;
  std::vector<double> sums_;
  std::vector<double> largest_;
  std::vector<int> who_;
};

}  // namespace

int shape_of(const wire::Result& result) {
  std::uint32_t hash = 2166136261U;  // FNV-1a, kept positive: shapes are compared by maximum
  for (const wire::CaseBlocks& blocks : result.cases) {
    for (const std::size_t part :
         {blocks.seconds_per_op.size(), static_cast<std::size_t>(blocks.ops_per_block)}) {
      hash = (hash ^ static_cast<std::uint32_t>(part)) * 16777619U;
    }
  }
  return static_cast<int>(hash >> 1);
}

std::vector<CaseTiming> reduce_blocks(ControlPlane& control, const Setup& setup,
                                      const std::vector<std::pair<int, wire::Result>>& results) {
  Reduction reduction(setup, results.front().second);
  for (const auto& [rank, result] : results) reduction.add(rank, result);
  reduction.over_all(control);
  return reduction.timings();
}

}  // namespace nccl_sweep::agent
