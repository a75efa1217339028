// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Smallest, median and largest of one figure a rank, over any number of ranks in at most 64 bins:
// the extremes exactly, the median to half a bin. Bins are logarithmic, 0.1 % wide at first, and
// double their width while they are too many. Any order and grouping of what is put together gives
// the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {

class RankSpread {
 public:
  void add(double value);  // values that are not positive are left out
  std::string text() const;
  void take(Unpacker&);

  bool empty() const { return bins_.empty(); }
  double smallest() const { return smallest_; }
  double median() const;  // the lower one of two
  double largest() const { return largest_; }

 private:
  void coarsen(int doublings);
  void limit();

  double smallest_ = 0;
  double largest_ = 0;
  int doublings_ = 0;                      // of the bins' width
  std::map<std::int64_t, std::int64_t> bins_;  // number of the bin, ranks in it
};

}  // namespace nccl_sweep::agent
