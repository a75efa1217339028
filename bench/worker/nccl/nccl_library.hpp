// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// libnccl, opened by name: the library is a knob, and a machine without it must still start the
// worker. All functions that we use stand in one table. Never closed.
#pragma once

#include <nccl.h>

#include <string>

namespace nccl_sweep::worker {

struct NcclLibrary {
  // Throws Unsupported that names the file, or the symbol that is missing.
  static NcclLibrary open(const std::string& file);

  std::string version_text() const;

  // Throw std::runtime_error with NCCL's own words for anything but success.
  void check(ncclResult_t result, const char* what) const;

  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommFinalize) comm_finalize = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
};

}  // namespace nccl_sweep::worker
