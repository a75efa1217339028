// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/trial.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

constexpr std::array<std::string_view, 8> kStages{
    "burn-in", "screen", "confirm", "grid", "sentinel", "evidence", "load", "alarm"};
constexpr std::array<std::string_view, 5> kPhases{"spawn", "hello", "connect", "measure", "drain"};
constexpr std::array<std::string_view, 10> kOutcomes{
    "complete", "spawn failed", "crashed",     "hung",       "garbage",
    "flooded",  "error",        "unsupported", "wrong data", "stopped"};

template <class Enum, std::size_t N>
Enum parse(std::string_view kind, std::string_view text,
           const std::array<std::string_view, N>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error(fmt::format("unknown {} '{}'", kind, text));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view to_string(Stage s) { return kStages.at(static_cast<std::size_t>(s)); }
std::string_view to_string(Phase p) { return kPhases.at(static_cast<std::size_t>(p)); }
std::string_view to_string(Outcome o) { return kOutcomes.at(static_cast<std::size_t>(o)); }
bool is_analysed(Stage s) {
  return s == Stage::screen || s == Stage::confirm || s == Stage::grid;
}
bool is_descriptive(Stage s) {
  return s == Stage::evidence || s == Stage::load || s == Stage::alarm;
}
Stage parse_stage(std::string_view text) { return parse<Stage>("stage", text, kStages); }
Phase parse_phase(std::string_view text) { return parse<Phase>("phase", text, kPhases); }
Outcome parse_outcome(std::string_view text) { return parse<Outcome>("outcome", text, kOutcomes); }

Seconds trial_value(const CaseTiming& timing, bool use_max) {
  std::vector<double> blocks = use_max ? timing.max_seconds : timing.mean_seconds;
  if (blocks.empty()) return Seconds{0};
  std::sort(blocks.begin(), blocks.end());
  const std::size_t middle = blocks.size() / 2;
  if (blocks.size() % 2 == 1) return Seconds{blocks[middle]};
  return Seconds{(blocks[middle - 1] + blocks[middle]) / 2};
}

}  // namespace nccl_sweep
