// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "agent/system_file.hpp"
#include "core/units.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;

// "unlimited", "max" and v1's page-aligned largest number mean no limit.
std::int64_t number_of(const std::string& text) {
  if (text == "unlimited" || text == "max") return kUnlimited;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return kUnlimited;
  if (error != std::errc{} || end == text.data()) return kUnknown;
  constexpr std::int64_t kNobodyHas = std::int64_t{1} << 60;
  return value >= kNobodyHas ? kUnlimited : value;
}

// The soft or hard limit of a line of /proc/self/limits: "Max open files  1024  1048576  files".
std::int64_t process_limit(const fs::path& root, std::string_view name, bool hard) {
  std::ifstream in(root / "proc/self/limits");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::string soft_word;
    std::string hard_word;
    words >> soft_word >> hard_word;
    return number_of(hard ? hard_word : soft_word);
  }
  return kUnknown;
}

// Folder of this process's control group for a controller, relative to the mount: version 1 has a
// tree for each controller, version 2 one for all.
struct ControlGroup {
  fs::path mount;
  fs::path group;
  bool unified = false;
};

std::vector<ControlGroup> control_groups(const fs::path& root, const std::string& controller) {
  std::vector<ControlGroup> found;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(fmt::format(",{},", controller)) == std::string::npos)
      continue;
    const fs::path mount = root / "sys/fs/cgroup" / (unified ? "" : controller);
    found.push_back({mount, fs::path(line.substr(second + 1)).relative_path(), unified});
  }
  return found;
}

// File cache that counts as used memory and is given back on demand.
std::int64_t reclaimable(const fs::path& group, const std::string& controller, bool unified) {
  if (controller != "memory") return 0;
  std::ifstream stat(group / "memory.stat");
  const std::string wanted = unified ? "inactive_file" : "total_inactive_file";
  std::string name;
  for (std::int64_t value = 0; stat >> name >> value;) {
    if (name == wanted) return value;
  }
  return 0;
}

// What is left under the tightest limit of the group and those above it. In a container the path
// may be one of the host's: then only the top is there to read.
std::int64_t left_in_group(const fs::path& root, const std::string& controller,
                           const std::pair<const char*, const char*>& v1,
                           const std::pair<const char*, const char*>& v2) {
  std::int64_t left = kUnknown;
  for (const ControlGroup& where : control_groups(root, controller)) {
    const auto& [limit_file, used_file] = where.unified ? v2 : v1;
    for (fs::path group = where.group;; group = group.parent_path()) {
      const std::int64_t limit = number_of(first_line(where.mount / group / limit_file));
      const std::int64_t used = number_of(first_line(where.mount / group / used_file)) -
                                reclaimable(where.mount / group, controller, where.unified);
      if (limit != kUnknown) {
        const std::int64_t here =
            limit == kUnlimited
                ? kUnlimited
                : std::max<std::int64_t>(0, limit - std::max<std::int64_t>(0, used));
        left = left == kUnknown ? here : std::min(left, here);
      }
      if (group.empty()) break;
    }
  }
  return left;
}

std::int64_t size_of_file_system(const fs::path& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return kUnknown;
  return static_cast<std::int64_t>(info.f_blocks) * static_cast<std::int64_t>(info.f_frsize);
}

// Name in texts and messages of agents, member, whether it is a number of bytes.
struct Entry {
  const char* name;
  std::int64_t Limits::*member;
  bool bytes;
};
constexpr Entry kEntries[] = {{"open files", &Limits::open_files, false},
                              {"locked memory", &Limits::locked_memory, true},
                              {"processes", &Limits::processes, false},
                              {"threads left in the control group", &Limits::group_threads, false},
                              {"memory left in the control group", &Limits::group_memory, true},
                              {"/dev/shm", &Limits::shared_memory, true}};

std::string amount(std::int64_t value, bool bytes) {
  if (value == kUnlimited) return "unlimited";
  return bytes ? format_size(Bytes{value}) : fmt::format("{}", value);
}

bool below(std::int64_t limit, std::int64_t need) { return limit != kUnknown && limit < need; }

}  // namespace

