// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>

#include "core/records.hpp"

namespace nccl_sweep::cli {

namespace fs = std::filesystem;

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  // mpirun puts a pseudo-terminal before its ranks, whatever its own output is.
  const bool under_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  return isatty(STDOUT_FILENO) != 0 && !under_mpirun &&
         (no_colour == nullptr || *no_colour == '\0');
}

fs::path run_folder(const std::string& named) {
  if (named.empty()) return newest_run(kResultsFolder);
  const fs::path path = named;
  return path.filename() == kRecordFile ? path.parent_path() : path.lexically_normal();
}

}  // namespace nccl_sweep::cli
