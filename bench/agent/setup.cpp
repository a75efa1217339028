// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/setup.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/json_fields.hpp"

namespace nccl_sweep::agent {

using nlohmann::json;

int Layout::workers() const {
  return std::accumulate(workers_of_agent.begin(), workers_of_agent.end(), 0);
}

int Layout::first_rank(int agent) const {
  return std::accumulate(workers_of_agent.begin(), workers_of_agent.begin() + agent, 0);
}

std::string Layout::host_of_rank(int rank) const {
  int first = 0;
  for (std::size_t agent = 0; agent < host_of_agent.size(); ++agent) {
    first += workers_of_agent[agent];
    if (rank < first) return host_of_agent[agent];
  }
  return {};
}

std::vector<int> Layout::node_of_rank() const {
  std::map<std::string, int> index;
  std::vector<int> nodes;
  for (std::size_t agent = 0; agent < host_of_agent.size(); ++agent) {
    const int next = static_cast<int>(index.size());
    const int node = index.emplace(host_of_agent[agent], next).first->second;
    nodes.insert(nodes.end(), static_cast<std::size_t>(workers_of_agent[agent]), node);
  }
  return nodes;
}

int Layout::nodes() const {
  const std::vector<int> nodes = node_of_rank();
  return nodes.empty() ? 0 : 1 + *std::max_element(nodes.begin(), nodes.end());
}

int Layout::local_rank(int rank) const {
  const std::vector<int> nodes = node_of_rank();
  return static_cast<int>(
      std::count(nodes.begin(), nodes.begin() + rank, nodes[static_cast<std::size_t>(rank)]));
}

int Layout::local_size(int rank) const {
  const std::vector<int> nodes = node_of_rank();
  return static_cast<int>(
      std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(rank)]));
}

const std::vector<Partition>& partitions_for(const Setup& setup, int candidate) {
  const auto index = static_cast<std::size_t>(candidate);
  const int order = index < setup.reordering.size() ? setup.reordering[index] : -1;
  return order < 0 ? setup.partitions : setup.reordered[static_cast<std::size_t>(order)];
}

Variables site_of(const Setup& setup, int agent) {
  Variables site = setup.site;
  const auto index = static_cast<std::size_t>(agent);
  if (index >= setup.own_variables.size()) return site;
  for (const auto& [name, value] : setup.own_variables[index]) {
    if (value == kUnset) {
      site.erase(name);
    } else {
      site[name] = value;
    }
  }
  return site;
}

std::string to_text(const Setup& s) {
  json stage = json::array();
  for (const StagedFile& file : s.stage) stage.push_back({file.path, file.hash, file.bytes});
  const json j{{"backend", s.backend},
               {"model", s.model},
               {"candidates", s.candidates},
               {"environment_knobs", s.environment_knobs},
               {"cases", s.cases},
               {"partitions", s.partitions},
               {"reordered", s.reordered},
               {"reordering", s.reordering},
               {"partition_of_case", s.partition_of_case},
               {"simulated_ranks", s.simulated_ranks},
               {"arena", s.arena.value},
               {"parity_iters", s.parity_iters},
               {"verify", s.verify},
               {"load", s.load},
               {"load_ctas", s.load_ctas},
               {"seed", s.seed},
               {"site", s.site},
               {"own_variables", s.own_variables},
               {"nodes_differ", s.nodes_differ},
               {"gpu_local_cpus", s.gpu_local_cpus},
               {"hosts", s.layout.host_of_agent},
               {"workers", s.layout.workers_of_agent},
               {"worker_program", s.worker_program},
               {"stage", stage},
               {"default_library", s.default_library},
               {"run_folder", s.run_folder},
               {"keep_logs", s.keep_logs},
               {"phase_timeout", s.phase_timeout}};
  return j.dump();
}

Setup setup_from_text(const std::string& text) {
  const json j = json::parse(text);
  Setup s;
  j.at("backend").get_to(s.backend);
  j.at("model").get_to(s.model);
  j.at("candidates").get_to(s.candidates);
  j.at("environment_knobs").get_to(s.environment_knobs);
  j.at("cases").get_to(s.cases);
  j.at("partitions").get_to(s.partitions);
  j.at("reordered").get_to(s.reordered);
  j.at("reordering").get_to(s.reordering);
  j.at("partition_of_case").get_to(s.partition_of_case);
  j.at("simulated_ranks").get_to(s.simulated_ranks);
  s.arena = Bytes{j.at("arena").get<std::int64_t>()};
  j.at("parity_iters").get_to(s.parity_iters);
  j.at("verify").get_to(s.verify);
  j.at("load").get_to(s.load);
  j.at("load_ctas").get_to(s.load_ctas);
  j.at("seed").get_to(s.seed);
  j.at("site").get_to(s.site);
  j.at("own_variables").get_to(s.own_variables);
  j.at("nodes_differ").get_to(s.nodes_differ);
  j.at("gpu_local_cpus").get_to(s.gpu_local_cpus);
  j.at("hosts").get_to(s.layout.host_of_agent);
  j.at("workers").get_to(s.layout.workers_of_agent);
  j.at("worker_program").get_to(s.worker_program);
  for (const json& file : j.at("stage")) s.stage.push_back({file.at(0), file.at(1), file.at(2)});
  j.at("default_library").get_to(s.default_library);
  j.at("run_folder").get_to(s.run_folder);
  j.at("keep_logs").get_to(s.keep_logs);
  j.at("phase_timeout").get_to(s.phase_timeout);
  return s;
}

std::string to_text(const Launch& launch) {
  const json j{{"trial", launch.order.index},
               {"stage", to_string(launch.order.stage)},
               {"round", launch.order.round},
               {"candidate", launch.order.candidate},
               {"ops_per_block", launch.ops_per_block},
               {"blocks", launch.blocks},
               {"warmup_ops", launch.warmup_ops},
               {"measure_deadline", launch.measure_deadline}};
  return j.dump();
}

Launch launch_from_text(const std::string& text) {
  const json j = json::parse(text);
  Launch launch;
  launch.order = {j.at("trial").get<int>(), parse_stage(j.at("stage").get<std::string>()),
                  j.at("round").get<int>(), j.at("candidate").get<int>()};
  j.at("ops_per_block").get_to(launch.ops_per_block);
  j.at("blocks").get_to(launch.blocks);
  j.at("warmup_ops").get_to(launch.warmup_ops);
  j.at("measure_deadline").get_to(launch.measure_deadline);
  return launch;
}

}  // namespace nccl_sweep::agent
