// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The agents' side of the comparison: what each reads on its node.
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/parity.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kNccl = "libnccl.so.2";

const std::vector<std::string>& system_library_folders() {
  static const std::vector<std::string> folders{
      "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
      "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
  return folders;
}

// "libnccl.so.2.28.9, 214 bytes 3f2a9c0115b7e6d4"; the folder may differ.
std::string library_text(const std::string& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return fmt::format("{}, {}", (error ? fs::path(file) : real).filename().string(),
                     checksum_of_ends(file));
}

}  // namespace

std::string library_file(const std::string& name, const std::string& library_path,
                         const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  std::istringstream in(library_path);
  for (std::string folder; std::getline(in, folder, ':');) all.push_back(folder);
  all.insert(all.end(), folders.begin(), folders.end());
  std::error_code ignored;
  for (const std::string& folder : all) {
    const fs::path file = fs::path(folder) / name;
    if (fs::is_regular_file(file, ignored)) return file.string();
  }
  return {};
}

std::map<std::string, std::string> checked_files(const Variables& own, const Leader& leader) {
  std::map<std::string, std::string> files{
      {"nccl-sweep", checksum_of("/proc/self/exe")},
      {"nccl-sweep-worker", checksum_of(leader.worker_program)},
      {"/etc/nccl.conf", checksum_of("/etc/nccl.conf")}};
  for (const char* name :
       {"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_TUNER_CONFIG_FILE", "NCCL_CONF_FILE"}) {
    const std::string file = value_or_empty(own, name);
    if (!file.empty()) files[fmt::format("{}={}", name, file)] = checksum_of(file);
  }
  if (value_or_empty(own, "NCCL_CONF_FILE").empty()) {
    files["~/.nccl.conf"] = checksum_of(nccl_home_folder() + "/.nccl.conf");
  }
  const std::string nccl =
      library_file(kNccl, value_or_empty(own, "LD_LIBRARY_PATH"), system_library_folders());
  if (!nccl.empty()) files[kNccl] = library_text(nccl);
  return files;
}

std::vector<Machine> gather_machines(ControlPlane& control, const Leader& leader) {
  if (control.size() == 1) return {this_machine()};
  const json told = json::parse(control.broadcast(
      json(std::pair(leader.library, leader.worker_program)).dump(-1, ' ', false,
                                                                  json::error_handler_t::replace)));
  const Leader all{told.at(0).get<Variables>(), told.at(1).get<std::string>()};
  Machine mine = this_machine();
  const Variables workers = site_environment(process_environment(), all.library);
  mine.nccl_files = nccl_file_report(workers);
  mine.conf = conf_file_variables(workers);
  mine.files = checked_files(workers, all);
  std::vector<Machine> machines;
  for (const std::string& text : control.gather(to_text(mine))) {
    try {
      machines.push_back(machine_from_text(text));
    } catch (const json::exception&) {
      throw environment_error(
          fmt::format("what the agent of rank {} says of its node cannot be read: is another build "
                      "of nccl-sweep there?",
                      machines.size()),
          {}, "install the same on all nodes");
    }
  }
  return machines;
}

}  // namespace nccl_sweep::agent
