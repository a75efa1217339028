// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/control_words.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace nccl_sweep {
namespace {

constexpr double kMost = 0.5;          // of all blocks
constexpr double kWorthNaming = 0.05;  // over the mean of the ranks

struct Slowness {
  double blocks = 0;
  double excess = 0;  // sum over those blocks
};

std::string named(const std::string& who, const Slowness& slow, double blocks) {
  if (slow.blocks <= kMost * blocks || slow.excess / slow.blocks <= kWorthNaming) return {};
  return fmt::format("slowest {} in {:.0f} % of blocks, {:.0f} % over the mean", who,
                     100 * slow.blocks / blocks, 100 * slow.excess / slow.blocks);
}

}  // namespace

std::string control_line(const RunData& data) {
  if (!data.end || !data.end->control || data.end->control->agents < 2) return {};
  const ControlFigures& c = *data.end->control;
  return fmt::format("control {} agents  {:.0f} messages, {} a trial at rank 0; {} of {} a trial "
                     "around the measuring",
                     c.agents, c.messages_per_trial,
                     format_size(Bytes{std::llround(c.bytes_per_trial)}),
                     format_seconds(Seconds{c.supervision_seconds}),
                     format_seconds(Seconds{c.trial_seconds}));
}

std::string slowest_line(const RunData& data) {
  std::map<std::pair<std::string, int>, Slowness> by_rank;
  std::map<std::string, Slowness> by_host;
  double blocks = 0;
  for (const TrialOutcome& trial : data.trials) {
    if (!is_analysed(trial.order.stage)) continue;
    for (const CaseTiming& timing : trial.cases) {
      blocks += static_cast<double>(timing.mean_seconds.size());
    }
    for (const SlowRank& slow : trial.slowest) {
      for (Slowness* sum : {&by_rank[{slow.host, slow.rank}], &by_host[slow.host]}) {
        sum->blocks += slow.blocks;
        sum->excess += slow.blocks * slow.excess;
      }
    }
  }
  if (data.run.workers < 3) return {};  // of two, one is always the slower
  for (const auto& [who, slow] : by_rank) {
    const std::string line =
        named(fmt::format("rank {} on {}", who.second, who.first), slow, blocks);
    if (!line.empty()) return line;
  }
  if (by_host.size() < 2) return {};
  for (const auto& [host, slow] : by_host) {
    const std::string line = named("host " + host, slow, blocks);
    if (!line.empty()) return line;
  }
  return {};
}

}  // namespace nccl_sweep
