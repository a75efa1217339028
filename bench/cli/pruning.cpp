// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/pruning.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/prune.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

// NCCL loads libnccl-net.so where the linker finds one: installed for all, or by a module.
bool linker_knows(const std::string& library) {
  std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
  const std::string names{std::istreambuf_iterator<char>(cache), {}};
  return names.find(library) != std::string::npos;
}

bool has_network_plugin(const agent::Variables& site) {
  const auto plugin = site.find("NCCL_NET_PLUGIN");
  if (plugin != site.end()) return plugin->second != "none";
  if (linker_knows("libnccl-net.so")) return true;
  const char* path = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(std::string(path == nullptr ? "" : path) +
                             ":/usr/local/lib:/usr/lib64:/usr/lib:/usr/lib/x86_64-linux-gnu"
                             ":/usr/lib/aarch64-linux-gnu");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code ignored;
    if (!folder.empty() && fs::exists(fs::path(folder) / "libnccl-net.so", ignored)) return true;
  }
  return false;
}

// Of all nodes, where it is the same and known on each.
std::optional<agent::Variables> conf_variables(const std::vector<agent::Machine>& machines) {
  const auto& first = machines.front().conf;
  const bool same = std::ranges::all_of(
      machines, [&](const agent::Machine& m) { return m.conf.has_value() && m.conf == first; });
  return same ? first : std::nullopt;
}

bool every_gpu(const std::vector<agent::Machine>& machines, const auto& is_such) {
  return std::ranges::all_of(machines, [&](const agent::Machine& m) {
    return !m.gpus.empty() && std::ranges::all_of(m.gpus, is_such);
  });
}

bool names_one_of(const std::string& model, const auto& words) {
  return std::ranges::any_of(
      words, [&](const char* word) { return model.find(word) != std::string::npos; });
}

// By the model's name: boards whose GPUs are always joined by NVLink, and never on a PCIe card.
bool is_nvlink_board(const std::string& model) {
  constexpr std::array kBoards{"SXM", "HBM3", "H200", "B200", "B300"};
  constexpr std::array kCards{"PCIe", " NVL"};
  return names_one_of(model, kBoards) && !names_one_of(model, kCards);
}

// Trays that NVLink joins across hosts.
bool is_rack_gpu(const std::string& model) {
  constexpr std::array kRacks{"GH200", "GB200", "GB300"};
  return names_one_of(model, kRacks);
}

PruneContext context_of(const SweepSpec& spec, const WorkerPlaces& places,
                        const agent::Variables& site,
                        const std::vector<agent::Machine>& machines) {
  PruneContext context;
  context.backend = spec.backend;
  context.node_of_rank = places.node_of_rank;
  context.leaf_of_node = places.leaf_of_node;
  context.site = site;
  if (spec.backend != "nccl") return context;
  const auto conf = conf_variables(machines);
  context.conf_files = !conf;
  if (conf) context.site.insert(conf->begin(), conf->end());  // the environment wins
  context.network_plugin = has_network_plugin(context.site);
  context.nvlink_inside = every_gpu(machines, is_nvlink_board);
  context.nvlink_across = std::ranges::any_of(machines, [](const agent::Machine& m) {
    return std::ranges::any_of(m.gpus, is_rack_gpu);
  });
  return context;
}

void keep_only(SweepPlan& plan, Candidate wanted) {
  plan.candidates = {Candidate{}};
  std::erase_if(plan.collapsed,
                [&](const Collapsed& c) { return c.equal_to != 0 || c.candidate == wanted; });
  if (!wanted.is_baseline()) plan.candidates.push_back(std::move(wanted));
}

}  // namespace

void choose_candidates(SweepPlan& plan, const SweepSpec& spec, const KnobCatalogue& catalogue,
                       const WorkerPlaces& places, const agent::Variables& site,
                       const std::vector<agent::Machine>& machines, const std::string& only) {
  Candidate wanted;
  if (!only.empty()) wanted = find_candidate(plan, catalogue, spec.backend, only);
  if (spec.prune) prune(plan, catalogue, context_of(spec, places, site, machines));
  if (!only.empty()) {
    keep_only(plan, std::move(wanted));
  } else if (plan.candidates.size() == 1 && !plan.collapsed.empty()) {
    throw usage_error(fmt::format("nothing to compare: {} is predicted to be the default's data "
                                  "path ({})",
                                  plan.collapsed.size() == 1 ? "the one setting" : "every setting",
                                  plan.collapsed.front().reason),
                      spec.name, "--no-prune measures them all the same");
  }
}

std::vector<std::string> collapsed_lines(const RunRecord& record) {
  std::map<std::pair<int, std::string>, std::vector<std::string>> groups;
  for (const Collapsed& c : record.collapsed) {
    groups[{c.equal_to, c.reason}].push_back(name_of(c.candidate));
  }
  std::vector<std::string> lines;
  for (const auto& [key, names] : groups) {
    const auto& [equal_to, reason] = key;
    lines.push_back(fmt::format("as {}  {}: {}", equal_to, name_of(setting_of(record, equal_to)),
                                reason));
    for (const std::string& name : names) lines.push_back("     " + name);
  }
  return lines;
}

}  // namespace nccl_sweep::cli
