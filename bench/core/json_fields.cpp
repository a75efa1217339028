// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/json_fields.hpp"

#include <nlohmann/json.hpp>

namespace nccl_sweep {

using nlohmann::json;

void to_json(json& j, const Case& c) {
  j = json{{"collective", to_string(c.collective)},
           {"dtype", to_string(c.dtype)},
           {"op", to_string(c.op)},
           {"placement", to_string(c.placement)},
           {"bytes", c.size.value},
           {"count", c.count},
           {"requested_bytes", c.requested.value},
           {"group", to_string(c.group)},
           {"group_size", c.group_size}};
  if (c.graph) j["graph"] = true;
  if (c.calls > 0) j["calls"] = c.calls;
  if (c.workload_group_size > 0) j["workload_group_size"] = c.workload_group_size;
}

void from_json(const json& j, Case& c) {
  const auto word = [&](const char* key) { return j.at(key).get<std::string>(); };
  c.collective = parse_collective(word("collective"));
  c.dtype = parse_data_type(word("dtype"));
  c.op = parse_reduce_op(word("op"));
  c.placement = parse_placement(word("placement"));
  c.size = Bytes{j.at("bytes").get<std::int64_t>()};
  c.count = j.at("count").get<std::int64_t>();
  c.requested = Bytes{j.at("requested_bytes").get<std::int64_t>()};
  c.group = parse_group(word("group"));
  c.group_size = j.at("group_size").get<int>();
  c.graph = j.value("graph", false);
  c.calls = j.value("calls", 0.0);
  c.workload_group_size = j.value("workload_group_size", 0);
}

void to_json(json& j, const Candidate& candidate) {
  j = json::array();  // of pairs: the order is part of the name
  for (const auto& [knob, value] : candidate.assignments) j.push_back({knob, value});
}

void from_json(const json& j, Candidate& candidate) {
  candidate.assignments.clear();
  for (const json& pair : j) {
    candidate.assignments.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  }
}

void to_json(json& j, const Collapsed& c) {
  j = json{{"setting", c.candidate}, {"equal_to", c.equal_to}, {"reason", c.reason}};
}

void from_json(const json& j, Collapsed& c) {
  j.at("setting").get_to(c.candidate);
  j.at("equal_to").get_to(c.equal_to);
  j.at("reason").get_to(c.reason);
}

void to_json(json& j, const Fact& fact) {
  j = json{{"kind", to_string(fact.kind)},
           {"subject", fact.subject},
           {"value", fact.value},
           {"ranks", fact.ranks}};
}

void from_json(const json& j, Fact& fact) {
  fact.kind = parse_fact_kind(j.at("kind").get<std::string>());
  j.at("subject").get_to(fact.subject);
  j.at("value").get_to(fact.value);
  j.at("ranks").get_to(fact.ranks);
}

}  // namespace nccl_sweep
