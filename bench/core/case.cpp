// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/case.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

Partition strided(const GroupShape& shape, int world) {
  const std::int64_t block = std::int64_t{shape.stride} * shape.size;
  if (shape.size < 1 || shape.stride < 1 || block > world || world % block != 0) {
    throw usage_error(fmt::format("{} ranks do not divide into groups '{}'", world, to_string(shape)),
                      {}, fmt::format("stride x size = {} must divide the number of ranks", block));
  }
  Partition groups;
  for (int base = 0; base < world; base += static_cast<int>(block)) {
    for (int offset = 0; offset < shape.stride; ++offset) {
      std::vector<int> group;
      for (int i = 0; i < shape.size; ++i) group.push_back(base + offset + i * shape.stride);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

void require_equal_sizes(const Partition& groups, const GroupShape& shape) {
  const auto same = [&](const auto& group) { return group.size() == groups.front().size(); };
  if (!std::all_of(groups.begin(), groups.end(), same)) {
    throw usage_error(fmt::format("group '{}' gives groups of different sizes here",
                                  to_string(shape)),
                      {}, "start the same number of ranks on every node");
  }
}

}  // namespace

std::string to_string(const GroupShape& shape) {
  switch (shape.kind) {
    case GroupKind::world: return "world";
    case GroupKind::node: return "node";
    case GroupKind::rail: return "rail";
    case GroupKind::strided: return fmt::format("{}/{}", shape.stride, shape.size);
  }
  return {};
}

GroupShape parse_group(std::string_view text, std::string_view where) {
  if (text == "world") return {GroupKind::world, 1, 0};
  if (text == "node") return {GroupKind::node, 1, 0};
  if (text == "rail") return {GroupKind::rail, 1, 0};
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = [](std::string_view digits) {
      int value = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return error == std::errc{} && end == digits.data() + digits.size() ? value : 0;
    };
    const GroupShape shape{GroupKind::strided, number(text.substr(0, slash)),
                           number(text.substr(slash + 1))};
    if (shape.stride > 0 && shape.size > 0) return shape;
  }
  throw usage_error(fmt::format("unknown group '{}'", text), std::string(where),
                    "world, node, rail, or stride/size such as 1/8");
}

Partition partition_world(const GroupShape& shape, const std::vector<int>& node_of_rank) {
  const int world = static_cast<int>(node_of_rank.size());
  if (shape.kind == GroupKind::world) return strided({GroupKind::strided, 1, world}, world);
  if (shape.kind == GroupKind::strided) return strided(shape, world);
  std::map<int, std::vector<int>> by_key;  // node index, or local rank for rails
  std::map<int, int> ranks_seen_on_node;
  for (int rank = 0; rank < world; ++rank) {
    const int node = node_of_rank[static_cast<std::size_t>(rank)];
    const int local = ranks_seen_on_node[node]++;
    by_key[shape.kind == GroupKind::node ? node : local].push_back(rank);
  }
  Partition groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  require_equal_sizes(groups, shape);
  return groups;
}

std::string scaled_note(const Case& c) {
  return c.scaled() ? "scaled from " + counted(c.group_size, "rank") : std::string();
}

int ops_per_graph(const Case& c) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 20;
  constexpr std::int64_t kLarge = std::int64_t{64} << 20;
  return c.size.value <= kSmall ? 100 : c.size.value <= kLarge ? 10 : 1;
}

std::string describe(const Case& c) {
  return fmt::format("{} {} {} {} {}{}{}{}", to_string(c.collective), to_string(c.dtype),
                     format_size(c.size), to_string(c.placement), to_string(c.group),
                     c.graph ? " graph" : "", c.scaled() ? ", " : "", scaled_note(c));
}

}  // namespace nccl_sweep
