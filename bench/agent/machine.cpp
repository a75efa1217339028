// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/machine.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/adapters.hpp"
#include "agent/cpu_binding.hpp"
#include "agent/gpu.hpp"
#include "agent/system_file.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string driver_version(const fs::path& root) {
  std::ifstream in(root / "proc/driver/nvidia/version");
  for (std::string word; in >> word;) {
    const bool version = word.find('.') != std::string::npos &&
                         word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

std::string text_of(const cpu_set_t& set) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpu_list_text(cpus);
}

// The mask that the launcher gave, and what the kernel leaves of a wish for everything.
void read_cpus(Machine& m) {
  cpu_set_t given;
  if (sched_getaffinity(0, sizeof(given), &given) != 0) return;
  m.launcher_cpus = text_of(given);
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof(all));
  cpu_set_t allowed = given;
  if (sched_setaffinity(0, sizeof(all), &all) == 0) {
    sched_getaffinity(0, sizeof(allowed), &allowed);
    sched_setaffinity(0, sizeof(given), &given);
  }
  m.allowed_cpus = text_of(allowed);
}

void read_gpus(Machine& m, const fs::path& root, const Variables& own) {
  const std::vector<Gpu> all = driver_gpus(root);
  for (const Gpu& gpu : all) m.gpus.push_back(gpu.model);
  const VisibleGpus visible = visible_gpus(all, own);
  for (const Gpu& gpu : visible.gpus) m.gpu_cpus.push_back(gpu.local_cpus);
  m.gpu_order_unknown = visible.unknown_because;
  m.visible_gpus = visible_count(all, own);
}

}  // namespace

std::vector<std::string> by_host(const std::map<std::string, std::vector<std::string>>& hosts_of) {
  std::vector<std::string> lines;
  constexpr std::size_t kHostsShown = 4;
  for (auto [text, hosts] : hosts_of) {
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());  // several agents on one
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

std::string switches_above(const Variables& own) {
  const std::string address = value_or_empty(own, "SLURM_TOPOLOGY_ADDR");
  const std::string node = fmt::format(".{}", value_or_empty(own, "SLURMD_NODENAME"));
  if (node.size() == 1 || !address.ends_with(node)) return {};
  return address.substr(0, address.size() - node.size());
}

int gpu_count() { return static_cast<int>(driver_gpus("/").size()); }

Machine this_machine(const fs::path& root) {
  Machine m;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  m.host = name.data();
  m.cpu = proc_value(root / "proc/cpuinfo", "model name");
  if (m.cpu.empty()) m.cpu = "unknown processor";
  m.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const Variables own = process_environment();
  m.switches = switches_above(own);
  read_gpus(m, root, own);
  read_cpus(m);
  m.governor = first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  m.adapters = active_adapters(root);
  m.driver = driver_version(root);
  utsname kernel{};
  if (uname(&kernel) == 0) m.kernel = kernel.release;
  m.limits = limits_here(root);
  m.library = library_variables(own);
  m.nccl_files = nccl_file_report(own);
  m.conf = conf_file_variables(own);
  return m;
}

std::string to_text(const Machine& m) {
  json text{{"host", m.host},
              {"switches", m.switches},
              {"cpu", m.cpu},
              {"cores", m.cores},
              {"gpus", m.gpus},
              {"gpu_cpus", m.gpu_cpus},
              {"gpu_order_unknown", m.gpu_order_unknown},
              {"visible_gpus", m.visible_gpus},
              {"allowed_cpus", m.allowed_cpus},
              {"launcher_cpus", m.launcher_cpus},
              {"governor", m.governor},
              {"adapters", m.adapters},
              {"driver", m.driver},
              {"kernel", m.kernel},
              {"limits", to_map(m.limits)},
              {"library", m.library},
              {"nccl_files", m.nccl_files},
              {"files", m.files}};
  if (m.conf) text["conf"] = *m.conf;
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

Machine machine_from_text(const std::string& text) {
  const json j = json::parse(text);
  Machine m;
  j.at("host").get_to(m.host);
  j.at("switches").get_to(m.switches);
  j.at("cpu").get_to(m.cpu);
  j.at("cores").get_to(m.cores);
  j.at("gpus").get_to(m.gpus);
  j.at("gpu_cpus").get_to(m.gpu_cpus);
  j.at("gpu_order_unknown").get_to(m.gpu_order_unknown);
  j.at("visible_gpus").get_to(m.visible_gpus);
  j.at("allowed_cpus").get_to(m.allowed_cpus);
  j.at("launcher_cpus").get_to(m.launcher_cpus);
  j.at("governor").get_to(m.governor);
  j.at("adapters").get_to(m.adapters);
  j.at("driver").get_to(m.driver);
  j.at("kernel").get_to(m.kernel);
  m.limits = limits_from_map(j.at("limits").get<std::map<std::string, std::int64_t>>());
  j.at("library").get_to(m.library);
  j.at("nccl_files").get_to(m.nccl_files);
  j.at("files").get_to(m.files);
  if (j.contains("conf")) m.conf = j.at("conf").get<Variables>();
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

}  // namespace nccl_sweep::agent
