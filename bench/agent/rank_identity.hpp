// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What must be the same on all ranks, or they hang: the library's file, its conf files ... It is
// compared on the way to rank 0 and never grows: of each name the value of the lowest rank and the
// lowest rank that has another one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nccl_sweep::agent {

struct RankIdentity {
  int rank = 0;
  std::string host;
  std::map<std::string, std::string> identity;
};

class IdentityComparison {
 public:
  void add(const RankIdentity&);
  void take(const std::string& text);
  std::string text() const;
  // One line that names the first difference and its ranks, empty if there is none.
  std::string difference() const;

 private:
  struct Holder {
    int rank = 0;
    std::string host;
    std::string value;
  };
  struct Name {
    Holder first;
    std::optional<Holder> other;
  };
  void merge(const IdentityComparison&);
  Name find(const std::string& name) const;

  std::optional<Holder> lowest_;  // of all ranks; what it lacks has the value "unset"
  std::map<std::string, Name> names_;
};

std::string identity_difference(const std::vector<RankIdentity>& ranks);

}  // namespace nccl_sweep::agent
