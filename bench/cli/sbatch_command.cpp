// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a batch script for a sweep: plans it as `plan` would for that many nodes, and turns the
// options of the sweep into the command that the script runs.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/sbatch_contradictions.hpp"
#include "cli/sweep_options.hpp"
#include "cli/sweep_setup.hpp"
#include "cli/version.hpp"
#include "core/knob.hpp"
#include "report/sbatch_script.hpp"
#include "report/whole_file.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

struct SbatchOptions {
  SweepOptions sweep;
  SbatchScript script;
  std::vector<std::string> sweep_words;  // its options as they were given
  std::string agents_per_node = "1";     // or "gpu"
  std::string launcher;
  std::string container;
  std::string time;
  std::string program;
  std::string file;
  std::string stage = "auto";
  bool dry_run = false;
};

// The options that belong to the sweep, for `nccl-sweep run` in the job.
std::vector<std::string> words_of_sweep(const CLI::App& command, const CLI::App& sweep_only) {
  std::vector<std::string> words;
  for (const CLI::Option* known : sweep_only.get_options()) {
    const std::string name = known->get_name();
    if (name == "--help") continue;
    const CLI::Option* given = command.get_option(name);
    if (given->count() == 0) continue;
    if (given->get_expected_max() == 0) {  // a flag
      words.push_back(name);
    } else if (given->get_delimiter() != '\0') {
      const std::string between(1, given->get_delimiter());
      words.push_back(name);
      words.push_back(fmt::format("{}", fmt::join(given->results(), between)));
    } else {
      for (const std::string& value : given->results()) {
        if (!given->get_positional()) words.push_back(name);
        words.push_back(value);
      }
    }
  }
  return words;
}

SlurmLauncher launcher_of(const SbatchOptions& options) {
  const bool pyxis = options.script.container == Container::pyxis;
  if (options.launcher.empty()) return pyxis ? SlurmLauncher::srun : SlurmLauncher::mpirun;
  if (options.launcher == "mpirun" && pyxis) {
    throw usage_error("mpirun cannot start ranks in a pyxis container", "--launcher",
                      "use srun, which needs PMIx in Slurm and in the image's MPI");
  }
  if (options.launcher == "mpirun") return SlurmLauncher::mpirun;
  if (options.launcher == "srun") return SlurmLauncher::srun;
  throw usage_error(fmt::format("unknown launcher '{}'", options.launcher), "--launcher",
                    "mpirun or srun");
}

Container container_of(const SbatchOptions& options) {
  const bool image = !options.script.image.empty();
  if (!image && (!options.container.empty() || !options.script.mounts.empty())) {
    throw usage_error("a container needs --container-image");
  }
  if (!image) return Container::none;
  if (options.container.empty() || options.container == "pyxis") return Container::pyxis;
  if (options.container == "apptainer") return Container::apptainer;
  if (options.container == "singularity") return Container::singularity;
  throw usage_error(fmt::format("unknown kind of container '{}'", options.container),
                    "--container", "pyxis, apptainer or singularity");
}

int agents_of(const SbatchOptions& options) {
  if (options.agents_per_node == "1") return 1;
  if (options.agents_per_node == "gpu" && options.script.gpus_per_node > 0) {
    return options.script.gpus_per_node;
  }
  throw usage_error(fmt::format("'{}' agents on a node", options.agents_per_node),
                    "--agents-per-node", "1, or gpu with --gpus-per-node");
}

// The program and what it reads must be there inside, unless it is the image's own.
void mount_program(SbatchOptions& options) {
  SbatchScript& script = options.script;
  script.program = options.program;
  if (!options.program.empty()) return;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  script.program = self.string();
  if (script.container == Container::none) return;
  const std::string prefix = self.parent_path().parent_path().string();
  refuse_prefix_of_images(prefix);
  const std::string data = data_folder().string();
  script.mounts.push_back(prefix);
  if (!data.starts_with(prefix + "/")) script.mounts.push_back(data);
}

