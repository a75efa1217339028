// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch_contradictions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep::cli {
namespace {

int known_switch_count(const std::string& text, const std::string& option) {
  const int count = switch_count(text);
  if (count > 0) return count;
  throw usage_error(fmt::format("'{}' is no number of leaf switches", text), option,
                    "N, or N@TIME: how long Slurm waits for them, as in 1@2:00:00");
}

// One folder for each task: none may be there twice.
void refuse_repeated(std::vector<std::string> values, const std::string& option) {
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) throw usage_error(fmt::format("{} is there twice", *twice), option);
}

void refuse_array_contradictions(const SbatchScript& script) {
  std::vector<std::string> nodes;
  for (const int count : script.array_nodes) nodes.push_back(std::to_string(count));
  std::vector<std::string> switches;
  for (const std::string& text : script.array_switches) {
    switches.push_back(std::to_string(known_switch_count(text, "--array-switches")));
    if (std::stoi(switches.back()) > script.nodes) {
      throw usage_error(fmt::format("{} leaf switches for {} nodes", switches.back(),
                                    script.nodes), "--array-switches");
    }
  }
  refuse_repeated(nodes, "--array-nodes");
  refuse_repeated(script.array_partitions, "--array-partitions");
  refuse_repeated(switches, "--array-switches");
}

}  // namespace

void refuse_prefix_of_images(const std::filesystem::path& prefix) {
  for (const char* folder : {"/", "/usr", "/usr/local", "/opt"}) {
    if (prefix == folder) {
      throw usage_error("this nccl-sweep's prefix, mounted into the container, would hide what the "
                        "image has there (CUDA, MPI)",
                        prefix.string(),
                        "install it to a prefix of its own, or give the image's own nccl-sweep by "
                        "--program");
    }
  }
}

void refuse_contradictions(const SbatchScript& script) {
  const int arrays = !script.array_nodes.empty() + !script.array_partitions.empty() +
                     !script.array_switches.empty();
  if (arrays > 1) {
    throw usage_error("one array only: --array-nodes, --array-partitions or --array-switches");
  }
  if (script.nodes < 1 && script.array_nodes.empty()) {
    throw usage_error("how many nodes?", {}, "--nodes N, or --array-nodes 2,4,8");
  }
  if (script.nodes > 0 && !script.array_nodes.empty()) {
    throw usage_error("--nodes and --array-nodes: give one of them");
  }
  if (!script.partition.empty() && !script.array_partitions.empty()) {
    throw usage_error("--partition and --array-partitions: give one of them");
  }
  if (!script.switches.empty() && !script.array_switches.empty()) {
    throw usage_error("--switches and --array-switches: give one of them");
  }
  if (!script.switches.empty()) known_switch_count(script.switches, "--switches");
  refuse_array_contradictions(script);
}

}  // namespace nccl_sweep::cli
