// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/rank_order.hpp"
#include "core/words.hpp"

namespace nccl_sweep {
namespace {

bool excluded(const Candidate& candidate, const SweepSpec& spec, const KnobCatalogue& catalogue) {
  const auto is_assigned = [&](const auto& wanted) {
    const Knob& knob = catalogue.require(spec.backend, wanted.first, spec.name);
    const std::pair pair(wanted.first, normalise_value(knob, wanted.second));
    return std::ranges::find(candidate.assignments, pair) != candidate.assignments.end();
  };
  return std::ranges::any_of(spec.exclude, [&](const auto& pattern) {
    return std::ranges::all_of(pattern, is_assigned);
  });
}

// A slip in 'exclude' would measure the very setting that was to be kept out.
void check_exclude(const SweepSpec& spec, const KnobCatalogue& catalogue) {
  for (const auto& pattern : spec.exclude) {
    for (const auto& [name, value] : pattern) {
      const Knob& knob = catalogue.require(spec.backend, name, spec.name);
      std::vector<std::string> values;
      for (const Axis& axis : spec.axes) {
        for (const std::string& known : axis.values) {
          if (axis.knob == name) values.push_back(normalise_value(knob, known));
        }
      }
      if (std::ranges::find(values, normalise_value(knob, value)) == values.end()) {
        throw usage_error(fmt::format("'exclude' names {}={}, which is not tried", name, value),
                          spec.name, did_you_mean(value, values));
      }
    }
  }
}

std::vector<Candidate> expand_candidates(const SweepSpec& spec, const KnobCatalogue& catalogue) {
  std::vector<Candidate> grid{Candidate{}};
  for (const Axis& axis : spec.axes) {
    const Knob& knob = catalogue.require(spec.backend, axis.knob, spec.name);
    std::set<std::string> different;
    for (const std::string& value : axis.values) {
      catalogue.check_value(knob, value, fmt::format("{}: axes/{}", spec.name, axis.knob));
      if (!different.insert(normalise_value(knob, value)).second) {
        throw usage_error(fmt::format("'{}' has the value '{}' twice", axis.knob, value), spec.name);
      }
    }
    std::vector<Candidate> wider;
    for (const Candidate& candidate : grid) {
      for (const std::string& value : axis.values) {
        wider.push_back(candidate);
        wider.back().assignments.emplace_back(axis.knob, normalise_value(knob, value));
      }
    }
    grid = std::move(wider);
  }
  check_exclude(spec, catalogue);
  std::vector<Candidate> candidates{Candidate{}};
  for (Candidate& candidate : grid) {
    if (!candidate.is_baseline() && !excluded(candidate, spec, catalogue)) {
      candidates.push_back(std::move(candidate));
    }
  }
  if (!spec.axes.empty() && candidates.size() == 1) {
    throw usage_error("'exclude' leaves no candidate", spec.name);
  }
  return candidates;
}

// What a backend's workers can run; a model can run anything.
bool can_run(const std::string& backend, Collective c) {
  return backend != "host" || c == Collective::all_gather || c == Collective::reduce_scatter ||
         c == Collective::all_reduce;
}

// Requested sizes that are not run as they are, by "all_gather float32", smallest and largest: a
// note each would fill the screen.
struct SizeNotes {
  std::map<std::string, std::pair<Bytes, Bytes>> left_out;
  std::map<std::string, std::pair<Bytes, Bytes>> rounded;
  std::map<std::string, std::pair<Bytes, Bytes>> out_of_place_only;

