// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/library_facts.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/json_fields.hpp"
#include "evidence/nccl_log.hpp"

namespace nccl_sweep::agent {
namespace {

using nlohmann::json;

constexpr std::string_view kAsBefore = "=";
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

std::pair<bool, int> key_of(const TrialOrder& order) {
  return {order.stage == Stage::evidence, order.candidate};
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

void FactsOnTheWay::forget(const TrialOrder& order) { before_.erase(key_of(order)); }

void FactsOnTheWay::begin(const TrialOrder& order) {
  now_ = &before_[key_of(order)];
  next_child_ = 0;
  facts_.clear();
}

void FactsOnTheWay::add(const std::vector<std::unique_ptr<WorkerLink>>& workers) {
  for (const auto& worker : workers) {
    for (Fact& fact : facts_of(*worker)) facts_.push_back(std::move(fact));
  }
}

void FactsOnTheWay::take(const std::string& child_text) {
  now_->received.resize(std::max(now_->received.size(), next_child_ + 1));
  std::string& known = now_->received[next_child_++];
  if (child_text != kAsBefore) known = child_text;
  if (known.empty()) return;
  for (Fact& fact : json::parse(known).get<std::vector<Fact>>()) facts_.push_back(std::move(fact));
}

std::vector<Fact> FactsOnTheWay::merged() { return merge(std::move(facts_)); }

std::string FactsOnTheWay::text() {
  const std::vector<Fact> all = merged();
  std::string text;
  if (!all.empty()) text = json(all).dump(-1, ' ', false, json::error_handler_t::replace);
  if (text == now_->sent) return std::string(kAsBefore);
  now_->sent = text;
  return text;
}

}  // namespace nccl_sweep::agent
