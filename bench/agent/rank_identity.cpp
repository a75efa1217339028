// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/rank_identity.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr std::string_view kNotThere = "unset";

}  // namespace

void IdentityComparison::add(const RankIdentity& r) {
  IdentityComparison one;
  one.lowest_ = Holder{r.rank, r.host, std::string(kNotThere)};
  for (const auto& [name, value] : r.identity) {
    one.names_[name] = Name{Holder{r.rank, r.host, value}, std::nullopt};
  }
  merge(one);
}

// A name that no rank here has is unset on all of them.
IdentityComparison::Name IdentityComparison::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found != names_.end() ? found->second : Name{*lowest_, std::nullopt};
}

void IdentityComparison::merge(const IdentityComparison& other) {
  if (!other.lowest_) return;
  if (!lowest_) {
    *this = other;
    return;
  }
  std::set<std::string> names;
  for (const auto& [name, ignored] : names_) names.insert(name);
  for (const auto& [name, ignored] : other.names_) names.insert(name);
  std::map<std::string, Name> merged;
  for (const std::string& name : names) {
    Name low = find(name);
    Name high = other.find(name);
    if (high.first.rank < low.first.rank) std::swap(low, high);
    // The lowest rank that differs from `low.first`, of three that may.
    std::optional<Holder> differs = low.other;
    for (const std::optional<Holder>& candidate : {std::optional(high.first), high.other}) {
      if (!candidate || candidate->value == low.first.value) continue;
      if (!differs || candidate->rank < differs->rank) differs = candidate;
    }
    merged[name] = Name{low.first, differs};
  }
  names_ = std::move(merged);
  if (other.lowest_->rank < lowest_->rank) lowest_ = other.lowest_;
}

std::string IdentityComparison::text() const {
  Packer packed;
  const auto put = [&](const Holder& holder) {
    packed.put(holder.rank);
    packed.text(holder.host);
    packed.text(holder.value);
  };
  if (!lowest_) return {};
  put(*lowest_);
  for (const auto& [name, holders] : names_) {
    packed.text(name);
    put(holders.first);
    packed.put(holders.other.has_value());
    if (holders.other) put(*holders.other);
  }
  return packed.take();
}

void IdentityComparison::take(const std::string& text) {
  if (text.empty()) return;
  Unpacker packed(text);
  const auto get = [&] {
    Holder holder;
    holder.rank = packed.get<int>();
    holder.host = packed.text();
    holder.value = packed.text();
    return holder;
  };
  IdentityComparison other;
  other.lowest_ = get();
  while (!packed.at_end()) {
    const std::string name(packed.text());
    Name& holders = other.names_[name];
    holders.first = get();
    if (packed.get<bool>()) holders.other = get();
  }
  merge(other);
}

std::string IdentityComparison::difference() const {
  for (const auto& [name, holders] : names_) {
    if (!holders.other) continue;
    const Holder& a = holders.first;
    const Holder& b = *holders.other;
    return fmt::format("{} differs between ranks: rank {} on {} has {}, rank {} on {} has {}", name,
                       a.rank, a.host, a.value, b.rank, b.host, b.value);
  }
  return {};
}

std::string identity_difference(const std::vector<RankIdentity>& ranks) {
  IdentityComparison comparison;
  for (const RankIdentity& rank : ranks) comparison.add(rank);
  return comparison.difference();
}

}  // namespace nccl_sweep::agent
