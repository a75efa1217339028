// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/blocks_line.hpp"
#include "core/error.hpp"
#include "core/json_fields.hpp"

namespace nccl_sweep {

using nlohmann::json;

namespace {

json order_json(std::string_view record, const TrialOrder& order) {
  return {{"record", record},
          {"trial", order.index},
          {"stage", to_string(order.stage)},
          {"round", order.round},
          {"candidate", order.candidate}};
}

TrialOrder order_of(const json& j) {
  return {j.at("trial").get<int>(), parse_stage(j.at("stage").get<std::string>()),
          j.at("round").get<int>(), j.at("candidate").get<int>()};
}

json fabric_json(const Fabric& f) {
  return {{"name", f.name},         {"fingerprint", f.fingerprint},
          {"device", f.device},     {"nodes", f.nodes},
          {"ranks", f.ranks},       {"ranks_per_node", f.ranks_per_node},
          {"hosts", f.hosts},       {"versions", f.versions},
          {"link", f.link},         {"network", f.network},
          {"adapters", f.adapters}, {"plugins", f.plugins},
          {"span", f.span}};
}

Fabric fabric_of(const json& j) {
  Fabric f;
  j.at("name").get_to(f.name);
  j.at("fingerprint").get_to(f.fingerprint);
  j.at("device").get_to(f.device);
  j.at("nodes").get_to(f.nodes);
  j.at("ranks_per_node").get_to(f.ranks_per_node);
  j.at("hosts").get_to(f.hosts);
  j.at("versions").get_to(f.versions);
  const std::map<std::string, std::string> none;  // records of earlier versions lack the rest
  f.ranks = j.value("ranks", 0);
  f.span = j.value("span", f.nodes == 1 ? "node" : "");
  f.link = j.value("link", "");
  f.network = j.value("network", "");
  f.adapters = j.value("adapters", none);
  f.plugins = j.value("plugins", none);
  return f;
}

json record_json(const RunRecord& r) {
  json j{{"record", "run"},
         {"schema", r.schema},
         {"version", r.version},
         {"argv", r.argv},
         {"spec", r.spec.empty() ? json::object() : json::parse(r.spec)},
         {"name", r.name},
         {"backend", r.backend},
         {"simulated", r.simulated},
         {"seed", r.seed},
         {"started", r.started},
         {"environment", r.environment},
         {"notes", r.notes},
         {"fabric", fabric_json(r.fabric)},
         {"ranks", r.ranks},
         {"agents", r.agents},
         {"workers", r.workers},
         {"placement", r.placement},
         {"candidates", r.candidates},
         {"cases", r.cases},
         {"smallest_gain", r.smallest_gain},
         {"arena_bytes", r.arena.value},
         {"identity", r.identity},
         {"estimated_seconds", r.estimated_seconds}};
  if (r.imported) j["imported"] = true;
  if (!r.recipe.empty()) j["recipe"] = r.recipe;
  if (!r.policy.empty()) j["policy"] = r.policy;
  if (!r.mismatches.empty()) j["mismatches"] = r.mismatches;
  if (!r.collapsed.empty()) j["collapsed"] = r.collapsed;
  if (r.workload) {
    j["workload"] = {{"name", r.workload->name},
                     {"source", r.workload->source},
                     {"iterations", r.workload->iterations}};
  }
  return j;
}

RunRecord run_of(const json& j) {
  RunRecord r;
  j.at("schema").get_to(r.schema);
  if (r.schema != kRecordSchema) {
    throw usage_error(fmt::format("records of schema {}, this version reads {}", r.schema,
                                  kRecordSchema),
                      {}, "use the nccl-sweep version that wrote them");
  }
  j.at("version").get_to(r.version);
  j.at("argv").get_to(r.argv);
  r.spec = j.at("spec").dump();
  j.at("name").get_to(r.name);
  j.at("backend").get_to(r.backend);
  j.at("simulated").get_to(r.simulated);
  r.imported = j.value("imported", false);
  r.recipe = j.value("recipe", "");
  j.at("seed").get_to(r.seed);
  j.at("started").get_to(r.started);
  j.at("environment").get_to(r.environment);
  j.at("notes").get_to(r.notes);
  r.mismatches = j.value("mismatches", std::vector<std::string>{});
  r.fabric = fabric_of(j.at("fabric"));
  j.at("ranks").get_to(r.ranks);
  j.at("agents").get_to(r.agents);
  j.at("workers").get_to(r.workers);
  j.at("placement").get_to(r.placement);
  r.policy = j.value("policy", Policy{});
  j.at("candidates").get_to(r.candidates);
  r.collapsed = j.value("collapsed", std::vector<Collapsed>{});
  j.at("cases").get_to(r.cases);
  j.at("smallest_gain").get_to(r.smallest_gain);
  r.arena = Bytes{j.at("arena_bytes").get<std::int64_t>()};
  j.at("identity").get_to(r.identity);
  j.at("estimated_seconds").get_to(r.estimated_seconds);
  if (j.contains("workload")) {
    const json& w = j.at("workload");
    r.workload = WorkloadSummary{w.at("name").get<std::string>(), w.at("source").get<std::string>(),
                                 w.at("iterations").get<double>()};
  }
  return r;
}

json record_json(const BlocksRecord& r) {
  json j = order_json("blocks", r.order);
  j["case"] = r.timing.case_index;
  j["n"] = r.timing.ops_per_block;
  j["mean_seconds"] = r.timing.mean_seconds;
  j["max_seconds"] = r.timing.max_seconds;
  j["slowest_rank"] = r.timing.slowest_rank;
  j["wrong_elements"] = r.timing.wrong_elements;
  j["cpu_seconds"] = r.timing.cpu_seconds;
  j["wall_seconds"] = r.timing.wall_seconds;
  if (!r.timing.device_seconds.empty()) j["device_seconds"] = r.timing.device_seconds;
  if (r.timing.load_alone_seconds > 0) {
    j["load_alone_seconds"] = r.timing.load_alone_seconds;
    j["load_beside_seconds"] = r.timing.load_beside_seconds;
  }
  return j;
}

BlocksRecord blocks_of(const json& j) {
  BlocksRecord r;
  r.order = order_of(j);
  j.at("case").get_to(r.timing.case_index);
  j.at("n").get_to(r.timing.ops_per_block);
  j.at("mean_seconds").get_to(r.timing.mean_seconds);
  j.at("max_seconds").get_to(r.timing.max_seconds);
  j.at("slowest_rank").get_to(r.timing.slowest_rank);
  j.at("wrong_elements").get_to(r.timing.wrong_elements);
  j.at("cpu_seconds").get_to(r.timing.cpu_seconds);
  j.at("wall_seconds").get_to(r.timing.wall_seconds);
  r.timing.device_seconds = j.value("device_seconds", std::vector<double>{});
  r.timing.load_alone_seconds = j.value("load_alone_seconds", 0.0);
  r.timing.load_beside_seconds = j.value("load_beside_seconds", 0.0);
  return r;
}

json record_json(const FailureRecord& r) {
  json j = order_json("failure", r.order);
  j["outcome"] = to_string(r.outcome);
  j["phase"] = to_string(r.failure.phase);
  j["rank"] = r.failure.rank;
  j["host"] = r.failure.host;
  if (!r.failure.device.empty()) j["device"] = r.failure.device;
  if (!r.failure.behind.empty()) j["behind"] = r.failure.behind;
  j["case"] = r.failure.case_index;
  j["step"] = r.failure.step;
  j["message"] = r.failure.message;
  j["waiting_ranks"] = r.failure.waiting_ranks;
  j["log_tail"] = r.failure.log_tail;
  j["log_file"] = r.failure.log_file;
  return j;
}

FailureRecord failure_of(const json& j) {
  FailureRecord r;
  r.order = order_of(j);
  r.outcome = parse_outcome(j.at("outcome").get<std::string>());
  r.failure.phase = parse_phase(j.at("phase").get<std::string>());
  j.at("rank").get_to(r.failure.rank);
  j.at("host").get_to(r.failure.host);
  r.failure.device = j.value("device", "");
  r.failure.behind = j.value("behind", "");
  j.at("case").get_to(r.failure.case_index);
  j.at("step").get_to(r.failure.step);
  j.at("message").get_to(r.failure.message);
  j.at("waiting_ranks").get_to(r.failure.waiting_ranks);
  j.at("log_tail").get_to(r.failure.log_tail);
  j.at("log_file").get_to(r.failure.log_file);
  return r;
}

json record_json(const TrialRecord& r) {
  json j = order_json("trial", r.order);
  j["outcome"] = to_string(r.outcome);
  j["finished"] = r.finished;
  j["total_seconds"] = r.total_seconds;
  j["start_up_seconds"] = r.start_up_seconds;
  j["connect_seconds"] = r.connect_seconds;
  j["peak_rss_bytes"] = r.peak_rss_bytes;
  j["device_bytes"] = r.device_bytes;
  j["start_up_parts"] = r.start_up_parts;
  if (!r.source.empty()) j["source"] = r.source;
  for (const SlowRank& s : r.slowest) {
    j["slowest"].push_back(
        {{"rank", s.rank}, {"host", s.host}, {"blocks", s.blocks}, {"excess", s.excess}});
  }
  if (r.rank_seconds.largest > 0) {
    j["rank_seconds"] = {r.rank_seconds.smallest, r.rank_seconds.median, r.rank_seconds.largest};
  }
  return j;
}

std::vector<SlowRank> slowest_of(const json& j) {
  std::vector<SlowRank> slowest;
  for (const json& s : j.value("slowest", json::array())) {
    slowest.push_back({s.at("rank").get<int>(), s.at("host").get<std::string>(),
                       s.at("blocks").get<int>(), s.at("excess").get<double>()});
  }
  return slowest;
}

TrialRecord trial_of(const json& j) {
  TrialRecord r;
  r.order = order_of(j);
  r.outcome = parse_outcome(j.at("outcome").get<std::string>());
  j.at("finished").get_to(r.finished);
  j.at("total_seconds").get_to(r.total_seconds);
  j.at("start_up_seconds").get_to(r.start_up_seconds);
  j.at("connect_seconds").get_to(r.connect_seconds);
  j.at("peak_rss_bytes").get_to(r.peak_rss_bytes);
  r.device_bytes = j.value("device_bytes", std::int64_t{0});
  r.start_up_parts = j.value("start_up_parts", std::map<std::string, double>{});
  r.source = j.value("source", "");
  r.slowest = slowest_of(j);
  if (j.contains("rank_seconds")) {
    const json& s = j.at("rank_seconds");
    r.rank_seconds = {s.at(0).get<double>(), s.at(1).get<double>(), s.at(2).get<double>()};
  }
  return r;
}

json record_json(const EvidenceRecord& r) {
  json j = order_json("evidence", r.order);
  j["facts"] = r.facts;
  return j;
}

EvidenceRecord evidence_of(const json& j) {
  return {order_of(j), j.at("facts").get<std::vector<Fact>>()};
}

json control_json(const ControlFigures& c) {
  return {{"agents", c.agents},
          {"messages", c.messages},
          {"bytes", c.bytes},
          {"messages_per_trial", c.messages_per_trial},
          {"most_messages", c.most_messages},
          {"bytes_per_trial", c.bytes_per_trial},
          {"most_bytes", c.most_bytes},
          {"trial_seconds", c.trial_seconds},
          {"supervision_seconds", c.supervision_seconds},
          {"agent_rss_bytes", c.agent_rss_bytes},
          {"agent_cpu_seconds", c.agent_cpu_seconds},
          {"idle_cpu_per_second", c.idle_cpu_per_second}};
}

ControlFigures control_of(const json& j) {
  ControlFigures c;
  j.at("agents").get_to(c.agents);
  j.at("messages").get_to(c.messages);
  j.at("bytes").get_to(c.bytes);
  j.at("messages_per_trial").get_to(c.messages_per_trial);
  j.at("most_messages").get_to(c.most_messages);
  j.at("bytes_per_trial").get_to(c.bytes_per_trial);
  j.at("most_bytes").get_to(c.most_bytes);
  j.at("trial_seconds").get_to(c.trial_seconds);
  j.at("supervision_seconds").get_to(c.supervision_seconds);
  j.at("agent_rss_bytes").get_to(c.agent_rss_bytes);
  j.at("agent_cpu_seconds").get_to(c.agent_cpu_seconds);
  j.at("idle_cpu_per_second").get_to(c.idle_cpu_per_second);
  return c;
}

json record_json(const EndRecord& r) {
  json j{{"record", "end"},    {"reason", r.reason},   {"trials", r.trials},
         {"failed", r.failed}, {"seconds", r.seconds}, {"agent_cpu_seconds", r.agent_cpu_seconds}};
  if (r.control) j["control"] = control_json(*r.control);
  if (!r.lost_host.empty()) j["host"] = r.lost_host;
  return j;
}

EndRecord end_of(const json& j) {
  EndRecord r{j.at("reason").get<std::string>(), j.at("trials").get<int>(),
              j.at("failed").get<int>(), j.at("seconds").get<double>(),
              j.at("agent_cpu_seconds").get<double>(), {}, j.value("host", "")};
  if (j.contains("control")) r.control = control_of(j.at("control"));
  return r;
}

}  // namespace

const Candidate& setting_of(const RunRecord& run, int candidate) {
  const auto i = static_cast<std::size_t>(candidate);
  const std::size_t candidates = run.candidates.size();
  return i < candidates ? run.candidates[i] : run.collapsed.at(i - candidates).candidate;
}

std::string to_line(const Record& record, bool nodes_differ) {
  const auto* blocks = std::get_if<BlocksRecord>(&record);
  if (blocks != nullptr && !nodes_differ) return blocks_line(*blocks);
  json j = std::visit([](const auto& r) { return record_json(r); }, record);
  if (nodes_differ) j["nodes_differ"] = true;
  // A log line may hold any byte; it must not keep the record from being written.
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {

// Where a whole number belongs the library converts a real one unchecked. What may be larger than
// that is calls per run; a spec is kept as text.
bool numbers_fit(const json& value, int depth = 0) {
  constexpr int kDeepest = 64;
  if (value.is_number_float()) {
    return std::abs(value.get<double>()) <= std::numeric_limits<int>::max();
  }
  if (!value.is_structured()) return true;
  if (depth == kDeepest) return false;
  for (const auto& [key, element] : value.items()) {
    const bool free = key == "calls" || key == "iterations" || key == "spec";
    if (!free && !numbers_fit(element, depth + 1)) return false;
  }
  return true;
}

}  // namespace

Record parse_record(std::string_view line, std::string_view where) {
  try {
    if (auto blocks = read_blocks_line(line)) return *std::move(blocks);
    const json j = json::parse(line);
    if (!numbers_fit(j)) throw usage_error("a number is out of range", std::string(where));
    const std::string kind = j.at("record").get<std::string>();
    if (kind == "run") return run_of(j);
    if (kind == "blocks") return blocks_of(j);
    if (kind == "failure") return failure_of(j);
    if (kind == "evidence") return evidence_of(j);
    if (kind == "trial") return trial_of(j);
    if (kind == "end") return end_of(j);
    throw usage_error(fmt::format("unknown record '{}'", kind), std::string(where));
  } catch (const json::exception&) {
    throw usage_error("not a record of nccl-sweep", std::string(where),
                      "name a run folder, it holds a records.jsonl");
  } catch (const Error& error) {
    if (!error.where().empty()) throw;
    throw Error(error.exit_code(), error.message(), std::string(where), error.hint());
  }
}

}  // namespace nccl_sweep
