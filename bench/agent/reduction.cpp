// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/reduction.hpp"

#include <algorithm>
#include <cstdint>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// In a model run a group may name ranks that no worker stands for.
int workers_in(const std::vector<int>& group, int workers) {
  return static_cast<int>(
      std::count_if(group.begin(), group.end(), [&](int rank) { return rank < workers; }));
}

}  // namespace

BlockReduction::BlockReduction(const Setup& setup, int candidate, const wire::Result& shape)
    : setup_(setup), partitions_(partitions_for(setup, candidate)), cases_(shape.cases.size()) {
  std::size_t next = 0;
  for (std::size_t c = 0; c < shape.cases.size(); ++c) {
    ops_per_block_.push_back(shape.cases[c].ops_per_block);
    first_block_.push_back(next);
    std::vector<std::size_t>& of_partition = blocks_of_[setup.partition_of_case[c]];
    for (std::size_t b = 0; b < shape.cases[c].seconds_per_op.size(); ++b) {
      of_partition.push_back(next++);
    }
  }
  first_block_.push_back(next);
  blocks_.resize(next);
}

int BlockReduction::group_of(int partition, int rank) const {
  const Partition& groups = partitions_[index(partition)];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (std::find(groups[g].begin(), groups[g].end(), rank) != groups[g].end()) {
      return static_cast<int>(g);
    }
  }
  return 0;
}

void BlockReduction::raise(Block& block, double seconds, int rank) {
  const bool slower = seconds > block.slowest;
  if (slower || (seconds == block.slowest && rank < block.slowest_rank)) {
    block.slowest = seconds;
    block.slowest_rank = rank;
  }
}

void BlockReduction::add(int rank, const wire::Result& result) {
  double in_blocks = 0;
  std::map<int, std::size_t> slot_of;  // by partition
  std::map<int, Partial*> partial_of;
  for (const auto& [partition, blocks] : blocks_of_) {
    Partial& partial = partials_[partition][group_of(partition, rank)];
    partial.seconds.resize(blocks.size());
    partial.device_seconds.resize(blocks.size());
    ++partial.ranks;
    partial_of[partition] = &partial;
  }
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    const wire::CaseBlocks& blocks = result.cases[c];
    const int partition = setup_.partition_of_case[c];
    Partial& partial = *partial_of[partition];
    for (std::size_t b = 0; b < blocks.seconds_per_op.size(); ++b) {
      const std::size_t slot = slot_of[partition]++;
      const double seconds = blocks.seconds_per_op[b];
      partial.seconds[slot] += seconds;
      if (b < blocks.device_seconds_per_op.size()) {
        partial.device_seconds[slot] += blocks.device_seconds_per_op[b];
      }
      raise(blocks_[first_block_[c] + b], seconds, rank);
      in_blocks += seconds * blocks.ops_per_block;
    }
    CaseSums& sums = cases_[c];
    sums.cpu_seconds += blocks.cpu_seconds;
    sums.wrong_elements += std::max<double>(0, static_cast<double>(blocks.wrong_elements));
    sums.ranks_verified += blocks.wrong_elements >= 0 ? 1 : 0;
    sums.wall_seconds = std::max(sums.wall_seconds, blocks.wall_seconds);
    sums.load_alone_seconds = std::max(sums.load_alone_seconds, blocks.load_alone_seconds);
    if (blocks.load_alone_seconds > 0) {
      sums.load_slowdown =
          std::max(sums.load_slowdown, blocks.load_beside_seconds / blocks.load_alone_seconds);
    }
  }
  spread_.add(in_blocks);
}

// The slowest group counts.
void BlockReduction::complete(int partition, const Partial& whole,
                              std::vector<Block>& blocks) const {
  const std::vector<std::size_t>& where = blocks_of_.at(partition);
  for (std::size_t slot = 0; slot < where.size(); ++slot) {
    Block& block = blocks[where[slot]];
    block.mean = std::max(block.mean, whole.seconds[slot] / whole.ranks);
    block.device_mean = std::max(block.device_mean, whole.device_seconds[slot] / whole.ranks);
  }
}

void BlockReduction::complete_groups() {
  for (auto& [partition, groups] : partials_) {
    const Partition& all = partitions_[index(partition)];
    std::erase_if(groups, [&, which = partition](const auto& entry) {
      const auto& [group, partial] = entry;
      if (partial.ranks < workers_in(all[index(group)], setup_.layout.workers())) return false;
      complete(which, partial, blocks_);
      return true;
    });
  }
}

bool BlockReduction::has_device_clock() const {
  const auto measured = [](double seconds) { return seconds > 0; };
  for (const auto& [partition, groups] : partials_) {
    for (const auto& [group, partial] : groups) {
      const auto& seconds = partial.device_seconds;
      if (std::any_of(seconds.begin(), seconds.end(), measured)) return true;
    }
  }
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const Block& b) { return b.device_mean > 0; });
}

