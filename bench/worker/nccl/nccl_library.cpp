// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {
namespace {

template <class Function>
void find_optional(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

template <class Function>
void find(void* library, const char* name, Function& function, const std::string& file) {
  find_optional(library, name, function);
  if (function == nullptr) throw Unsupported(fmt::format("{} has no function {}", file, name));
}

std::string file_of(const void* function, const std::string& asked) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return asked;
  std::error_code error;
  const auto resolved = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : resolved.string();
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
  find(library, "ncclCommInitRankConfig", nccl.comm_init_rank_config, file);
  find(library, "ncclCommFinalize", nccl.comm_finalize, file);
  find(library, "ncclCommDestroy", nccl.comm_destroy, file);
  find(library, "ncclCommAbort", nccl.comm_abort, file);
  find(library, "ncclCommGetAsyncError", nccl.comm_get_async_error, file);
  find(library, "ncclGetErrorString", nccl.get_error_string, file);
  find(library, "ncclGetLastError", nccl.get_last_error, file);
  find(library, "ncclGroupStart", nccl.group_start, file);
  find(library, "ncclGroupEnd", nccl.group_end, file);
  find(library, "ncclAllGather", nccl.all_gather, file);
  find(library, "ncclReduceScatter", nccl.reduce_scatter, file);
  find(library, "ncclAllReduce", nccl.all_reduce, file);
  find(library, "ncclBroadcast", nccl.broadcast, file);
  find(library, "ncclReduce", nccl.reduce, file);
  find(library, "ncclSend", nccl.send, file);
  find(library, "ncclRecv", nccl.recv, file);
  find_optional(library, "ncclMemAlloc", nccl.mem_alloc);
  find_optional(library, "ncclMemFree", nccl.mem_free);
  find_optional(library, "ncclCommRegister", nccl.comm_register);
  find_optional(library, "ncclCommDeregister", nccl.comm_deregister);
  find_optional(library, "ncclCommWindowRegister", nccl.window_register);
  find_optional(library, "ncclCommWindowDeregister", nccl.window_deregister);
  find_optional(library, "ncclAlltoAll", nccl.all_to_all);
  find_optional(library, "ncclGather", nccl.gather);
  find_optional(library, "ncclScatter", nccl.scatter);
  nccl.file = file_of(reinterpret_cast<const void*>(nccl.get_version), file);
  return nccl;
}

int NcclLibrary::version() const {
  int code = 0;
  check(get_version(&code), "ncclGetVersion");
  return code;
}

std::string NcclLibrary::version_text() const {
  const int code = version();
  // 2.8 and before: 2804; since then 22809 for 2.28.9.
  if (code < 10000) return fmt::format("{}.{}.{}", code / 1000, code % 1000 / 100, code % 100);
  return fmt::format("{}.{}.{}", code / 10000, code % 10000 / 100, code % 100);
}

void NcclLibrary::check(ncclResult_t result, const char* what) const {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const char* detail = get_last_error(nullptr);
  throw std::runtime_error(fmt::format("{}: {}{}{}", what, get_error_string(result),
                                       detail != nullptr && *detail != '\0' ? ": " : "",
                                       detail == nullptr ? "" : detail));
}

void NcclLibrary::lacks(const char* name) const {
  throw Unsupported(fmt::format("NCCL {} has no function {} ({})", version_text(), name, file));
}

}  // namespace nccl_sweep::worker
