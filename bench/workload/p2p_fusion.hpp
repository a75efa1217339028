// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL logs the Send and Recv calls of a group one by one; frameworks build alltoall from them. A
// run of such lines on one communicator and thread is put together again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/collective.hpp"

namespace nccl_sweep {

struct P2pCall {
  bool send = false;
  int peer = 0;
  std::int64_t bytes = 0;
  DataType dtype{};
};

struct P2pResult {
  Collective collective = Collective::sendrecv;
  bool uneven = false;
  std::vector<std::pair<DataType, std::int64_t>> sizes;  // a call each
};

class P2pRun {
 public:
  P2pRun() = default;
  // `own_rank` is -1 where the log does not tell.
  P2pRun(std::size_t communicator, int own_rank, int ranks)
      : communicator_(communicator), own_rank_(own_rank), ranks_(ranks) {}

  std::size_t communicator() const { return communicator_; }

  // False where the call begins another group: the same peer again, another type, a full alltoall.
  bool accepts(const P2pCall&) const;
  void add(const P2pCall& call) { calls_.push_back(call); }

  // An alltoall where the rank sends to all or to itself as well, else a sendrecv for each pair of
  // a Send and a Recv, or for a lone one.
  P2pResult fuse() const;

 private:
  std::size_t communicator_ = 0;
  int own_rank_ = -1;
  int ranks_ = 0;
  std::vector<P2pCall> calls_;
};

}  // namespace nccl_sweep
