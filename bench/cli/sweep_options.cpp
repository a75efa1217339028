// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/machine.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::cli {
namespace {

// nccl-tests' own default is 32M to 32M; a sweep without sizes would rather see a curve.
constexpr Bytes kDefaultBegin{std::int64_t{64} << 10};
constexpr Bytes kDefaultEnd{std::int64_t{64} << 20};

// Beyond these nothing is meant that way; a worker would refuse it.
constexpr int kMostOps = 100'000'000;
constexpr int kMostRanks = 1 << 20;
constexpr int kMostWorkers = 4096;  // of one agent
constexpr int kMostRounds = 100'000;

// Refuses other numbers; without CLI11's own text in --help, which would drown the option's.
CLI::Validator between(int low, int high) { return CLI::Range(low, high).description(""); }

Axis axis_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  Axis axis{text.substr(0, equals), {}};
  if (equals == std::string::npos || axis.knob.empty() || equals + 1 == text.size()) {
    throw usage_error(fmt::format("'{}' does not say what to vary", text), "--vary",
                      "write NAME=a,b,c");
  }
  std::string value;
  for (const char letter : text.substr(equals + 1) + ",") {
    if (letter != ',') {
      value += letter;
      continue;
    }
    if (value.empty()) throw usage_error(fmt::format("'{}' has an empty value", text), "--vary");
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
      throw usage_error(fmt::format("'{}' has the value '{}' twice", text, value), "--vary");
    }
    axis.values.push_back(std::move(value));
    value.clear();
  }
  return axis;
}

std::vector<Bytes> sizes_of(const SweepOptions& options) {
  const Bytes begin = options.begin.empty()
                          ? (options.end.empty() ? kDefaultBegin : parse_size(options.end, "-e"))
                          : parse_size(options.begin, "-b");
  const Bytes end = options.end.empty() ? (options.begin.empty() ? kDefaultEnd : begin)
                                        : parse_size(options.end, "-e");
  if (begin.value < 1 || begin > end) {
    throw usage_error(fmt::format("sizes from {} to {}", begin.value, end.value), "-b/-e",
                      "the begin is at least 1 and not above the end");
  }
  if (options.step.empty()) return size_range(begin, end, options.factor > 1 ? options.factor : 2);
  const Bytes step = parse_size(options.step, "-i");
  if (step.value < 1) throw usage_error("a step of 0 never ends", "-i");
  constexpr std::int64_t kMostSizes = 10'000;
  if ((end.value - begin.value) / step.value > kMostSizes) {
    throw usage_error(fmt::format("more than {} sizes", kMostSizes), "-i", "use a larger step");
  }
  std::vector<Bytes> sizes;
  for (std::int64_t size = begin.value; size <= end.value; size += step.value) {
    sizes.push_back(Bytes{size});
  }
  return sizes;
}

void apply_what(const SweepOptions& options, SweepSpec& spec) {
  if (!options.collectives.empty()) spec.collectives.clear();
  for (const std::string& name : options.collectives) {
    spec.collectives.push_back(parse_collective(name, "--collective"));
  }
  if (!options.dtypes.empty()) spec.dtypes.clear();
  for (const std::string& name : options.dtypes) spec.dtypes.push_back(parse_data_type(name, "-d"));
  if (!options.op.empty()) spec.op = parse_reduce_op(options.op, "-o");
  if (!options.placements.empty()) spec.placements.clear();
  for (const std::string& name : options.placements) {
    spec.placements.push_back(parse_placement(name, "--placement"));
  }
  if (!options.group.empty()) spec.group = parse_group(options.group, "--group");
  if (!options.graphs.empty()) spec.graphs.clear();
  for (const std::string& word : options.graphs) {
    if (word != "on" && word != "off") {
      throw usage_error(fmt::format("unknown word '{}'", word), "--graph", "off, on or off,on");
    }
    spec.graphs.push_back(word == "on");
  }
  const bool sizes_given = !options.begin.empty() || !options.end.empty() || options.factor != 0 ||
                           !options.step.empty();
  if (sizes_given && !options.workload.empty()) {
    throw usage_error("sizes come from --workload or from -b, -e, -f, -i, not from both");
  }
  if (sizes_given) {
    spec.sizes = sizes_of(options);
    spec.workload_sizes = false;
  } else if (!options.workload.empty()) {
    // The job's own sizes and types replace the spec's; its collectives still select among them.
    spec.workload_sizes = true;
    spec.sizes.clear();
    if (options.dtypes.empty()) spec.dtypes.clear();
  } else if (options.spec_file.empty()) {
    spec.sizes = sizes_of(options);
  }
  if (!spec.workload_sizes && spec.dtypes.empty()) spec.dtypes = {DataType::float32};
  if (!spec.workload_sizes && spec.collectives.empty()) {
    spec.collectives = {Collective::all_gather, Collective::reduce_scatter};
  }
}

