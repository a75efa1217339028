// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/identity.hpp"

#include <fmt/format.h>

#include "core/checksum.hpp"
#include "core/environment.hpp"

namespace nccl_sweep::worker {

std::map<std::string, std::string> library_identity(const NcclLibrary& nccl) {
  std::map<std::string, std::string> identity{
      {"nccl_library",
       fmt::format("{} {} {}", nccl.file, nccl.version_text(), checksum_of_ends(nccl.file))}};
  const Variables own = process_environment();
  const std::string named = value_or_empty(own, "NCCL_CONF_FILE");
  const std::string user_file = named.empty() ? nccl_home_folder() + "/.nccl.conf" : named;
  identity[named.empty() ? "~/.nccl.conf" : "NCCL_CONF_FILE"] = checksum_of(user_file);
  identity["/etc/nccl.conf"] = checksum_of("/etc/nccl.conf");
  for (const char* name : {"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_TUNER_CONFIG_FILE"}) {
    if (const std::string file = value_or_empty(own, name); !file.empty())
      identity[name] = checksum_of(file);
  }
  return identity;
}

}  // namespace nccl_sweep::worker
