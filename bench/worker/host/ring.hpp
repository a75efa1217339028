// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Ring all_gather, reduce_scatter and all_reduce over TCP streams. A collective is written down as
// two lists of pieces, what to send to the successor and what to receive from the predecessor; one
// loop moves both at the same time. A piece of step s + 1 is sent as soon as the same piece of step
// s has arrived and is reduced, so steps overlap. Piece k travels on stream k mod streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/collective.hpp"
#include "worker/host/bootstrap.hpp"

namespace nccl_sweep::worker {

struct Span {  // elements begin .. end of a buffer
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Span&) const = default;
};

// `count` elements in `parts` nearly equal segments; the first count % parts are one longer.
std::vector<Span> segments_of(std::int64_t count, int parts);

// A segment cut into pieces of at most `chunk_bytes` (at least one element each).
std::vector<Span> pieces_of(Span segment, std::int64_t element_bytes, std::int64_t chunk_bytes);

class Ring {
 public:
  Ring(int index, int size, RingSockets, std::int64_t chunk_bytes, const Interrupt&);

  int size() const { return size_; }

  // out holds size() shares; `in` is this rank's share, or lies at its place in `out` (in place).
  void all_gather(const std::byte* in, std::byte* out, std::int64_t share_bytes);

  // in holds size() shares of `share` elements; out may be this rank's share of `in`.
  void reduce_scatter(const std::byte* in, std::byte* out, std::int64_t share, DataType, ReduceOp);

  // out may be in.
  void all_reduce(const std::byte* in, std::byte* out, std::int64_t count, DataType, ReduceOp);

 private:
  struct Outgoing {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    int after = -1;  // index of the piece that must have arrived before; -1: none
  };
  struct Incoming {
    std::byte* into = nullptr;
    std::size_t bytes = 0;
    const std::byte* operand = nullptr;  // reduce with this; null: just receive
    bool last = false;                   // the value is complete: an avg divides now
    bool arrived = false;
  };
  struct Cursor {  // of one stream
    std::size_t piece = 0;
    std::size_t moved = 0;
    bool blocked = false;
    std::vector<std::byte> staging;  // receiving side: a piece before it is reduced
  };
  // Where the segments of one phase lie: what is sent first, where arrivals go, what is added.
  struct Phase {
    const std::byte* first = nullptr;    // base of the buffer of step 0's segment
    std::byte* arrivals = nullptr;       // base of the buffer where segments arrive
    std::byte* final = nullptr;          // base for the last step's segment, null: arrivals
    const std::byte* operand = nullptr;  // base of what is added, null: copy
    int start = 0;                       // segment that is sent at step 0
  };

  void plan_phase(const Phase&, const std::vector<Span>& segments, std::int64_t element_bytes);
  void move_all();
  bool send_step(std::size_t stream);
  bool receive_step(std::size_t stream);
  void finish(Incoming&, const std::byte* received);
  void wait();

  int index_;
  int size_;
  RingSockets sockets_;
  std::int64_t chunk_bytes_;
  const Interrupt& interrupt_;

  DataType type_ = DataType::int8;
  ReduceOp op_ = ReduceOp::sum;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::vector<Cursor> sending_;
  std::vector<Cursor> receiving_;
  std::vector<pollfd> waits_;
  std::vector<std::byte> partial_;  // sums on their way, where `in` must stay as it is
};

}  // namespace nccl_sweep::worker