void apply_how(const SweepOptions& options, SweepSpec& spec) {
  if (options.iters != 0) spec.iters = options.iters;
  if (options.warmup_iters >= 0) spec.warmup_iters = options.warmup_iters;
  if (options.check >= 0) spec.verify = options.check != 0;
  if (options.rounds != 0) spec.rounds = options.rounds;
  if (options.no_prune) spec.prune = false;
  if (options.no_alarm) spec.alarm = false;
  if (!options.evidence.empty()) spec.evidence = options.evidence;
  if (!options.load.empty()) spec.load = options.load;
  if (!options.budget.empty()) {
    spec.budget = parse_duration(options.budget, "--budget");
    if (spec.budget.count() <= 0) throw usage_error("a budget of nothing", "--budget");
  }
  std::set<std::string> varied;
  for (const std::string& text : options.vary) {
    Axis axis = axis_of(text);
    if (!varied.insert(axis.knob).second) {
      throw usage_error(fmt::format("'{}' is varied twice", axis.knob), "--vary",
                        "give all its values at once: NAME=a,b,c");
    }
    std::erase_if(spec.axes, [&](const Axis& old) { return old.knob == axis.knob; });
    spec.axes.push_back(std::move(axis));
  }
}

}  // namespace

std::string best_backend() {
#ifdef NCCL_SWEEP_HAVE_CUDA
  if (agent::gpu_count() > 0) return "nccl";
#endif
  return "host";
}

