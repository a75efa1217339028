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

}  // namespace nccl_sweep::worker
