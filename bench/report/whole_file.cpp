// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/whole_file.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "core/error.hpp"

namespace nccl_sweep {

namespace fs = std::filesystem;

void write_whole_file(const fs::path& file, std::string_view content) {
  write_whole_file(file, [&](std::ostream& out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

void write_whole_file(const fs::path& file, const std::function<void(std::ostream&)>& fill) {
  std::error_code error;
  const bool new_folder =
      file.has_parent_path() && fs::create_directories(file.parent_path(), error);
  const fs::path temporary = file.string() + ".new" + std::to_string(getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    try {
      fill(out);
    } catch (...) {
      fs::remove(temporary, error);
      if (new_folder) fs::remove(file.parent_path(), error);
      throw;
    }
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      throw environment_error("cannot be written", file.string(),
                              "is the folder there, writable, and the disk not full?");
    }
  }
  fs::rename(temporary, file, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(temporary, error);
  throw environment_error("cannot be replaced: " + reason, file.string());
}

}  // namespace nccl_sweep
