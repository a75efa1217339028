// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_setup.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/fabric.hpp"
#include "cli/placement.hpp"
#include "cli/pruning.hpp"
#include "cli/site_policy.hpp"
#include "cli/version.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/model_file.hpp"
#include "core/words.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

fs::path model_path(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos || fs::is_regular_file(name, ignored)) return name;
  return data_folder() / "models" / (name.ends_with(".json") ? name : name + ".json");
}

// The model that the spec names, its knobs added to the catalogue; nothing on real backends.
std::optional<ModelFile> model_of(const SweepSpec& spec, KnobCatalogue& catalogue) {
  if (spec.backend != "model") return std::nullopt;
  ModelFile model = load_model(model_path(spec.model));
  for (const Knob& knob : model.knobs) catalogue.add(knob);
  return model;
}

int default_workers(const std::string& backend, const std::vector<agent::Machine>& machines,
                    const agent::Machine& here) {
  const auto agents_here =
      std::count_if(machines.begin(), machines.end(),
                    [&](const agent::Machine& other) { return other.host == here.host; });
  if (backend == "nccl") {
    const int share = static_cast<int>(here.gpus.size()) / static_cast<int>(agents_here);
    const int visible = static_cast<int>(here.gpu_cpus.size());
    return std::max(1, visible > 0 ? std::min(share, visible) : share);
  }
  if (backend == "model" || machines.size() > 1) return 1;
  constexpr int kMost = 4;
  return std::clamp(here.cores, 2, kMost);
}

// The numbers of "workers=8,8,4" in a run's identity, one an agent.
std::vector<int> workers_of(const std::string& identity) {
  std::vector<int> counts;
  for (const std::string_view word : words_of(identity)) {
    if (!word.starts_with("workers=")) continue;
    std::istringstream numbers{std::string(word.substr(8))};
    for (std::string number; std::getline(numbers, number, ',');) {
      counts.push_back(std::atoi(number.c_str()));
    }
  }
  return counts;
}

agent::Layout layout_for(const std::string& backend, int workers,
                         const std::vector<agent::Machine>& machines) {
  agent::Layout layout;
  for (const agent::Machine& machine : machines) {
    layout.host_of_agent.push_back(machine.host);
    layout.workers_of_agent.push_back(workers > 0 ? workers
                                                  : default_workers(backend, machines, machine));
  }
  return layout;
}

// The library variables, and whatever else the sweep varies (a model's knobs have any name).
agent::Variables site_variables(const SweepSpec& spec, agent::Variables site) {
  for (const Axis& axis : spec.axes) {
    const char* value = std::getenv(axis.knob.c_str());
    if (value != nullptr) site[axis.knob] = value;
  }
  return site;
}

// An administrator set it for a reason: varying it takes a word.
void refuse_pinned(const SweepSpec& spec, const KnobCatalogue& catalogue,
                   const agent::Variables& site, const agent::Variables& conf,
                   const SweepOptions& options) {
  const auto check = [&](const std::string& name, const agent::Variables& set, const char* by) {
    const auto pinned = set.find(name);
    if (pinned == set.end() || contains(options.override_pinned, name)) return;
    throw usage_error(fmt::format("{} is pinned to '{}' by {}, and the sweep would vary it", name,
                                  pinned->second, by),
                      spec.name, fmt::format("leave it out, or add --override-pinned {}", name));
  };
  for (const Axis& axis : spec.axes) {
    const Knob& knob = catalogue.require(spec.backend, axis.knob, spec.name);
    check(axis.knob, site, "the environment of this run");
    check(axis.knob, conf, "a conf file of NCCL");
    if (knob.knob_class != KnobClass::tuning && !contains(options.allow, axis.knob)) {
      throw usage_error(fmt::format("{} is of class {}: {}", axis.knob, to_string(knob.knob_class),
                                    knob.danger.empty() ? knob.summary : knob.danger),
                        spec.name, fmt::format("add --allow {}", axis.knob));
    }
  }
}

// What must be the same for a run to go on, as words that can be compared one by one.
std::string identity_of(const agent::Setup& setup) {
  return fmt::format("version={} worker={} hosts={:016x} workers={} model={:016x}", kVersion,
                     checksum_of(setup.worker_program),
                     fnv1a(fmt::format("{}", fmt::join(setup.layout.host_of_agent, ","))),
                     fmt::join(setup.layout.workers_of_agent, ","), fnv1a(setup.model));
}

