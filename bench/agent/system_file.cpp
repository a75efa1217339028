// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/system_file.hpp"

#include <fstream>

namespace nccl_sweep::agent {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

std::string proc_value(const std::filesystem::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

}  // namespace nccl_sweep::agent
