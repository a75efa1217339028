// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes one op of a case reads and writes on one rank, and whose bytes they must be then; the
// same for host and device buffers. In place follows nccl-tests: all_gather's and gather's input
// and reduce_scatter's and scatter's output lie at the rank's share, broadcast, reduce and
// all_reduce work on one buffer; alltoall and sendrecv have no in-place form.
#pragma once

#include <cstdint>
#include <vector>

#include "core/case.hpp"

namespace nccl_sweep::worker {

inline constexpr int kRoot = 0;  // of the rooted collectives, nccl-tests' default

// Of one op of a case on one rank. Zero bytes where the rank sends or receives nothing: all but the
// root send nothing in broadcast and scatter, and receive nothing in reduce and gather.
struct Layout {
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
  std::int64_t send_offset = 0;     // in place: of the input within the slot
  std::int64_t receive_offset = 0;  // in place: of the output within the slot
};
// Throws Unsupported where the size does not divide or the collective has no in-place form.
Layout layout_of(const Case&, int index, int size);

// `bytes` of what rank `source` of the group sends, from `source_offset` on, must lie at `offset`
// in the output.
struct Segment {
  int source = 0;
  std::int64_t source_offset = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  bool operator==(const Segment&) const = default;
};
// The whole output of a collective that only copies; of one that reduces, nothing.
std::vector<Segment> segments_of(const Case&, int index, int size);

// A collective that reduces: the element of the reduction that the output begins with.
std::int64_t first_reduced_element(const Case&, int index, int size);

// Where op k of a case stands in the arena: at (k mod count) x stride, so that ops rotate through
// the whole of it, as in nccl-tests. At most 1024 slots: tiny cases would otherwise have millions,
// and each is filled before it is used.
struct Slots {
  std::int64_t count = 1;
  std::int64_t stride = 0;  // bytes
};
Slots slots_of(Bytes arena, Bytes size);

}  // namespace nccl_sweep::worker
