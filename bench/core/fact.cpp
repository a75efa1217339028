// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/fact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

constexpr std::array<std::string_view, 18> kKinds{
    "variable",  "bad value",   "conf file", "config",        "config reset", "transport",
    "adapter",   "queue pairs", "sockets",   "topology file", "link",         "channels",
    "multicast", "plugin",      "version",   "network",       "path",         "note"};

bool same_but_ranks(const Fact& a, const Fact& b) {
  return a.kind == b.kind && a.subject == b.subject && a.value == b.value;
}

}  // namespace

std::string_view to_string(FactKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

FactKind parse_fact_kind(std::string_view text) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), text);
  if (found == kKinds.end()) throw usage_error(fmt::format("unknown kind of fact '{}'", text));
  return static_cast<FactKind>(found - kKinds.begin());
}

std::vector<Fact> merge(std::vector<Fact> facts) {
  std::sort(facts.begin(), facts.end());
  std::vector<Fact> merged;
  for (Fact& fact : facts) {
    if (!merged.empty() && same_but_ranks(merged.back(), fact)) {
      merged.back().ranks += fact.ranks;
    } else {
      merged.push_back(std::move(fact));
    }
  }
  return merged;
}

const Fact* find_fact(const std::vector<Fact>& facts, FactKind kind, std::string_view subject) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) {
    return fact.kind == kind && fact.subject == subject;
  });
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace nccl_sweep
