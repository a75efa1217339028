// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/environment.hpp"
#include "core/hash.hpp"

namespace nccl_sweep::worker {
namespace {

// The library has hundreds of megabytes; its ends hold the ELF header, the build's symbols and
// the section table, so two builds differ there.
std::string hash_of_ends(const std::string& file) {
  constexpr std::streamoff kEnd = 1 << 20;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return "unreadable";
  const std::streamoff size = in.tellg();
  std::string ends(static_cast<std::size_t>(std::min(size, kEnd)), '\0');
  in.seekg(0);
  in.read(ends.data(), static_cast<std::streamsize>(ends.size()));
  std::string tail(ends.size(), '\0');
  in.seekg(size - static_cast<std::streamoff>(tail.size()));
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return fmt::format("{} bytes {:016x}", size, fnv1a(ends + tail));
}

std::string hash_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return "not there";
  return fmt::format("{:016x}", fnv1a(std::string(std::istreambuf_iterator<char>(in), {})));
}

}  // namespace

std::map<std::string, std::string> library_identity(const NcclLibrary& nccl) {
  std::map<std::string, std::string> identity{
      {"nccl_library",
       fmt::format("{} {} {}", nccl.file, nccl.version_text(), hash_of_ends(nccl.file))}};
  const Variables own = process_environment();
  const std::string named = value_or_empty(own, "NCCL_CONF_FILE");
  const std::string user_file = named.empty() ? nccl_home_folder() + "/.nccl.conf" : named;
  identity[named.empty() ? "~/.nccl.conf" : "NCCL_CONF_FILE"] = hash_of(user_file);
  identity["/etc/nccl.conf"] = hash_of("/etc/nccl.conf");
  for (const char* name : {"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_TUNER_CONFIG_FILE"}) {
    if (const std::string file = value_or_empty(own, name); !file.empty())
      identity[name] = hash_of(file);
  }
  return identity;
}

}  // namespace nccl_sweep::worker
