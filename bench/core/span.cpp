// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/span.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nccl_sweep {
namespace {

constexpr std::string_view kSeveral = "leaves-";

}  // namespace

std::string leaf_of(const std::string& switches) {
  return switches.substr(switches.rfind('.') + 1);  // npos + 1 is 0: there is no switch above it
}

std::string span_of(const SwitchesOfHost& hosts) {
  if (hosts.size() == 1) return "node";
  std::set<std::string> leaves;
  for (const auto& [host, switches] : hosts) leaves.insert(leaf_of(switches));
  if (leaves.empty() || leaves.contains("")) return {};
  return leaves.size() == 1 ? "leaf" : fmt::format("{}{}", kSeveral, leaves.size());
}

std::string switches_text(const SwitchesOfHost& hosts) {
  std::map<std::string, std::vector<std::string>> hosts_of;
  for (const auto& [host, switches] : hosts) {
    if (!switches.empty()) hosts_of[leaf_of(switches)].push_back(host);
  }
  std::vector<std::string> parts;
  for (const auto& [leaf, names] : hosts_of) {
    parts.push_back(fmt::format("{}: {}", leaf, fmt::join(names, " ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string span_words(const std::string& span) {
  if (span == "node") return {};
  if (span == "leaf") return ", one leaf switch";
  if (span.starts_with(kSeveral)) {
    return fmt::format(", {} leaf switches", span.substr(kSeveral.size()));
  }
  return ", switches unknown";
}

}  // namespace nccl_sweep