  static void add(std::map<std::string, std::pair<Bytes, Bytes>>& notes, const Case& c) {
    const std::string key = fmt::format("{} {}", to_string(c.collective), to_string(c.dtype));
    auto& range = notes.try_emplace(key, c.requested, c.requested).first->second;
    range = {std::min(range.first, c.requested), std::max(range.second, c.requested)};
  }
  static std::string text(const std::pair<Bytes, Bytes>& range) {
    return range.first == range.second
               ? fmt::format("{} B", range.first.value)
               : fmt::format("sizes of {} B to {} B", range.first.value, range.second.value);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    for (const auto& [what, range] : left_out) {
      result.push_back(fmt::format("{}: {} left out: less than one share a rank (16 bytes, or an "
                                   "element where nothing is shared out; nccl-tests runs size 0)",
                                   what, text(range)));
    }
    for (const auto& [what, range] : out_of_place_only) {
      result.push_back(
          fmt::format("{}: {} left out in place: it has no such form", what, text(range)));
    }
    for (const auto& [what, range] : rounded) {
      result.push_back(fmt::format("{}: {} rounded down to whole shares, as nccl-tests does", what,
                                   text(range)));
    }
    return result;
  }
};

// NCCL has no in-place form of them; nccl-tests times one all the same and checks nothing.
bool has_in_place(Collective c) { return c != Collective::alltoall && c != Collective::sendrecv; }

void add_case(SweepPlan& plan, Case c, const std::vector<int>& nodes, SizeNotes& notes) {
  if (c.placement == Placement::in_place && !has_in_place(c.collective)) {
    SizeNotes::add(notes.out_of_place_only, c);
    return;
  }
  const int partition = partition_index(plan, c.group, c.graph, nodes);
  c.group_size =
      static_cast<int>(plan.partitions[static_cast<std::size_t>(partition)].front().size());
  if (c.group_size < 2) {
    throw usage_error(fmt::format("group '{}' has one rank each here, which has nobody to talk to",
                                  to_string(c.group)),
                      {}, "rail needs several nodes, node several ranks on each");
  }
  const CaseSize rounded = nccl_tests_size(c.collective, c.dtype, c.requested, c.group_size);
  c.size = rounded.size;
  c.count = rounded.count_column;
  if (c.size.value == 0) {
    SizeNotes::add(notes.left_out, c);
    return;
  }
  if (c.size != c.requested) SizeNotes::add(notes.rounded, c);
  // Lines that differ only in what does not matter here (a group's stride) become one case.
  const auto same = std::find_if(plan.cases.begin(), plan.cases.end(), [&](Case other) {
    other.calls = c.calls;
    return other == c;
  });
  if (same != plan.cases.end()) {
    same->calls += c.calls;
    return;
  }
  plan.cases.push_back(c);
  plan.partition_of_case.push_back(partition);
}

void expand_spec_sizes(SweepPlan& plan, const SweepSpec& spec, bool graph,
                       const std::vector<int>& nodes, SizeNotes& notes) {
  for (const Collective collective : spec.collectives) {
    if (!can_run(spec.backend, collective)) {
      throw usage_error(fmt::format("the {} backend cannot run {} yet", spec.backend,
                                    to_string(collective)),
                        spec.name, "all_gather, reduce_scatter and all_reduce it can");
    }
    for (const DataType dtype : spec.dtypes) {
      for (const Placement placement : spec.placements) {
        for (const Bytes size : spec.sizes) {
          Case c;
          c.collective = collective;
          c.dtype = dtype;
          c.op = spec.op;
          c.placement = placement;
          c.requested = size;
          c.group = spec.group;
          c.graph = graph;
          add_case(plan, c, nodes, notes);
        }
      }
    }
  }
}

// The same is found for both placements, with and without graphs.
void note_once(SweepPlan& plan, std::string text) {
  if (std::ranges::find(plan.notes, text) == plan.notes.end()) plan.notes.push_back(std::move(text));
}

// A workload's group of n ranks becomes groups of n here; where the allocation is too small or
// does not divide, the world with the total bytes kept, marked as scaled.
GroupShape group_for(const WorkloadCase& w, int world, SweepPlan& plan) {
  if (w.group_size == world) return {};
  const int stride = std::max(1, w.group_stride);
  for (const int s : {stride, 1}) {
    if (w.group_size <= world && world % (s * w.group_size) == 0) {
      return {GroupKind::strided, s, w.group_size};
    }
  }
  note_once(plan, fmt::format("{} {}: the workload's group of {} ranks does not {} the {} ranks here: "
                              "run on all of them, its figures are marked 'scaled from {} ranks'",
                              to_string(w.collective), format_size(w.bytes), w.group_size,
                              w.group_size > world ? "fit" : "divide", world, world));
  return {};
}

void expand_workload(SweepPlan& plan, const SweepSpec& spec,
                     const std::vector<WorkloadCase>& workload, bool graph,
                     const std::vector<int>& nodes, SizeNotes& notes) {
  const int world = static_cast<int>(nodes.size());
  const auto wanted = [](const auto& list, const auto& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
  };
  for (const WorkloadCase& w : workload) {
    if (!wanted(spec.collectives, w.collective) || !wanted(spec.dtypes, w.dtype)) continue;
    if (!can_run(spec.backend, w.collective)) {
      note_once(plan, fmt::format("left out of the workload: {} {} of {}, {:g} calls: the {} backend "
                                  "cannot run it yet",
                                  to_string(w.collective), to_string(w.dtype),
                                  format_size(w.bytes), w.calls, spec.backend));
      continue;
    }
    for (const Placement placement : spec.placements) {
      Case c;
      c.collective = w.collective;
      c.dtype = w.dtype;
      c.op = w.op;
      c.placement = placement;
      c.requested = w.bytes;
      c.group = group_for(w, world, plan);
      c.workload_group_size = w.group_size;
      c.graph = graph;
      // Each call happens once: with both placements measured, the first one carries it, and with
      // and without graphs, the launched one.
      const bool counts = placement == spec.placements.front() && (!graph || spec.graphs.size() == 1);
      c.calls = counts ? w.calls : 0;
      add_case(plan, c, nodes, notes);
    }
  }
}

// Ops rotate through the whole of it, so that none finds its buffers in a cache: four times the
// L2 cache of the largest GPUs (126 MB), several times a core's share of a CPU's. With nccl-tests'
// recipe exactly the largest size, as nccl-tests has it.
Bytes arena_for(const SweepSpec& spec, const SweepPlan& plan) {
  constexpr Bytes kHost{std::int64_t{64} << 20};
  constexpr Bytes kGpu{std::int64_t{512} << 20};
  Bytes arena = spec.iters > 0 ? Bytes{1} : spec.backend == "nccl" ? kGpu : kHost;
  for (const Case& c : plan.cases) arena = std::max(arena, c.size);
  return arena;
}

bool reorders_ranks(const SweepPlan& plan) {
  const auto reorders = [](const Candidate& c) { return !rank_order_of(c).as_launched(); };
  return std::ranges::any_of(plan.candidates, reorders) ||
         std::ranges::any_of(plan.collapsed, reorders, &Collapsed::candidate);
}

std::set<std::string> set_of_words(std::string_view name) {
  const std::vector<std::string_view> words = words_of(name);
  return {words.begin(), words.end()};
}

}  // namespace

int partition_index(SweepPlan& plan, const GroupShape& shape, bool graph,
                    const std::vector<int>& nodes) {
  const Partition groups = partition_world(shape, nodes);
  const bool reordered = reorders_ranks(plan);
  for (std::size_t i = 0; i < plan.partitions.size(); ++i) {
    const bool same = plan.partitions[i] == groups && (!reordered || plan.shapes[i] == shape);
    if (same && plan.graph_partition[i] == graph) return static_cast<int>(i);
  }
  plan.partitions.push_back(groups);
  plan.shapes.push_back(shape);
  plan.graph_partition.push_back(graph);
  return static_cast<int>(plan.partitions.size()) - 1;
}

SweepPlan expand(const SweepSpec& spec, const KnobCatalogue& catalogue,
                 const std::vector<WorkloadCase>& workload, const std::vector<int>& nodes) {
  if (spec.workload_sizes && workload.empty()) {
    throw usage_error("the spec takes its sizes from a workload, and none was given", spec.name,
                      "add --workload FILE (made by nccl-sweep workload)");
  }
  SweepPlan plan;
  plan.ranks = static_cast<int>(nodes.size());
  plan.candidates = expand_candidates(spec, catalogue);
  partition_index(plan, GroupShape{}, false, nodes);
  SizeNotes notes;
  // Graph cases come last in a trial: capturing changes the launches after it.
  for (const bool graph : {false, true}) {
    if (std::find(spec.graphs.begin(), spec.graphs.end(), graph) == spec.graphs.end()) continue;
    if (graph && spec.backend == "host") {
      throw usage_error("the host backend has no CUDA graphs", spec.name, "leave cuda_graph out");
    }
    if (spec.workload_sizes) {
      expand_workload(plan, spec, workload, graph, nodes, notes);
    } else {
      expand_spec_sizes(plan, spec, graph, nodes, notes);
    }
  }
  for (std::string& line : notes.lines()) plan.notes.push_back(std::move(line));
  if (plan.cases.empty()) {
    throw usage_error("nothing left to measure", spec.name,
                      plan.notes.empty() ? "the collectives or dtypes are not in the workload"
                                         : plan.notes.front());
  }
  plan.arena = arena_for(spec, plan);
  return plan;
}

const Candidate& find_candidate(const SweepPlan& plan, const KnobCatalogue& catalogue,
                                std::string_view backend, std::string_view name) {
  std::set<std::string> wanted;
  for (const std::string& word : set_of_words(name)) {
    const std::size_t equals = word.find('=');
    const Knob* knob = catalogue.find(backend, word.substr(0, equals));
    const bool has_value = equals != std::string::npos && knob != nullptr;
    wanted.insert(has_value ? knob->name + "=" + normalise_value(*knob, word.substr(equals + 1))
                            : word);
  }
  std::vector<std::string> known;
  for (const Candidate& candidate : plan.candidates) {
    known.push_back(name_of(candidate));
    if (set_of_words(known.back()) == wanted) return candidate;
  }
  throw usage_error(fmt::format("no candidate '{}' in this sweep", name), {},
                    did_you_mean(name, known));
}

TrialCost estimate_trial(std::string_view backend, const SweepSpec& spec, const SweepPlan& plan) {
  const bool real_gpu = backend == "nccl";
  // Start-up of a process with its communicators: about 1 s on a few GPUs (context 0.3-0.8 s, first
  // communicator 0.3-0.6 s), and tens of seconds at hundreds of ranks; 0.1 s on host.
  TrialCost cost;
  cost.start_up_seconds = real_gpu ? 1.2 + 0.02 * plan.ranks : backend == "model" ? 0.01 : 0.1;
  if (backend == "model") return cost;
  const double assumed_rate = real_gpu ? 50e9 : 1e9;  // algbw, bytes a second
  const double least_op = real_gpu ? 12e-6 : 50e-6;
  cost.measuring_seconds = 0.3;  // warm-up before the first case
  for (const Case& c : plan.cases) {
    const double op = std::max(least_op, static_cast<double>(c.size.value) / assumed_rate);
    const double block = spec.iters > 0 ? spec.iters * op : std::max(4 * op, 10e-3);
    const double blocks = spec.iters > 0 ? 1 : 5;
    cost.measuring_seconds += blocks * block + std::max(5 * op, 20e-3) + 2 * op;
  }
  return cost;
}

}  // namespace nccl_sweep
