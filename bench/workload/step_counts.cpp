// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/step_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nccl_sweep {
namespace {

struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;  // inclusive
};

// The same step is often marked twice (on two threads, by nested profilers): the first one counts.
std::vector<StepMark> distinct_steps(std::vector<StepMark> marks) {
  std::ranges::sort(marks, {}, &StepMark::begin);
  std::vector<StepMark> steps;
  for (const StepMark& mark : marks) {
    if (steps.empty() || mark.begin >= steps.back().end) steps.push_back(mark);
  }
  return steps;
}

// Which steps are whole. The profiler may start or stop in the middle of a step: an edge step is
// partial where it has fewer calls than the steps between the edges, which all agree; two agreeing
// witnesses are asked for, because steps that accumulate gradients really have fewer.
StepRange whole_steps(const std::vector<std::int64_t>& totals) {
  StepRange range{0, totals.size() - 1};
  if (totals.size() < 2) return range;
  const auto inner_begin = totals.begin() + 1;
  const auto inner_end = totals.end() - 1;
  const bool inner_empty = inner_begin == inner_end;
  const bool inner_agree =
      !inner_empty && std::all_of(inner_begin, inner_end,
                                  [&](std::int64_t total) { return total == *inner_begin; });
  const bool inner_calls =
      std::all_of(inner_begin, inner_end, [](auto total) { return total > 0; });
  const auto partial = [&](std::int64_t edge, std::int64_t other_edge) {
    if (edge == 0) return inner_calls && other_edge > 0;
    const bool two_witnesses = totals.size() >= 4 || other_edge == *inner_begin;
    return inner_agree && two_witnesses && edge < *inner_begin;
  };
  const bool first_partial = partial(totals.front(), totals.back());
  const bool last_partial = partial(totals.back(), totals.front());
  if (first_partial) ++range.first;
  if (last_partial && range.last > range.first) --range.last;
  return range;
}

void remark_disagreement(StepCounts& result, const std::vector<std::string>& names,
                         const std::vector<std::uint64_t>& entries, StepRange range) {
  const auto steps = static_cast<std::int64_t>(range.last - range.first + 1);
  std::vector<std::int64_t> least(names.size(), 0);
  std::vector<std::int64_t> most(names.size(), 0);
  std::vector<std::int64_t> seen(names.size(), 0);  // in how many steps
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t next = i;
    while (next < entries.size() && entries[next] == entries[i]) ++next;
    const auto calls = static_cast<std::int64_t>(next - i);
    const auto kind = static_cast<std::size_t>(entries[i] >> 32);
    least[kind] = seen[kind] == 0 ? calls : std::min(least[kind], calls);
    most[kind] = std::max(most[kind], calls);
    ++seen[kind];
    i = next;
  }
  std::int64_t differing = 0;
  std::string example;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    if (seen[kind] > 0 && seen[kind] < steps) least[kind] = 0;
    if (least[kind] == most[kind]) continue;
    if (differing++ == 0) {
      example = fmt::format("{}: {} to {} calls", names[kind], least[kind], most[kind]);
    }
  }
  if (differing > 0) {
    result.remarks.push_back(
        fmt::format("steps disagree in {} of {} cases ({}): calls are the mean over {} steps",
                    differing, names.size(), example, steps));
  }
}

StepCounts whole_trace(const TimedRecords& records, std::size_t kinds) {
  StepCounts result;
  result.calls.assign(kinds, 0.0);
  for (const std::uint32_t kind : records.kinds) result.calls[kind] += 1;
  return result;
}

}  // namespace

StepCounts count_by_step(std::vector<StepMark> marks, const TimedRecords& records,
                         const std::vector<std::string>& names) {
  const std::vector<StepMark> steps = distinct_steps(std::move(marks));
  if (steps.empty()) return whole_trace(records, names.size());
  std::vector<std::uint64_t> entries;  // kind and step of each record, sorted: equal ones adjoin
  std::vector<std::int64_t> totals(steps.size(), 0);
  StepCounts result;
  for (std::size_t i = 0; i < records.times.size(); ++i) {
    const double time = records.times[i];
    auto after = std::ranges::upper_bound(steps, time, {}, &StepMark::begin);
    if (after == steps.begin() || time >= std::prev(after)->end) {
      ++result.outside;
      continue;
    }
    const auto step = static_cast<std::uint64_t>(std::distance(steps.begin(), after) - 1);
    entries.push_back(static_cast<std::uint64_t>(records.kinds[i]) << 32 | step);
    ++totals[step];
  }
  if (entries.empty()) {
    result = whole_trace(records, names.size());
    result.remarks.emplace_back("no record lies in a ProfilerStep: counts are of the whole trace");
    return result;
  }
  const StepRange range = whole_steps(totals);
  const std::size_t dropped = steps.size() - (range.last - range.first + 1);
  if (dropped > 0) {
    result.remarks.push_back(
        fmt::format("partial steps left out: {} of {}", dropped, steps.size()));
  }
  std::erase_if(entries, [&](std::uint64_t entry) {
    const std::size_t step = entry & 0xffffffffU;
    return step < range.first || step > range.last;
  });
  std::ranges::sort(entries);
  result.iterations = static_cast<double>(range.last - range.first + 1);
  result.calls.assign(names.size(), 0.0);
  for (const std::uint64_t entry : entries) result.calls[entry >> 32] += 1;
  for (double& calls : result.calls) calls /= result.iterations;
  remark_disagreement(result, names, entries, range);
  return result;
}

}  // namespace nccl_sweep
