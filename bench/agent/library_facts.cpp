// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/library_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/json_fields.hpp"
#include "evidence/nccl_log.hpp"

namespace nccl_sweep::agent {
namespace {

using nlohmann::json;

constexpr std::int64_t kWholeLog = std::int64_t{1} << 40;

std::vector<Fact> facts_of(const WorkerLink& worker) {
  std::istringstream log(worker.child().log_tail(kWholeLog));
  std::vector<Fact> facts = evidence::read_nccl_log(log);
  if (facts.empty()) return {};  // without a log nothing can be said to be missing from it
  for (const auto& [what, version] : worker.ready().versions) {
    // The log names NCCL's version too, with the CUDA it was built with.
    const bool logged = find_fact(facts, FactKind::version, what) != nullptr;
    if (!logged) facts.push_back({FactKind::version, what, version, 1});
  }
  for (const auto& [name, value] : worker.connected().environment) {
    facts.push_back({FactKind::conf_file, name, value, 1});
  }
  return facts;
}

}  // namespace

Variables log_variables(const std::string& backend, Stage stage) {
  if (backend != "nccl") return {};
  const std::string_view subsystems =
      stage == Stage::evidence ? evidence::kAllSubsystems : evidence::kQuietSubsystems;
  return {{"NCCL_DEBUG", "INFO"},
          {"NCCL_DEBUG_SUBSYS", std::string(subsystems)},
          {"NCCL_DEBUG_FILE", ""}};  // not unset: a conf file could set it again
}

std::vector<Fact> gather_facts(ControlPlane& control,
                               const std::vector<std::unique_ptr<WorkerLink>>& workers) {
  std::vector<Fact> mine;
  for (const auto& worker : workers) {
    for (Fact& fact : facts_of(*worker)) mine.push_back(std::move(fact));
  }
  const json text = merge(std::move(mine));
  std::vector<Fact> all;
  for (const std::string& part :
       control.gather(text.dump(-1, ' ', false, json::error_handler_t::replace))) {
    for (Fact& fact : json::parse(part).get<std::vector<Fact>>()) all.push_back(std::move(fact));
  }
  return merge(std::move(all));
}

std::string identity_difference(const std::vector<RankIdentity>& ranks) {
  std::set<std::string> keys;
  for (const RankIdentity& r : ranks) {
    for (const auto& [key, value] : r.identity) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const auto value_of = [&](const RankIdentity& r) {
      const auto found = r.identity.find(key);
      return found == r.identity.end() ? std::string("unset") : found->second;
    };
    const std::string first = value_of(ranks.front());
    for (const RankIdentity& r : ranks) {
      if (value_of(r) == first) continue;
      return fmt::format("{} differs between ranks: rank {} on {} has {}, rank {} on {} has {}",
                         key, ranks.front().rank, ranks.front().host, first, r.rank, r.host,
                         value_of(r));
    }
  }
  return {};
}

}  // namespace nccl_sweep::agent
