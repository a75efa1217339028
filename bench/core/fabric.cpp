// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/fabric.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash.hpp"

namespace nccl_sweep {
namespace {

constexpr std::string_view kMultiNodeNvlink = "MNNVL";

bool counts(const std::string& adapter) {
  return adapter.starts_with("IB") || adapter.starts_with("RoCE");
}

// How many adapters of each kind: "IB 400 Gb/s" -> 8.
std::map<std::string, int> kinds_of(const std::map<std::string, std::string>& adapters) {
  std::map<std::string, int> kinds;
  for (const auto& [name, kind] : adapters) {
    if (counts(kind)) ++kinds[kind];
  }
  return kinds;
}

std::pair<std::string, int> most_frequent_kind(const std::map<std::string, std::string>& adapters) {
  const std::map<std::string, int> kinds = kinds_of(adapters);
  if (kinds.empty()) return {};
  return *std::max_element(kinds.begin(), kinds.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

// "8xib400" of the most frequent kind.
std::string adapters_word(const std::map<std::string, std::string>& adapters) {
  const auto [kind, count] = most_frequent_kind(adapters);
  if (count == 0) return {};
  std::string word = fmt::format("{}x{}", count, kind.starts_with("IB") ? "ib" : "roce");
  const std::size_t speed = kind.find_first_of("0123456789");
  if (speed != std::string::npos) word += kind.substr(speed, kind.find(' ', speed) - speed);
  return word;
}

std::string network_word(const Fabric& fabric) {
  const bool infiniband = fabric.network.empty() || fabric.network.starts_with("IB");  // IBext_v10
  if (!infiniband) return short_name(fabric.network);
  return adapters_word(fabric.adapters);
}

// "h100" of "NVIDIA H100 80GB HBM3", "rtx-6000" of "NVIDIA RTX 6000 Ada Generation".
std::string gpu_word(const std::string& device) {
  const std::string words = short_name(device);
  const std::size_t digit = words.find_first_of("0123456789");
  return words.substr(0, words.find('-', std::min(digit, words.size())));
}

std::string link_word(const std::string& link) {
  if (link.starts_with("NV")) return "nvlink";
  if (link.starts_with("PCI")) return "pcie";
  return {};
}

// GB/s of "2 x 370.8 GB/s" or "370.8 GB/s".
double width_of(std::string_view value) {
  const std::size_t times = value.find("x ");
  if (times != std::string_view::npos) value.remove_prefix(times + 2);
  return std::strtod(std::string(value).c_str(), nullptr);
}

// "NVLink 370.8 GB/s": the best kind of link that the topology names, at its widest. How many there
// are hangs on which ranks of the node a communicator has, so it is not counted.
std::string link_of(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.kind == FactKind::transport && fact.subject.starts_with("P2P/MNNVL")) {
      return std::string(kMultiNodeNvlink);
    }
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKinds{
      {{"NV", "NVLink"}, {"PCI", "PCI"}}};
  for (const auto& [printed, name] : kKinds) {
    double widest = 0;
    for (const Fact& fact : facts) {
      if (fact.kind != FactKind::link || !fact.subject.starts_with(printed)) continue;
      widest = std::max(widest, width_of(fact.value));
    }
    if (widest > 0) return fmt::format("{} {:g} GB/s", name, widest);
  }
  return {};
}

// NCCL names the ports that it uses: "IB 400 Gb/s, adaptive routing". Older ones do not print the
// speed: the system's is kept then. Ports that it merged ("mlx5_0+mlx5_1") are listed too.
void refine_adapters(Fabric& fabric, const std::vector<Fact>& facts) {
  std::map<std::string, std::string> used;
  for (const Fact& fact : facts) {
    const bool merged = fact.subject.find('+') != std::string::npos;
    if (fact.kind != FactKind::adapter || merged || fact.value == "none") continue;
    const std::string kind = fact.value.substr(0, fact.value.find(','));
    const auto known = fabric.adapters.find(fact.subject);
    const bool better = known != fabric.adapters.end() && known->second.starts_with(kind);
    used[fact.subject] = better ? known->second : kind;
  }
  if (!used.empty()) fabric.adapters = std::move(used);
}

void refine_versions(Fabric& fabric, const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.kind != FactKind::version) continue;
    const std::string version = fact.value.substr(0, fact.value.find('+'));  // "2.28.9+cuda13.0"
    fabric.versions[fact.subject] = version;
  }
}

}  // namespace

std::string short_name(std::string_view text) {
  if (text.starts_with("NVIDIA ")) text.remove_prefix(7);
  std::string result;
  int words = 0;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '-') {
      constexpr int kMostWords = 3;
      if (++words == kMostWords) break;
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unknown" : result;
}

std::string gpu_fabric_name(const Fabric& fabric) {
  std::string name = fmt::format("{}-{}", gpu_word(fabric.device), fabric.ranks_per_node);
  std::string link = link_word(fabric.link);
  if (fabric.nodes > 1) {
    name += fmt::format("x{}nodes", fabric.nodes);
    link = fabric.link.starts_with(kMultiNodeNvlink) ? "mnnvl" : "";
  }
  const std::string network = fabric.nodes > 1 ? network_word(fabric) : "";
  for (const std::string& word : {link, network}) {
    if (!word.empty()) name += "-" + word;
  }
  return name;
}

std::string adapters_text(const std::map<std::string, std::string>& adapters) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds_of(adapters)) {
    parts.push_back(fmt::format("{} x {}", count, kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string most_frequent_adapters(const std::map<std::string, std::string>& adapters) {
  const auto [kind, count] = most_frequent_kind(adapters);
  return count == 0 ? std::string() : fmt::format("{} x {}", count, kind);
}

std::string fingerprint_of(const Fabric& fabric) {
  std::string text = fmt::format("{}|{}|{}|{}|{}", fabric.name, fabric.device, fabric.nodes,
                                 fabric.ranks_per_node, fabric.ranks);
  if (!fabric.link.empty()) text += "|" + fabric.link;
  if (fabric.nodes > 1) {  // inside one node nothing goes over the network
    text += "|" + fabric.network + "|" + adapters_text(fabric.adapters);
    const auto plugin = fabric.plugins.find("net");
    if (plugin != fabric.plugins.end()) text += "|" + plugin->second;
  }
  return fmt::format("{:016x}", fnv1a(text));
}

Fabric refine(const Fabric& seen, const std::vector<Fact>& facts) {
  const bool says_something = std::any_of(facts.begin(), facts.end(), [](const Fact& fact) {
    return fact.kind == FactKind::link || fact.kind == FactKind::network ||
           fact.kind == FactKind::adapter || fact.kind == FactKind::version ||
           fact.kind == FactKind::plugin;
  });
  if (!says_something) return seen;
  Fabric fabric = seen;
  fabric.link = link_of(facts);
  for (const Fact& fact : facts) {
    if (fact.kind == FactKind::network) fabric.network = fact.value;
    if (fact.kind == FactKind::plugin && fact.value != "none") {
      fabric.plugins[fact.subject] = fact.value;
    }
  }
  refine_adapters(fabric, facts);
  refine_versions(fabric, facts);
  fabric.name = gpu_fabric_name(fabric);
  fabric.fingerprint = fingerprint_of(fabric);
  return fabric;
}

}  // namespace nccl_sweep