agent::Setup setup_of(const SweepSpec& spec, const KnobCatalogue& catalogue, const SweepPlan& plan,
                      const agent::Layout& layout, const WorkerPlaces& places,
                      const ModelFile* model, std::uint64_t seed, const agent::Variables& site) {
  agent::Setup setup;
  setup.backend = spec.backend;
  setup.candidates = plan.candidates;
  for (const Collapsed& c : plan.collapsed) setup.candidates.push_back(c.candidate);
  for (const Axis& axis : spec.axes) {
    const Knob& knob = catalogue.require(spec.backend, axis.knob, spec.name);
    if (knob.kind == KnobKind::environment) setup.environment_knobs.push_back(axis.knob);
  }
  setup.cases = plan.cases;
  setup.partitions = plan.partitions;
  setup.partition_of_case = plan.partition_of_case;
  order_ranks(setup, plan, places);
  if (model != nullptr) {
    setup.model = model->text;
    setup.simulated_ranks = plan.ranks;
  }
  setup.arena = plan.arena;
  setup.parity_iters = spec.iters;
  setup.verify = spec.verify;
  setup.load = spec.load == "none" ? "" : spec.load;
  setup.load_ctas = spec.load_ctas;
  setup.seed = seed;
  setup.site = site;
  setup.layout = layout;
  setup.worker_program = worker_program();
  return setup;
}

RunRecord record_of(const PreparedRun& run, const std::vector<agent::Machine>& machines,
                    const ModelFile* model) {
  RunRecord record;
  record.version = kVersion;
  record.spec = to_json_text(run.spec, -1);
  record.name = run.spec.name;
  record.backend = run.spec.backend;
  record.simulated = run.spec.backend == "model";
  record.seed = run.setup.seed;
  record.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  record.environment = run.setup.site;
  record.fabric = fabric_of(run.spec.backend, machines, run.setup.layout, run.plan.ranks, model);
  record.ranks = run.plan.ranks;
  record.agents = static_cast<int>(machines.size());
  record.workers = run.setup.layout.workers();
  record.placement = placement_of(machines, agent::process_environment());
  record.candidates = run.plan.candidates;
  record.collapsed = run.plan.collapsed;
  record.cases = run.plan.cases;
  record.smallest_gain = run.spec.smallest_gain;
  record.arena = run.plan.arena;
  record.identity = identity_of(run.setup);
  return record;
}

std::vector<int> node_of_rank(const SweepSpec& spec, const agent::Layout& layout,
                              const ModelFile* model) {
  const int declared = model == nullptr ? 0 : spec.ranks > 0 ? spec.ranks : model->ranks;
  if (declared == 0) return layout.node_of_rank();
  if (declared < layout.workers()) {
    throw usage_error(fmt::format("{} workers for {} simulated ranks", layout.workers(), declared),
                      spec.name, "fewer --workers, or more --ranks");
  }
  std::vector<int> nodes;
  const int per_node = std::max(1, model->ranks_per_node);
  for (int rank = 0; rank < declared; ++rank) nodes.push_back(rank / per_node);
  return nodes;
}

}  // namespace

std::string worker_program() {
  const char* set = std::getenv("NCCL_SWEEP_WORKER");
  if (set != nullptr && *set != '\0') return set;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path worker = self.parent_path() / "nccl-sweep-worker";
  if (error || access(worker.c_str(), X_OK) != 0) {
    throw environment_error("no nccl-sweep-worker beside nccl-sweep", worker.string(),
                            "install both, or set NCCL_SWEEP_WORKER");
  }
  return worker.string();
}

PreparedRun prepare_run(const SweepOptions& options, const std::string& default_name,
                        const std::vector<agent::Machine>& machines) {
  PreparedRun run;
  run.spec = spec_of(options, default_name);
  KnobCatalogue catalogue = KnobCatalogue::load(data_folder() / "knobs");
  const std::optional<ModelFile> model = model_of(run.spec, catalogue);
  std::optional<Workload> workload;
  if (!options.workload.empty()) workload = load_workload(options.workload);
  const ModelFile* simulated = model ? &*model : nullptr;
  const agent::Layout layout = layout_for(run.spec.backend, options.workers, machines);
  const std::vector<int> nodes = node_of_rank(run.spec, layout, simulated);
  if (nodes.size() < 2) {
    throw usage_error("one rank alone has nobody to talk to", run.spec.name,
                      "use --workers 2, or more MPI ranks");
  }
  run.plan = expand(run.spec, catalogue, workload ? workload->cases : std::vector<WorkloadCase>{},
                    nodes);
  const agent::Variables site = site_variables(run.spec, machines.front().library);
  const agent::Variables conf = run.spec.backend == "nccl"
                                    ? machines.front().conf.value_or(agent::Variables{})
                                    : agent::Variables{};
  refuse_pinned(run.spec, catalogue, site, conf, options);
  const WorkerPlaces places = worker_places(nodes, machines);
  choose_candidates(run.plan, run.spec, catalogue, places, site, machines, options.only);
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::uint64_t seed = options.seed != 0 ? options.seed : static_cast<std::uint64_t>(now);
  run.setup = setup_of(run.spec, catalogue, run.plan, layout, places, simulated, seed, site);
  run.record = record_of(run, machines, simulated);
  if (workload && run.spec.workload_sizes) {
    run.record.workload = WorkloadSummary{
        workload->name, workload->sources.empty() ? "" : workload->sources.front().format,
        workload->iterations};
  }
  obey_policy(run, catalogue, options.policy, machines);
  bind_workers(run, machines);
  add_notes(run, machines);
  run.record.estimated_seconds = estimated_seconds(run);
  check_price(run);
  return run;
}

