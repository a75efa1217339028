// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which launches no comparison may mix: on other nodes, other GPUs, measured in another way.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "importing/run_parts.hpp"

namespace nccl_sweep {
namespace {

std::string device_of(const ImportedLaunch& launch) {
  return launch.ranks.empty() ? "" : launch.ranks.front().device;
}

std::string recipe_of(const ImportedLaunch& launch) {
  std::vector<std::string> recipe = launch.recipe;
  std::sort(recipe.begin(), recipe.end());
  return recipe.empty() ? "as usual" : fmt::format("{}", fmt::join(recipe, ", "));
}

// " of 6, 2 ranks": on each host, as they are listed; empty where as many are on each.
std::string uneven_ranks(const ImportedLaunch& launch) {
  std::map<std::string, int> by_host;
  for (const ImportedRank& rank : launch.ranks) ++by_host[rank.host];
  std::vector<int> counts;
  for (const auto& [host, ranks] : by_host) counts.push_back(ranks);
  std::sort(counts.rbegin(), counts.rend());
  if (counts.empty() || counts.front() == counts.back()) return {};
  return fmt::format(" of {} ranks", fmt::join(counts, ", "));
}

std::string nodes_words(const ImportedLaunch& launch) {
  return counted(launch.nodes, "node") + uneven_ranks(launch);
}

}  // namespace

void check_comparable(const std::vector<ImportedLaunch>& launches) {
  const auto measured = [](const ImportedLaunch& launch) { return !launch.timings.empty(); };
  const auto first = std::find_if(launches.begin(), launches.end(), measured);
  if (first == launches.end()) return;
  for (const ImportedLaunch& launch : launches) {
    if (!measured(launch)) continue;
    const auto differ = [&](const std::string& here, const std::string& there,
                            std::string_view what) {
      if (here == there) return;
      throw usage_error(fmt::format("{} {} here, {} in {}", what, here, there, first->where()),
                        launch.where(), "they cannot be compared: import them into two runs");
    };
    differ(counted(launch.world, "rank"), counted(first->world, "rank"), "it ran on");
    differ(recipe_of(launch), recipe_of(*first), "measured");
    differ(launch.simulated ? "simulated" : "measured", first->simulated ? "simulated" : "measured",
           "figures are");
    if (!launch.ranks.empty() && !first->ranks.empty()) {
      differ(nodes_words(launch), nodes_words(*first), "it ran on");
      differ(device_of(launch), device_of(*first), "the device is");
    }
  }
}

std::string recipe_words(const ImportedLaunch& launch) {
  if (launch.recipe.empty()) return "nccl-tests as usual";
  return "nccl-tests with " + recipe_of(launch);
}

}  // namespace nccl_sweep
