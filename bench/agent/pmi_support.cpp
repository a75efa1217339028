// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/pmi_support.hpp"

#include <string>
#include <system_error>

#include <dlfcn.h>

namespace nccl_sweep::agent {

namespace fs = std::filesystem;

bool may_know_pmi(const fs::path& library_folder) {
  bool plugins_seen = false;
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(library_folder, ignored)) {
    // lib/openmpi/mca_*.so; Debian has lib/openmpi/lib/openmpi3/mca_*.so
    if (!folder.path().filename().string().starts_with("openmpi")) continue;
    for (const auto& plugin : fs::recursive_directory_iterator(folder, ignored)) {
      const std::string name = plugin.path().filename().string();
      if (!name.starts_with("mca_")) continue;
      plugins_seen = true;
      if (name.starts_with("mca_pmix_s1") || name.starts_with("mca_pmix_s2")) return true;
    }
  }
  return !plugins_seen;
}

bool mpi_may_know_pmi() {
  const bool open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
  const void* function = dlsym(RTLD_DEFAULT, "MPI_Init");  // data may be a copy in the program
  Dl_info library{};
  if (!open_mpi || function == nullptr || dladdr(function, &library) == 0) return true;
  std::error_code error;
  const fs::path file = fs::canonical(library.dli_fname, error);
  return error || may_know_pmi(file.parent_path());
}

}  // namespace nccl_sweep::agent
