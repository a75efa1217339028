// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// libnccl, opened by name: the library is a knob, and a machine without it must still start the
// worker. All functions that we use stand in one table, looked up once; those that came later than
// NCCL 2.14 are null where the library does not have them. Never closed.
#pragma once

#include <nccl.h>

#include <string>

namespace nccl_sweep::worker {

using NcclWindow = void*;  // ncclWindow_t, which older headers do not know

struct NcclLibrary {
  // Throws Unsupported that names the file, or the symbol that is missing.
  static NcclLibrary open(const std::string& file);

  int version() const;  // 22809 for 2.28.9
  std::string version_text() const;

  // Throws std::runtime_error with NCCL's own words for anything but success and ncclInProgress.
  void check(ncclResult_t result, const char* what) const;
  // Throws Unsupported where this library has no such function.
  template <class Function>
  Function need(Function function, const char* name) const {
    if (function == nullptr) lacks(name);
    return function;
  }

  std::string file;  // the path really loaded, links resolved

  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) comm_init_rank_config = nullptr;
  decltype(&ncclCommFinalize) comm_finalize = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) recv = nullptr;

  ncclResult_t (*mem_alloc)(void**, std::size_t) = nullptr;  // 2.19
  ncclResult_t (*mem_free)(void*) = nullptr;
  ncclResult_t (*comm_register)(ncclComm_t, void*, std::size_t, void**) = nullptr;  // 2.19
  ncclResult_t (*comm_deregister)(ncclComm_t, void*) = nullptr;
  ncclResult_t (*window_register)(ncclComm_t, void*, std::size_t, NcclWindow*, int) = nullptr;
  ncclResult_t (*window_deregister)(ncclComm_t, NcclWindow) = nullptr;  // 2.27
  ncclResult_t (*all_to_all)(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t,
                             cudaStream_t) = nullptr;  // 2.28, as the next two
  ncclResult_t (*gather)(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t,
                         cudaStream_t) = nullptr;
  ncclResult_t (*scatter)(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t,
                          cudaStream_t) = nullptr;

 private:
  [[noreturn]] void lacks(const char* name) const;
};

}  // namespace nccl_sweep::worker
