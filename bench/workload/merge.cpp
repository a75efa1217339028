// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From the views of several ranks to one workload. Every member of a group records the same call,
// so views are never added up over ranks:
//  - in a group, each collective is taken from one rank's view, the one with the most bytes (the
//    first of equals). They differ only for uneven alltoall and for send/recv, and there the call
//    takes as long as its busiest rank;
//  - over groups of the same shape (all tensor-parallel groups, say), which run side by side, a
//    case counts as often as on the rank that has most calls of it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/error.hpp"
#include "workload/trace_format.hpp"

namespace nccl_sweep {
namespace {

using Shape = std::tuple<Collective, DataType, ReduceOp, std::int64_t, int, int>;
using Histogram = std::map<Shape, double>;  // calls
using GroupCollective = std::pair<std::string, Collective>;

Shape shape_of(const WorkloadCase& it) {
  return {it.collective, it.dtype, it.op, it.bytes.value, it.group_size, it.group_stride};
}

WorkloadCase case_of(const Shape& shape, double calls) {
  WorkloadCase result;
  std::int64_t bytes = 0;
  std::tie(result.collective, result.dtype, result.op, bytes, result.group_size,
           result.group_stride) = shape;
  result.bytes = {bytes};
  result.count = bytes / element_bytes(result.dtype);
  result.calls = calls;
  return result;
}

struct Chosen {
  double bytes = 0;
  Histogram cases;
};

std::map<GroupCollective, Chosen> sums_by_group(const RankView& view) {
  std::map<GroupCollective, Chosen> sums;
  for (const auto& [group, what] : view.cases) {
    Chosen& sum = sums[{group, what.collective}];
    sum.bytes += what.calls * static_cast<double>(what.bytes.value);
    sum.cases[shape_of(what)] += what.calls;
  }
  return sums;
}

struct Merged {
  Histogram cases;
  std::string difference;  // the first case that the ranks do not agree on
};

Merged merge_views(const std::vector<const RankView*>& views) {
  std::map<GroupCollective, Chosen> chosen;
  std::vector<std::map<GroupCollective, Chosen>> own;
  for (const RankView* view : views) {
    own.push_back(sums_by_group(*view));
    for (const auto& [key, sum] : own.back()) {
      Chosen& best = chosen[key];
      if (sum.bytes > best.bytes) best = sum;
    }
  }
  Merged merged;
  std::vector<Histogram> seen;  // what each rank recorded itself, for the comparison
  for (const auto& sums : own) {
    Histogram of_rank;
    Histogram& recorded = seen.emplace_back();
    for (const auto& [key, sum] : sums) {
      for (const auto& [shape, calls] : chosen.at(key).cases) of_rank[shape] += calls;
      for (const auto& [shape, calls] : sum.cases) recorded[shape] += calls;
    }
    for (const auto& [shape, calls] : of_rank) {
      double& most = merged.cases[shape];
      most = std::max(most, calls);
    }
  }
  for (std::size_t i = 0; i < seen.size() && merged.difference.empty(); ++i) {
    for (const auto& [shape, calls] : merged.cases) {
      const auto found = seen[i].find(shape);
      const double here = found == seen[i].end() ? 0 : found->second;
      if (here == calls) continue;
      const WorkloadCase it = case_of(shape, calls);
      merged.difference =
          fmt::format("{} {} {} B: {:g} calls on {}, {:g} counted", to_string(it.collective),
                      to_string(it.dtype), it.bytes.value, here, views[i]->rank, calls);
      break;
    }
  }
  return merged;
}

void check_alike(const std::vector<Reading>& readings) {
  const Reading& first = readings.front();
  for (const Reading& other : readings) {
    if (other.source.format != first.source.format) {
      throw usage_error(fmt::format("is {}, but {} is {}", other.source.format, first.source.file,
                                    first.source.format),
                        other.source.file, "import one format at a time");
    }
    if ((other.iterations > 0) != (first.iterations > 0)) {
      const Reading& unmarked = other.iterations > 0 ? first : other;
      throw usage_error("does not mark its steps, other files do", unmarked.source.file,
                        "give --iters N, the number of steps that it covers");
    }
  }
}

void collect_notes(const std::vector<Reading>& readings, Workload& workload) {
  const bool several = readings.size() > 1;
  NoteCounts sums;
  NoteCounts said;  // what holds for all files is said once
  for (const Reading& reading : readings) {
    for (const std::string& remark : reading.remarks) ++said[remark];
  }
  for (const Reading& reading : readings) {
    for (const std::string& remark : reading.remarks) {
      const bool for_all = said[remark] == std::ssize(readings);
      if (for_all && &reading != &readings.front()) continue;
      const bool plain = for_all || !several;
      workload.notes.push_back(plain ? remark : reading.source.file + ": " + remark);
    }
    for (const auto& [text, count] : reading.notes) sums[text] += count;
  }
  for (const auto& [text, count] : sums) {
    workload.notes.push_back(fmt::format("{}: {}", text, count));
  }
}

std::string workload_name(std::string file) {
  for (const std::string_view suffix : {".gz", ".json", ".log", ".txt", ".pt.trace"}) {
    if (file.ends_with(suffix) && file.size() > suffix.size()) {
      file.resize(file.size() - suffix.size());
    }
  }
  return file;
}

}  // namespace

Workload merge_readings(std::vector<Reading> readings) {
  check_alike(readings);
  // The lowest rank speaks for all where they agree; files without a rank keep their order.
  std::ranges::stable_sort(readings, {}, [](const Reading& it) { return it.source.rank; });
  Workload workload;
  workload.name = workload_name(readings.front().source.file);
  workload.iterations = readings.front().iterations;
  std::vector<const RankView*> views;
  std::set<int> ranks;
  for (const Reading& reading : readings) {
    workload.sources.push_back(reading.source);
    workload.world_size = std::max(workload.world_size, reading.world_size);
    for (const RankView& view : reading.views) views.push_back(&view);
    if (reading.source.rank >= 0 && !ranks.insert(reading.source.rank).second) {
      workload.notes.push_back(
          fmt::format("several files of rank {}: are they of one job?", reading.source.rank));
    }
    if (reading.iterations != workload.iterations) {
      workload.notes.push_back(fmt::format("{} covers {:g} steps, {} covers {:g}",
                                           reading.source.file, reading.iterations,
                                           readings.front().source.file, workload.iterations));
    }
  }
  const Merged merged = merge_views(views);
  for (const auto& [shape, calls] : merged.cases) workload.cases.push_back(case_of(shape, calls));
  std::ranges::stable_sort(workload.cases, std::greater{}, [](const WorkloadCase& it) {
    return it.calls * static_cast<double>(it.bytes.value);
  });
  if (!merged.difference.empty()) {
    workload.notes.push_back("ranks differ (" + merged.difference +
                             "): of each group the busiest rank counts, never a sum over ranks");
  }
  collect_notes(readings, workload);
  return workload;
}

Workload read_traces(const std::vector<std::filesystem::path>& files, const ReadOptions& options) {
  std::vector<Reading> readings;
  for (const std::filesystem::path& file : files) {
    ByteSource source(file);
    readings.push_back(recognise(source).read(source, options));
  }
  if (readings.empty()) throw usage_error("no trace file is given");
  return merge_readings(std::move(readings));
}

}  // namespace nccl_sweep
