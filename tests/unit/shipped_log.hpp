// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The captured NCCL logs of tests/data as text.
#pragma once

#include <zlib.h>

#include <array>
#include <filesystem>
#include <string>

namespace nccl_sweep::test {

inline std::string shipped_log(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(TEST_DATA) / "nccl-logs" / name;
  std::string text;
  gzFile stream = gzopen(file.c_str(), "rb");
  std::array<char, 65536> buffer{};
  int read = 0;
  while (stream != nullptr && (read = gzread(stream, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(read));
  }
  gzclose(stream);
  return text;
}

}  // namespace nccl_sweep::test
