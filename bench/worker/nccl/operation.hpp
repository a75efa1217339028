// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.hpp"
#include "worker/nccl/nccl_library.hpp"

namespace nccl_sweep::worker {

struct Member {  // this rank in its group of a partition
  int index = 0;
  int size = 1;
  ncclComm_t comm = nullptr;
};

// Enqueues one op of the case, with nccl-tests' meaning of sizes: rooted collectives have root 0,
// sendrecv sends to the next rank and receives from the one before. `in` and `out` are this rank's.
// Collective over the group. Throws as NcclLibrary::check(), and Unsupported where the library has
// no such collective.
void enqueue(const NcclLibrary& nccl, const Case& what, const Member& me, const void* in, void* out,
             cudaStream_t stream);

}  // namespace nccl_sweep::worker
