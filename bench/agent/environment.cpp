// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/environment.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>

namespace nccl_sweep::agent {
namespace {

bool starts_with_any(std::string_view name, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string readable(const std::string& path) {
  return access(path.c_str(), R_OK) == 0 ? "readable" : "NOT READABLE";
}

}  // namespace

bool is_library_variable(std::string_view name) {
  constexpr std::array<std::string_view, 4> kPrefixes{"NCCL_", "UCX_", "SHARP_", "CUDA_"};
  // The host backend's: HOST_ alone is anybody's (HOST_IP of a pod).
  constexpr std::array<std::string_view, 4> kHost{"HOST_STREAMS_PER_CONNECTION", "HOST_CHUNK_BYTES",
                                                  "HOST_SOCKET_BUFFER_BYTES", "HOST_INTERFACE"};
  // Each node's own devices, and labels that images carry: they set nothing.
  constexpr std::array<std::string_view, 6> kNot{"CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH",
                                                 "CUDA_ROOT", "CUDA_VERSION", "NCCL_VERSION"};
  if (std::find(kHost.begin(), kHost.end(), name) != kHost.end()) return true;
  return std::find(kNot.begin(), kNot.end(), name) == kNot.end() &&
         !name.starts_with("NCCL_SWEEP_") && starts_with_any(name, kPrefixes);
}

Variables library_variables(const Variables& environment) {
  Variables found;
  for (const auto& entry : environment) {
    if (is_library_variable(entry.first)) found.insert(entry);
  }
  return found;
}

bool is_launch_variable(std::string_view name) {
  constexpr std::array<std::string_view, 8> kPrefixes{
      "OMPI_", "PMIX_", "PMI_", "PRTE_", "ORTE_", "OPAL_", "SLURM_STEP", "SLURM_TASK"};
  constexpr std::array<std::string_view, 8> kNames{
      "SLURM_PROCID", "SLURM_LOCALID",   "SLURM_NODEID",       "SLURM_NPROCS",
      "SLURM_NTASKS", "SLURM_GTIDS",     "SLURM_LAUNCH_NODE_IPADDR", "NCCL_COMM_ID"};
  return starts_with_any(name, kPrefixes) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_node_variable(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{
      "NCCL_SOCKET_IFNAME", "NCCL_OOB_NET_IFNAME", "NCCL_IB_HCA",
      "NCCL_HOSTID",        "UCX_NET_DEVICES",     "HOST_INTERFACE"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_log_variable(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{
      "NCCL_DEBUG",          "NCCL_DEBUG_SUBSYS",    "NCCL_DEBUG_FILE",
      "NCCL_TOPO_DUMP_FILE", "NCCL_GRAPH_DUMP_FILE", "UCX_LOG_LEVEL"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Variables site_environment(const Variables& own, const Variables& site) {
  Variables result;
  for (const auto& entry : own) {
    if (!is_launch_variable(entry.first) && !is_library_variable(entry.first)) result.insert(entry);
  }
  for (const auto& entry : site) {
    if (!is_launch_variable(entry.first)) result.insert(entry);
  }
  return result;
}

std::vector<std::string> worker_environment(const Variables& own, const Variables& site,
                                            const Variables& candidate) {
  Variables result = site_environment(own, site);
  for (const auto& [name, value] : candidate) {
    if (value == kUnset) {
      result.erase(name);
    } else {
      result[name] = value;
    }
  }
  std::vector<std::string> entries;
  for (const auto& [name, value] : result) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<std::string> nccl_file_report(const Variables& own) {
  std::vector<std::string> lines;
  for (const char* name : {"NCCL_TOPO_FILE", "NCCL_CONF_FILE"}) {
    const std::string path = value_or_empty(own, name);
    lines.push_back(path.empty() ? fmt::format("{} unset", name)
                                 : fmt::format("{}={} {}", name, path, readable(path)));
  }
  const std::string home = nccl_home_folder();
  for (const std::string& path : {home + "/.nccl.conf", std::string("/etc/nccl.conf")}) {
    const std::string shown = path.starts_with(home) && !home.empty() ? "~/.nccl.conf" : path;
    lines.push_back(access(path.c_str(), F_OK) == 0 ? fmt::format("{} {}", shown, readable(path))
                                                    : fmt::format("{} absent", shown));
  }
  return lines;
}

std::optional<Variables> conf_file_variables(const Variables& own) {
  return conf_file_variables(own, nccl_home_folder(), "/etc/nccl.conf");
}

std::optional<Variables> conf_file_variables(const Variables& own, const std::string& home,
                                             const std::string& system_file) {
  const std::string named = value_or_empty(own, "NCCL_CONF_FILE");
  Variables found;
  for (const std::string& file : {named.empty() ? home + "/.nccl.conf" : named, system_file}) {
    if (access(file.c_str(), F_OK) != 0) continue;
    std::ifstream in(file);
    if (!in) return std::nullopt;
    for (std::string line; std::getline(in, line);) {
      const std::size_t equals = line.find('=');
      if (line.starts_with('#') || equals == std::string::npos) continue;
      // NCCL trims nothing, so neither is it done here: "NAME = 4" sets a variable "NAME ".
      const std::string name = line.substr(0, equals);
      if (!own.contains(name)) found.emplace(name, line.substr(equals + 1));
    }
  }
  return found;
}

}  // namespace nccl_sweep::agent
