// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/group_rendezvous.hpp"

#include <algorithm>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {
namespace {

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The agent of every worker rank.
std::vector<int> agent_of_rank(const Layout& layout) {
  std::vector<int> agents;
  for (std::size_t a = 0; a < layout.workers_of_agent.size(); ++a) {
    agents.insert(agents.end(), static_cast<std::size_t>(layout.workers_of_agent[a]),
                  static_cast<int>(a));
  }
  return agents;
}

// In a model run a group may name ranks that no worker stands for.
std::vector<int> agents_of(const std::vector<int>& ranks, const std::vector<int>& agent_of) {
  std::vector<int> agents;
  std::vector<bool> seen(agent_of.empty() ? 0 : static_cast<std::size_t>(agent_of.back()) + 1);
  for (const int rank : ranks) {
    if (static_cast<std::size_t>(rank) >= agent_of.size()) continue;
    const int agent = agent_of[static_cast<std::size_t>(rank)];
    if (!seen[static_cast<std::size_t>(agent)]) agents.push_back(agent);
    seen[static_cast<std::size_t>(agent)] = true;
  }
  return agents;
}

}  // namespace

GroupRendezvous::GroupRendezvous(const Layout& layout, const std::vector<Partition>& partitions,
                                 int agent)
    : agent_(agent),
      agents_(layout.workers_of_agent.size()),
      partitions_(partitions.size()) {
  const std::vector<int> agent_of = agent_of_rank(layout);
  const auto is_mine = [&](int rank) {
    return static_cast<std::size_t>(rank) < agent_of.size() &&
           agent_of[static_cast<std::size_t>(rank)] == agent;
  };
  for (std::size_t p = 0; p < partitions_; ++p) {
    for (std::size_t g = 0; g < partitions[p].size(); ++g) {
      const std::vector<int>& ranks = partitions[p][g];
      if (std::none_of(ranks.begin(), ranks.end(), is_mine)) continue;
      groups_[{static_cast<int>(p), static_cast<int>(g)}] = {ranks, agents_of(ranks, agent_of)};
    }
  }
}

std::vector<Partition> GroupRendezvous::partitions_of(int rank) const {
  std::vector<Partition> partitions(partitions_);
  for (const auto& [key, group] : groups_) {
    if (contains(group.ranks, rank)) {
      partitions[static_cast<std::size_t>(key.first)].push_back(group.ranks);
    }
  }
  return partitions;
}

void GroupRendezvous::begin_trial() { blobs_.clear(); }

void GroupRendezvous::add(int rank, const std::vector<wire::Rendezvous>& led) {
  for (const wire::Rendezvous& r : led) {
    for (const auto& [key, group] : groups_) {
      if (key.first == r.partition && group.ranks.front() == rank) blobs_[key] = r.blob;
    }
  }
}

bool GroupRendezvous::over_all(const Group& group) const {
  return group.agents.size() == agents_ && group.agents.front() == 0;
}

std::string GroupRendezvous::text_of(const std::vector<Key>& keys) const {
  Packer packed;
  for (const Key& key : keys) {
    const auto blob = blobs_.find(key);
    if (blob == blobs_.end()) continue;  // not sent by its leader: its workers will say so
    packed.put(key.first);
    packed.put(key.second);
    packed.text(blob->second);
  }
  return packed.take();
}

void GroupRendezvous::take(const std::string& text) {
  Unpacker packed(text);
  while (!packed.at_end()) {
    const int partition = packed.get<int>();
    const int group = packed.get<int>();
    blobs_[{partition, group}] = packed.text();
  }
}

std::string GroupRendezvous::answer() const {
  std::vector<Key> keys;
  for (const auto& [key, group] : groups_) {
    if (over_all(group)) keys.push_back(key);
  }
  return text_of(keys);
}

void GroupRendezvous::take_answer(const std::string& text) { take(text); }

void GroupRendezvous::share(ControlPlane& control, double patience_seconds) {
  // Groups of the same agents (graph cases, rails) travel together.
  std::map<std::vector<int>, std::vector<Key>> together;
  for (const auto& [key, group] : groups_) {
    if (group.agents.size() > 1 && !over_all(group)) together[group.agents].push_back(key);
  }
  std::vector<Parcel> parcels;
  for (const auto& [agents, keys] : together) {
    parcels.push_back({agents, agents.front() == agent_ ? text_of(keys) : std::string()});
  }
  control.deliver(parcels, patience_seconds);
  for (const Parcel& parcel : parcels) take(parcel.text);
}

wire::Connect GroupRendezvous::connect_for(int rank) const {
  wire::Connect connect;
  for (const auto& [key, group] : groups_) {
    const auto blob = blobs_.find(key);
    if (blob == blobs_.end() || !contains(group.ranks, rank)) continue;
    connect.rendezvous.push_back({key.first, 0, blob->second});  // it knows one group a partition
  }
  return connect;
}

}  // namespace nccl_sweep::agent
