// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/machine.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Value of the first "key : value" line of a /proc file.
std::string proc_value(const fs::path& file, std::string_view key) {
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

std::vector<std::string> driver_gpus() {
  std::vector<std::string> models;
  std::error_code none;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    models.push_back(proc_value(gpu.path() / "information", "Model"));
  }
  return models;
}

std::string driver_version() {
  std::ifstream in("/proc/driver/nvidia/version");
  for (std::string word; in >> word;) {
    const bool version = word.find('.') != std::string::npos &&
                         word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

// "X on all ranks", or "X on host1 host2" for each of the different texts.
std::vector<std::string> by_host(const std::map<std::string, std::vector<std::string>>& hosts_of) {
  std::vector<std::string> lines;
  constexpr std::size_t kHostsShown = 4;
  for (const auto& [text, hosts] : hosts_of) {
    if (hosts_of.size() == 1) {
      lines.push_back(text + " on all ranks");
      continue;
    }
    const std::size_t shown = std::min(hosts.size(), kHostsShown);
    lines.push_back(fmt::format(
        "{} on {}{}", text,
        fmt::join(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(shown), " "),
        hosts.size() > shown ? fmt::format(" and {} more", hosts.size() - shown) : ""));
  }
  return lines;
}

}  // namespace

int gpu_count() { return static_cast<int>(driver_gpus().size()); }

Machine this_machine() {
  Machine m;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  m.host = name.data();
  m.cpu = proc_value("/proc/cpuinfo", "model name");
  if (m.cpu.empty()) m.cpu = "unknown processor";
  m.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  m.gpus = driver_gpus();
  m.driver = driver_version();
  utsname kernel{};
  if (uname(&kernel) == 0) m.kernel = kernel.release;
  const Variables own = process_environment();
  m.library = library_variables(own);
  m.nccl_files = nccl_file_report(own);
  return m;
}

std::string to_text(const Machine& m) {
  return json{{"host", m.host},     {"cpu", m.cpu},       {"cores", m.cores},
              {"gpus", m.gpus},     {"driver", m.driver}, {"kernel", m.kernel},
              {"library", m.library}, {"nccl_files", m.nccl_files}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Machine machine_from_text(const std::string& text) {
  const json j = json::parse(text);
  Machine m;
  j.at("host").get_to(m.host);
  j.at("cpu").get_to(m.cpu);
  j.at("cores").get_to(m.cores);
  j.at("gpus").get_to(m.gpus);
  j.at("driver").get_to(m.driver);
  j.at("kernel").get_to(m.kernel);
  j.at("library").get_to(m.library);
  j.at("nccl_files").get_to(m.nccl_files);
  return m;
}

std::vector<std::string> nccl_file_lines(const std::vector<Machine>& machines) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < machines.front().nccl_files.size(); ++i) {
    std::map<std::string, std::vector<std::string>> hosts_of;
    for (const Machine& m : machines) {
      if (i < m.nccl_files.size()) hosts_of[m.nccl_files[i]].push_back(m.host);
    }
    for (std::string& line : by_host(hosts_of)) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> variable_differences(const std::vector<Machine>& machines) {
  std::set<std::string> names;
  for (const Machine& m : machines) {
    for (const auto& [name, value] : m.library) names.insert(name);
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    std::map<std::string, std::vector<std::string>> hosts_of;
    for (const Machine& m : machines) {
      const auto found = m.library.find(name);
      hosts_of[found == m.library.end() ? name + " unset" : name + "=" + found->second].push_back(
          m.host);
    }
    if (hosts_of.size() > 1) lines.push_back(fmt::format("{}", fmt::join(by_host(hosts_of), "; ")));
  }
  return lines;
}

}  // namespace nccl_sweep::agent