void add_sweep_options(CLI::App& app, SweepOptions& o) {
  const std::string what = "What to measure";
  app.add_option("spec", o.spec_file, "sweep spec (JSON); specs that ship are in sweeps/");
  app.add_option("--vary", o.vary, "NAME=a,b,c: a knob and its values; can be repeated")
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("--collective", o.collectives, "all_gather, reduce_scatter, all_reduce ...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("-b,--minbytes", o.begin, "smallest size: 8, 64K, 1.5G")->group(what);
  app.add_option("-e,--maxbytes", o.end, "largest size")->group(what);
  app.add_option("-f,--stepfactor", o.factor, "factor from size to size (default 2)")->check(between(2, 1 << 20))
      ->group(what);
  app.add_option("-i,--stepbytes", o.step, "step from size to size, instead of -f")->group(what);
  app.add_option("-n,--iters", o.iters,
                 "nccl-tests' recipe: one block of N ops (default: blocks by the method)")
      ->check(between(1, kMostOps))
      ->group(what);
  app.add_option("-w,--warmup_iters", o.warmup_iters, "warm-up ops with -n (default 1)")
      ->check(between(0, kMostOps))
      ->group(what);
  app.add_option("-c,--check", o.check, "0: do not verify the data")->check(between(0, 1000))
      ->group(what);
  app.add_option("-d,--datatype", o.dtypes, "float32, bfloat16 ... (nccl-tests' words too)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("-o,--op", o.op, "sum, prod, max, min, avg")->group(what);
  app.add_option("--placement", o.placements, "out_of_place, in_place")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("--group", o.group, "world, node, rail or stride/size such as 1/8")->group(what);
  app.add_option("--graph", o.graphs, "on: ops captured into a CUDA graph; off,on: both")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("--workload", o.workload, "sizes and weights from this workload file")
      ->group(what);
  const std::string where = "On what";
  app.add_option("--backend", o.backend, "nccl, host or model (default: nccl where GPUs are)")
      ->group(where);
  app.add_option("--model", o.model, "simulated fabric: a name in sweeps/models or a file")
      ->group(where);
  app.add_option("--ranks", o.ranks, "simulated ranks of a model")->check(between(1, kMostRanks))
      ->group(where);
  app.add_option("--workers", o.workers, "workers of each agent (MPI rank)")->check(between(1, kMostWorkers))
      ->group(where);
  app.add_flag("--allow-hidden-gpus", o.allow_hidden_gpus,
               "go on where agents do not see the GPUs of their node's other agents")
      ->group(where);
  const std::string how = "How";
  app.add_option("--only", o.only, "the baseline and this candidate alone: \"NAME=VALUE ...\"")
      ->group(how);
  app.add_option("--rounds", o.rounds, "fixed design: every candidate in each of N rounds")
      ->check(between(1, kMostRounds))
      ->group(how);
  app.add_option("--budget", o.budget, "stop after this time: 90s, 30m, 2h")->group(how);
  app.add_flag("--no-prune", o.no_prune, "measure settings that are predicted to be alike, too")
      ->group(how);
  app.add_flag("--no-alarm", o.no_alarm, "no setting that should equal the default rides along")
      ->group(how);
  app.add_option("--evidence", o.evidence,
                 "read NCCL's log after the decision: of the finalist, all, none")
      ->group(how);
  app.add_option("--load", o.load,
                 "a kernel to run beside the ops after the decision: fma, copy, none")
      ->group(how);
  app.add_option("--seed", o.seed, "order of trials and data (default: from the clock)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(how);
  app.add_option("--override-pinned", o.override_pinned,
                 "vary NAME although the environment sets it")
      ->allow_extra_args(false)
      ->group(how);
  app.add_option("--allow", o.allow, "vary NAME although it is fabric policy or can corrupt data")
      ->allow_extra_args(false)
      ->group(how);
  app.add_option("--policy", o.policy,
                 "restrictions of this file too, beside /etc/nccl-sweep/policy.json")
      ->group(how);
}

void add_stage_option(CLI::App& app, std::string& stage) {
  app.add_option("--stage", stage,
                 "copy worker and libraries to the nodes' own disks: always, never, auto (default: "
                 "from network file systems)")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
}

SweepSpec spec_of(const SweepOptions& options, const std::string& default_name) {
  SweepSpec spec;
  if (!options.spec_file.empty()) {
    spec = load_spec(find_spec(options.spec_file, data_folder()));
  } else {
    spec.name = default_name;
  }
  if (!options.backend.empty()) {
    spec.backend = options.backend;
    if (spec.backend != "model" && options.model.empty()) {
      spec.model.clear();
      spec.ranks = 0;
    }
  }
  if (!options.model.empty()) {
    if (options.backend.empty()) spec.backend = "model";
    spec.model = options.model;
  }
  if (options.ranks > 0) spec.ranks = options.ranks;
  if (options.ranks > 0 && spec.backend != "model") {
    throw usage_error("only a model has ranks to choose", "--ranks", "use --workers, or mpirun -np");
  }
  if (spec.backend.empty()) spec.backend = best_backend();
  apply_what(options, spec);
  apply_how(options, spec);
  return parse_spec(to_json_text(spec, -1),
                    options.spec_file.empty() ? "the options" : options.spec_file);
}

}  // namespace nccl_sweep::cli
