// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which groups this agent's workers are in, and how their rendezvous get from a group's first rank
// to the others: of groups over all agents with rank 0's answer to the hello phase, of smaller ones
// from agent to agent among those of the group only.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/control.hpp"
#include "agent/setup.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::agent {

class GroupRendezvous {
 public:
  // `partitions`: of the candidates that it is for (partitions_for).
  GroupRendezvous(const Layout&, const std::vector<Partition>& partitions, int agent);

  // The partitions with nothing but the group that `rank` is in: what its worker needs to know.
  std::vector<Partition> partitions_of(int rank) const;

  void begin_trial();
  void add(int rank, const std::vector<wire::Rendezvous>&);  // of a worker of this agent
  std::string answer() const;            // rank 0: of the groups over all agents
  void take_answer(const std::string&);
  // Collective over all agents, after take_answer().
  void share(ControlPlane&, double patience_seconds);
  wire::Connect connect_for(int rank) const;  // complete after share()

 private:
  struct Group {
    std::vector<int> ranks;
    std::vector<int> agents;  // in the order of their first ranks in the group
  };
  using Key = std::pair<int, int>;  // partition, group

  bool over_all(const Group&) const;
  std::string text_of(const std::vector<Key>&) const;
  void take(const std::string&);

  int agent_;
  std::size_t agents_;
  std::size_t partitions_;
  std::map<Key, Group> groups_;  // that workers of this agent are in
  std::map<Key, std::string> blobs_;
};

}  // namespace nccl_sweep::agent