Limits limits_here(const fs::path& root) {
  Limits limits;
  // NCCL raises its soft limit to the hard one (bootstrap.cc), so the hard one counts.
  limits.open_files = process_limit(root, "Max open files", true);
  limits.locked_memory = process_limit(root, "Max locked memory", false);
  limits.processes = process_limit(root, "Max processes", false);
  limits.group_threads =
      left_in_group(root, "pids", {"pids.max", "pids.current"}, {"pids.max", "pids.current"});
  limits.group_memory =
      left_in_group(root, "memory", {"memory.limit_in_bytes", "memory.usage_in_bytes"},
                    {"memory.max", "memory.current"});
  limits.shared_memory = size_of_file_system(root / "dev/shm");
  return limits;
}

std::map<std::string, std::int64_t> to_map(const Limits& limits) {
  std::map<std::string, std::int64_t> known;
  for (const Entry& entry : kEntries) {
    if (limits.*entry.member != kUnknown) known[entry.name] = limits.*entry.member;
  }
  return known;
}

Limits limits_from_map(const std::map<std::string, std::int64_t>& known) {
  Limits limits;
  for (const Entry& entry : kEntries) {
    if (const auto found = known.find(entry.name); found != known.end()) {
      limits.*entry.member = found->second;
    }
  }
  return limits;
}

std::string limits_text(const Limits& limits) {
  std::vector<std::string> parts;
  for (const Entry& entry : kEntries) {
    const std::int64_t value = limits.*entry.member;
    // A control group that limits nothing is the normal case.
    const bool group = std::string_view(entry.name).ends_with("control group");
    if (value == kUnknown || (group && value == kUnlimited)) continue;
    parts.push_back(fmt::format("{} {}", entry.name, amount(value, entry.bytes)));
  }
  return fmt::format("{}", fmt::join(parts, "  "));
}

std::vector<std::string> low_limits(const Limits& limits, const Need& need) {
  const bool gpus = need.backend == "nccl";
  const std::int64_t workers = need.workers;
  std::vector<std::string> lines;
  const auto complain = [&](const char* name, std::int64_t value, bool bytes, std::int64_t wanted,
                            const std::string& remedy) {
    lines.push_back(fmt::format("{} {}, about {} are needed ({})", name, amount(value, bytes),
                                amount(wanted, bytes), remedy));
  };
  // The first worker's bootstrap holds a connection a rank; sockets between nodes are at most 64 a
  // peer and direction (NCCL's threads x sockets), of which rings have two; 256 for all else.
  const std::int64_t files = 256 + 2 * 2 * 64 + need.ranks;
  if (below(limits.open_files, files)) {
    complain("open files", limits.open_files, false, files, "raise the hard limit, ulimit -Hn");
  }
  // Adapters register buffers, which locks them. Without adapters nothing is registered.
  if (gpus && need.adapters && below(limits.locked_memory, kUnlimited)) {
    lines.push_back(fmt::format(
        "locked memory {}, IB and RoCE buffers may fail to register (ulimit -l unlimited; in "
        "containers --ulimit memlock=-1; Slurm: PropagateResourceLimitsExcept=MEMLOCK)",
        amount(limits.locked_memory, true)));
  }
  // Threads: a worker of NCCL has its own, two of the driver, up to three proxy threads, and up to
  // 16 socket threads; host and model workers have a stream's each.
  const std::int64_t threads = 16 + 32 * workers;
  if (below(limits.processes, threads)) {
    complain("processes", limits.processes, false, threads, "raise ulimit -u");
  }
  if (below(limits.group_threads, threads)) {
    complain("threads left in the control group", limits.group_threads, false, threads,
             "raise pids.max: docker --pids-limit, systemd TasksMax");
  }
  // Seen on H200s: 0.5 GiB resident a worker of NCCL; others hold their buffers in memory.
  const std::int64_t a_worker =
      gpus ? std::int64_t{1} << 30 : (std::int64_t{64} << 20) + 3 * need.arena_bytes;
  if (need.backend != "model" && below(limits.group_memory, workers * a_worker)) {
    complain("memory left in the control group", limits.group_memory, true, workers * a_worker,
             "more memory for the job, sbatch --mem, or smaller sizes");
  }
  // NVIDIA's containers ask for 1 GiB on nodes with eight GPUs; docker's own default is 64 MiB.
  const std::int64_t shared = workers * (std::int64_t{128} << 20);
  if (gpus && workers > 1 && below(limits.shared_memory, shared)) {
    complain("/dev/shm", limits.shared_memory, true, shared,
             "docker --shm-size=1g or --ipc=host; NCCL's shared-memory transport fails without");
  }
  return lines;
}

}  // namespace nccl_sweep::agent