PreparedRun prepare_resume(const RunRecord& record, const SweepOptions& options,
                           const std::vector<agent::Machine>& machines) {
  PreparedRun run;
  run.record = record;
  run.spec = parse_spec(record.spec, "the run's spec");
  KnobCatalogue catalogue = KnobCatalogue::load(data_folder() / "knobs");
  const std::optional<ModelFile> model = model_of(run.spec, catalogue);
  const ModelFile* simulated = model ? &*model : nullptr;
  agent::Layout layout = layout_for(run.spec.backend, 1, machines);
  const std::vector<int> workers = workers_of(record.identity);
  if (workers.size() != machines.size()) {
    throw usage_error(fmt::format("the run was begun with {} agents, now there are {}",
                                  workers.size(), machines.size()),
                      {}, "start as many MPI ranks as then");
  }
  layout.workers_of_agent = workers;
  const std::vector<int> nodes = node_of_rank(run.spec, layout, simulated);
  run.plan.candidates = record.candidates;
  run.plan.collapsed = record.collapsed;
  run.plan.cases = record.cases;
  run.plan.ranks = static_cast<int>(nodes.size());
  run.plan.arena = record.arena;
  partition_index(run.plan, GroupShape{}, false, nodes);
  for (const Case& c : record.cases) {
    run.plan.partition_of_case.push_back(partition_index(run.plan, c.group, c.graph, nodes));
  }
  run.setup = setup_of(run.spec, catalogue, run.plan, layout, worker_places(nodes, machines),
                       simulated, record.seed, record.environment);
  obey_policy(run, catalogue, options.policy, machines);
  bind_workers(run, machines);
  const std::string identity = identity_of(run.setup);
  const std::vector<std::string_view> then = words_of(record.identity);
  const std::vector<std::string_view> today = words_of(identity);
  for (std::size_t i = 0; i < then.size(); ++i) {
    if (i >= today.size() || then[i] != today[i]) {
      throw usage_error(fmt::format("the run was begun with {}, now it is {}", then[i],
                                    i < today.size() ? today[i] : "nothing"),
                        {}, "resume on the same nodes with the same programs, or start a new run");
    }
  }
  return run;
}

ClosingTrials closing_trials(const SweepSpec& spec) {
  using Whom = ClosingTrials::Whom;
  ClosingTrials closing;
  if (spec.backend != "nccl") return closing;  // the others have no log to read, no GPU to load
  if (spec.evidence != "none") {
    closing.evidence = spec.evidence == "all" ? Whom::survivors : Whom::contenders;
  }
  if (spec.load != "none") closing.load = Whom::contenders;
  return closing;
}

std::optional<int> twin_of(const RunRecord& record, const SweepSpec& spec) {
  if (!spec.alarm || spec.rounds > 0 || record.candidates.size() < 2) return std::nullopt;
  for (std::size_t i = 0; i < record.collapsed.size(); ++i) {
    if (record.collapsed[i].equal_to == 0) return static_cast<int>(record.candidates.size() + i);
  }
  return std::nullopt;
}

std::unique_ptr<TrialQueue> make_experiment(const RunRecord& record) {
  const SweepSpec spec = parse_spec(record.spec, "the run's spec");
  const int candidates = static_cast<int>(record.candidates.size());
  const ClosingTrials closing = closing_trials(spec);
  if (spec.rounds > 0) {
    return std::make_unique<FixedGrid>(candidates, spec.rounds, record.seed, closing);
  }
  ScreenConfirmOptions options;
  options.closing = closing;
  options.twin = twin_of(record, spec);
  options.rule.smallest_gain = record.smallest_gain;
  return std::make_unique<ScreenConfirm>(candidates, Score(record.cases), record.seed, options);
}

}  // namespace nccl_sweep::cli