void use_gpus(SbatchOptions& options) {
  const int gpus = options.script.gpus_per_node;
  SweepOptions& sweep = options.sweep;
  // A login node has no GPU, so that `run` would choose the host backend there.
  if (gpus > 0 && sweep.spec_file.empty() && sweep.backend.empty() && sweep.model.empty()) {
    sweep.backend = "nccl";
    options.sweep_words.insert(options.sweep_words.end(), {"--backend", "nccl"});
  }
  if (gpus > 0 && sweep.workers == 0 && spec_of(sweep, "sweep").backend == "nccl") {
    sweep.workers = gpus / options.script.agents_per_node;  // for the plan; the job counts its own
  }
}

// The nodes to come are taken to be like this one, as `plan` does.
PreparedRun planned(const SbatchOptions& options) {
  const SbatchScript& script = options.script;
  agent::Machine here = agent::this_machine();
  here.switches.clear();
  std::vector<agent::Machine> machines;
  for (int i = 0; i < script.nodes * script.agents_per_node; ++i) {
    machines.push_back(here);
    machines.back().host += fmt::format("-{}", i / script.agents_per_node);
  }
  PreparedRun run = prepare_run(options.sweep, "sweep", machines);
  if (run.spec.backend == "nccl" && script.gpus_per_node == 0) {
    throw usage_error("the nccl backend needs GPUs", "--gpus-per-node", "say how many a node has");
  }
  return run;
}

// As long as the longest plan takes, a quarter more and five minutes to start.
void set_times(SbatchScript& script, const PreparedRun& run, const std::string& wanted) {
  const PlannedTrials trials = planned_trials(run);
  const double trial = trials.expected > 0 ? estimated_seconds(run) / trials.expected : 0;
  const double longest = trials.maximum * trial;
  const double limit =
      wanted.empty() ? 1.25 * longest + 300 : parse_duration(wanted, "--time").count();
  script.minutes = std::max(1, static_cast<int>(std::ceil(limit / 60)));
  constexpr double kLeastNotice = 120;
  script.notice_seconds = static_cast<int>(60 * std::ceil(std::max(kLeastNotice, 3 * trial) / 60));
  script.plan = fmt::format("{} candidates x {} cases, {}, at most {}", run.plan.candidates.size(),
                            run.plan.cases.size(), to_string(trials),
                            format_seconds(Seconds{longest}));
  if (run.spec.backend == "nccl") {
    script.plan += fmt::format(", {:.2f} GPU-h", run.plan.ranks * longest / 3600);
  }
}

SbatchScript script_of(SbatchOptions options, const std::vector<std::string>& argv) {
  SbatchScript& script = options.script;
  refuse_contradictions(script);
  if (!script.array_nodes.empty()) {
    script.nodes = *std::max_element(script.array_nodes.begin(), script.array_nodes.end());
  }
  script.agents_per_node = agents_of(options);
  script.container = container_of(options);
  script.launcher = launcher_of(options);
  mount_program(options);
  use_gpus(options);
  const PreparedRun run = planned(options);
  script.name = run.spec.name;
  set_times(script, run, options.time);
  std::vector<std::string> command{"nccl-sweep"};
  for (std::size_t i = 1; i < argv.size(); ++i) command.push_back(shell_word(argv[i]));
  script.command = fmt::format("{} (version {})", fmt::join(command, " "), kVersion);
  script.sweep = options.sweep_words;
  if (options.sweep.allow_hidden_gpus) script.resumed.push_back("--allow-hidden-gpus");
  if (options.stage != "auto") {
    for (auto* words : {&script.sweep, &script.resumed}) {
      words->insert(words->end(), {"--stage", options.stage});
    }
  }
  return script;
}

