// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the nccl backend where the build has no CUDA.
#include "worker/backend.hpp"

namespace nccl_sweep::worker {

std::unique_ptr<Backend> make_nccl_backend() { return nullptr; }

}  // namespace nccl_sweep::worker