std::string BlockReduction::text() {
  complete_groups();
  const auto short_float = [](double value) { return static_cast<float>(value); };
  Packer packed;
  for (const CaseSums& sums : cases_) {
    packed.put(sums.cpu_seconds);
    packed.put(sums.wrong_elements);
    packed.put(static_cast<std::int32_t>(sums.ranks_verified));
    packed.put(short_float(sums.wall_seconds));
    packed.put(short_float(sums.load_alone_seconds));
    packed.put(short_float(sums.load_slowdown));
  }
  // Often no group is complete yet, or no device has a clock: nothing need be said then.
  const bool complete =
      std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.mean > 0; });
  const bool device = has_device_clock();
  packed.put(complete);
  packed.put(device);
  for (const Block& block : blocks_) {
    if (complete) packed.put(short_float(block.mean));
    if (complete && device) packed.put(short_float(block.device_mean));
    packed.put(short_float(block.slowest));
    packed.put(block.slowest_rank);
  }
  for (const auto& [partition, where] : blocks_of_) {
    const Partials& groups = partials_[partition];
    packed.put(static_cast<std::int32_t>(groups.size()));
    for (const auto& [group, partial] : groups) {
      packed.put(group);
      packed.put(partial.ranks);
      for (const double sum : partial.seconds) packed.put(short_float(sum));
      if (!device) continue;
      for (const double sum : partial.device_seconds) packed.put(short_float(sum));
    }
  }
  packed.raw(spread_.text());
  return packed.take();
}

void BlockReduction::take(const std::string& text) {
  Unpacker packed(text);
  for (CaseSums& sums : cases_) {
    sums.cpu_seconds += packed.get<double>();
    sums.wrong_elements += packed.get<double>();
    sums.ranks_verified += packed.get<std::int32_t>();
    for (double* largest : {&sums.wall_seconds, &sums.load_alone_seconds, &sums.load_slowdown}) {
      *largest = std::max(*largest, static_cast<double>(packed.get<float>()));
    }
  }
  const bool complete = packed.get<bool>();
  const bool device = packed.get<bool>();
  const auto raise_to_next = [&packed](double& largest) {
    largest = std::max(largest, static_cast<double>(packed.get<float>()));
  };
  for (Block& block : blocks_) {
    if (complete) raise_to_next(block.mean);
    if (complete && device) raise_to_next(block.device_mean);
    const auto seconds = static_cast<double>(packed.get<float>());
    raise(block, seconds, packed.get<int>());
  }
  for (const auto& [partition, where] : blocks_of_) {
    for (auto groups = packed.get<std::int32_t>(); groups > 0; --groups) {
      Partial& partial = partials_[partition][packed.get<int>()];
      partial.ranks += packed.get<int>();
      partial.seconds.resize(where.size());
      partial.device_seconds.resize(where.size());
      for (double& sum : partial.seconds) sum += static_cast<double>(packed.get<float>());
      if (!device) continue;
      for (double& sum : partial.device_seconds) sum += static_cast<double>(packed.get<float>());
    }
  }
  spread_.take(packed);
}

std::vector<CaseTiming> BlockReduction::timings() const {
  std::vector<Block> blocks = blocks_;
  for (const auto& [partition, groups] : partials_) {
    for (const auto& [group, partial] : groups) complete(partition, partial, blocks);
  }
  std::vector<CaseTiming> timings(cases_.size());
  for (std::size_t c = 0; c < timings.size(); ++c) {
    CaseTiming& timing = timings[c];
    timing.case_index = static_cast<int>(c);
    timing.ops_per_block = ops_per_block_[c];
    for (std::size_t b = first_block_[c]; b < first_block_[c + 1]; ++b) {
      timing.mean_seconds.push_back(blocks[b].mean);
      timing.max_seconds.push_back(blocks[b].slowest);
      timing.slowest_rank.push_back(blocks[b].slowest_rank);
      if (blocks[b].device_mean > 0) timing.device_seconds.push_back(blocks[b].device_mean);
    }
    const CaseSums& sums = cases_[c];
    timing.cpu_seconds = sums.cpu_seconds;
    timing.wrong_elements =
        sums.ranks_verified > 0 ? static_cast<std::int64_t>(sums.wrong_elements) : -1;
    timing.wall_seconds = sums.wall_seconds;
    timing.load_alone_seconds = sums.load_alone_seconds;
    timing.load_beside_seconds = sums.load_alone_seconds * sums.load_slowdown;
  }
  return timings;
}

int shape_of(const wire::Result& result) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const wire::CaseBlocks& blocks : result.cases) {
    for (const std::size_t part :
         {blocks.seconds_per_op.size(), static_cast<std::size_t>(blocks.ops_per_block)}) {
      hash = (hash ^ static_cast<std::uint32_t>(part)) * 16777619U;
    }
  }
  return static_cast<int>(hash >> 1);
}

}  // namespace nccl_sweep::agent
