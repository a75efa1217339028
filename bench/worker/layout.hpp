// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes one op of a case reads and writes on one rank, the same for host and device buffers.
// In place follows NCCL: all_gather's input and reduce_scatter's output lie at the rank's share.
#pragma once

#include <cstdint>

#include "core/case.hpp"

namespace nccl_sweep::worker {

struct Layout {  // of one op of a case on one rank
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
  std::int64_t send_offset = 0;     // in place: of the input within the slot
  std::int64_t receive_offset = 0;  // in place: of the output within the slot
};
// Throws Unsupported where the backends have no such collective or the size does not divide.
Layout layout_of(const Case&, int index, int size);

// Where op k of a case stands in the arena: at (k mod count) x stride, so that ops rotate through
// the whole of it, as in nccl-tests. At most 1024 slots: tiny cases would otherwise have millions,
// and each is filled before it is used.
struct Slots {
  std::int64_t count = 1;
  std::int64_t stride = 0;  // bytes
};
Slots slots_of(Bytes arena, Bytes size);

}  // namespace nccl_sweep::worker
