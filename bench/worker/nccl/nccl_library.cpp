// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function, const std::string& file) {
  void* symbol = ::dlsym(library, name);
  if (symbol == nullptr) throw Unsupported(fmt::format("{} has no function {}", file, name));
  function = reinterpret_cast<Function>(symbol);
}

}  // namespace

NcclLibrary NcclLibrary::open(const std::string& file) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Unsupported(
        fmt::format("cannot open NCCL: {} (set nccl_library or LD_LIBRARY_PATH)", ::dlerror()));
  }
  NcclLibrary nccl;
  find(library, "ncclGetVersion", nccl.get_version, file);
  find(library, "ncclGetUniqueId", nccl.get_unique_id, file);
  find(library, "ncclCommInitRank", nccl.comm_init_rank, file);
  find(library, "ncclCommFinalize", nccl.comm_finalize, file);
  find(library, "ncclCommDestroy", nccl.comm_destroy, file);
  find(library, "ncclCommAbort", nccl.comm_abort, file);
  find(library, "ncclCommGetAsyncError", nccl.comm_get_async_error, file);
  find(library, "ncclGetErrorString", nccl.get_error_string, file);
  find(library, "ncclGetLastError", nccl.get_last_error, file);
  find(library, "ncclAllGather", nccl.all_gather, file);
  find(library, "ncclReduceScatter", nccl.reduce_scatter, file);
  find(library, "ncclAllReduce", nccl.all_reduce, file);
  return nccl;
}

std::string NcclLibrary::version_text() const {
  int code = 0;
  check(get_version(&code), "ncclGetVersion");
  // 2.8 and before: 2804; since then 22809 for 2.28.9.
  if (code < 10000) return fmt::format("{}.{}.{}", code / 1000, code % 1000 / 100, code % 100);
  return fmt::format("{}.{}.{}", code / 10000, code % 10000 / 100, code % 100);
}

void NcclLibrary::check(ncclResult_t result, const char* what) const {
  if (result == ncclSuccess) return;
  const char* detail = get_last_error(nullptr);
  throw std::runtime_error(fmt::format("{}: {}{}{}", what, get_error_string(result),
                                       detail != nullptr && *detail != '\0' ? ": " : "",
                                       detail == nullptr ? "" : detail));
}

}  // namespace nccl_sweep::worker
