// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "evidence/rank_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nccl_sweep::evidence {
namespace {

std::string channels_text(const RankFacts::Channels& channels) {
  if (channels.point_to_point.empty()) return fmt::format("{}", channels.collective.size());
  if (channels.collective.empty()) return fmt::format("{} p2p", channels.point_to_point.size());
  return fmt::format("{} + {} p2p", channels.collective.size(), channels.point_to_point.size());
}

}  // namespace

void RankFacts::add(FactKind kind, std::string_view subject, std::string_view value) {
  facts_.insert(Fact{kind, std::string(subject), std::string(value), 1});
}

std::vector<Fact> RankFacts::take() {
  for (const auto& [kind, channels] : transports) {
    add(FactKind::transport, kind, channels_text(channels));
  }
  for (const auto& [number, device] : ib_devices) {
    const bool plain = device.adapter.settings.empty();
    add(FactKind::adapter, device.name,
        plain ? device.adapter.link
              : fmt::format("{} {}", device.adapter.link, device.adapter.settings));
  }
  // A connection's key may be given out again after a communicator is gone, which would double
  // its lines: what most connections of a device have is its number.
  std::map<int, std::map<int, int>> connections;  // device -> queue pairs -> connections
  for (const auto& [key, lines] : queue_pairs) ++connections[key.first][lines];
  for (const auto& [device, counts] : connections) {
    const auto usual = std::ranges::max_element(
        counts, [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto known = ib_devices.find(device);
    add(FactKind::queue_pairs,
        known == ib_devices.end() ? fmt::format("device {}", device) : known->second.name,
        fmt::format("{}", usual->first));
  }
  for (const auto& [kind, name] : plugins) add(FactKind::plugin, kind, name);
  if (!topology_file.empty() && !files_tried.contains(topology_file)) {
    add(FactKind::topology_file, topology_file, "not reached");
  }
  std::vector<Fact> facts(facts_.begin(), facts_.end());
  facts_.clear();
  return facts;
}

}  // namespace nccl_sweep::evidence
