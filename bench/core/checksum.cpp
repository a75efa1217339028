// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/checksum.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include <fmt/format.h>

#include "core/hash.hpp"

namespace nccl_sweep {
namespace {

std::string why_unreadable(const std::string& file) {
  return access(file.c_str(), F_OK) == 0 ? "NOT READABLE" : "absent";
}

}  // namespace

std::string checksum_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(file, ignored)) return why_unreadable(file);
  std::ostringstream content;
  content << in.rdbuf();
  return fmt::format("{:016x}", fnv1a(content.view()));
}

std::string checksum_of_ends(const std::string& file) {
  constexpr std::streamoff kEnd = 1 << 20;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return why_unreadable(file);
  const std::streamoff size = in.tellg();
  std::string ends(static_cast<std::size_t>(std::clamp<std::streamoff>(size, 0, kEnd)), '\0');
  in.seekg(0);
  in.read(ends.data(), static_cast<std::streamsize>(ends.size()));
  std::string tail(ends.size(), '\0');
  in.seekg(size - static_cast<std::streamoff>(tail.size()));
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (!in) return why_unreadable(file);
  return fmt::format("{} bytes {:016x}", size, fnv1a(ends + tail));
}

}  // namespace nccl_sweep