ExitCode sbatch(const SbatchOptions& options, const std::vector<std::string>& argv) {
  const SbatchScript script = script_of(options, argv);
  if (options.dry_run) {
    fmt::print("{}", to_text(script));
    return ExitCode::ok;
  }
  const fs::path file = options.file.empty() ? job_name(script.name) + ".sbatch" : options.file;
  if (fs::exists(file)) {
    throw usage_error("is there already, perhaps edited", file.string(),
                      "remove it, name another with --file, or print with --dry-run");
  }
  write_whole_file(file, to_text(script));
  const bool array = !script.array_nodes.empty() || !script.array_partitions.empty() ||
                     !script.array_switches.empty();
  fmt::print("wrote {}\n", file.string());
  fmt::print("plan  {}\n", script.plan);
  fmt::print("limit {} min; where it is not enough the job requeues itself and goes on\n",
             script.minutes);
  fmt::print("next: {} {}\n", array ? "bash" : "sbatch", file.string());
  return ExitCode::ok;
}

void add_job_options(CLI::App& app, SbatchOptions& o) {
  const std::string job = "The job";
  SbatchScript& s = o.script;
  s.nodes = 0;
  app.add_option("--nodes", s.nodes, "nodes of the job")->check(CLI::PositiveNumber.description(""))
      ->group(job);
  app.add_option("--gpus-per-node", s.gpus_per_node, "GPUs to ask for on each node")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(job);
  app.add_option("--agents-per-node", o.agents_per_node,
                 "1, or gpu: one for each GPU (each still sees all of them)")
      ->capture_default_str()
      ->group(job);
  app.add_option("--partition", s.partition, "Slurm partition")->group(job);
  app.add_option("--account", s.account, "Slurm account")->group(job);
  app.add_option("--switches", s.switches,
                 "N or N@TIME: under at most N leaf switches; Slurm waits so long for them")
      ->group(job);
  app.add_option("--time", o.time, "time limit: 30m, 2h (default: from the plan)")->group(job);
  app.add_option("--launcher", o.launcher, "mpirun or srun (default: mpirun; pyxis: srun)")
      ->group(job);
  app.add_option("--array-nodes", s.array_nodes, "a job array: the sweep on 2,4,8 nodes")
      ->delimiter(',')
      ->check(CLI::PositiveNumber.description(""))
      ->group(job);
  app.add_option("--array-partitions", s.array_partitions, "a job array: the sweep on a,b")
      ->delimiter(',')
      ->group(job);
  app.add_option("--array-switches", s.array_switches,
                 "a job array: the sweep under exactly 1,2,4 leaf switches")
      ->delimiter(',')
      ->group(job);
}

void add_container_options(CLI::App& app, SbatchOptions& o) {
  const std::string group = "Container";
  app.add_option("--container-image", o.script.image, "image to run in")->group(group);
  app.add_option("--container", o.container, "pyxis (default), apptainer or singularity")
      ->group(group);
  app.add_option("--container-mounts", o.script.mounts,
                 "/a,/b:/c: beside this folder, TMPDIR, the program and NCCL's files")
      ->delimiter(',')
      ->group(group);
  app.add_option("--program", o.program, "nccl-sweep as the nodes see it (default: this one)")
      ->group(group);
}

}  // namespace

void add_sbatch_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv) {
  auto options = std::make_shared<SbatchOptions>();
  CLI::App* command = app.add_subcommand(
      "sbatch", "Write a Slurm batch script that runs a sweep, and goes on after its time limit");
  add_sweep_options(*command, options->sweep);
  add_job_options(*command, *options);
  add_container_options(*command, *options);
  add_stage_option(*command, options->stage);
  command->add_option("--file", options->file, "script to write (default: NAME.sbatch)");
  command->add_flag("--dry-run", options->dry_run, "print the script, write nothing");
  command->callback([options, &chosen, command, argv] {
    SweepOptions unused;
    CLI::App sweep_only;
    add_sweep_options(sweep_only, unused);
    options->sweep_words = words_of_sweep(*command, sweep_only);
    chosen = [options, argv] { return sbatch(*options, argv); };
  });
}

}  // namespace nccl_sweep::cli
