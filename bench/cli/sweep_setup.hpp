// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From options and machines to a run that can start: reads spec, catalogue, model and workload,
// refuses what must not be varied here, expands the plan, and writes down what the run record
// says. Rank 0 only. Nothing is written to disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/machine.hpp"
#include "agent/setup.hpp"
#include "analysis/experiment.hpp"
#include "cli/sweep_options.hpp"
#include "core/plan.hpp"
#include "core/records.hpp"

namespace nccl_sweep::cli {

// A run that can start (or go on).
struct PreparedRun {
  SweepSpec spec;
  SweepPlan plan;
  agent::Setup setup;             // run_folder, keep_logs and phase_timeout are the command's
  RunRecord record;
  std::vector<std::string> warnings;
};

// `machines`: one an agent, rank 0 first. Throws usage and environment Errors.
PreparedRun prepare_run(const SweepOptions& options, const std::string& default_name,
                        const std::vector<agent::Machine>& machines);

// The same for a run that goes on: spec, candidates, cases and seed come from its record. Throws a
// usage Error that names what is no longer the same (worker binary, hosts, model). Of the options
// only the policy counts.
PreparedRun prepare_resume(const RunRecord& record, const SweepOptions& options,
                           const std::vector<agent::Machine>& machines);

// Which CPUs each worker gets, into the setup, the record and the warnings. Throws a usage Error
// where a candidate's list names no CPU that a machine allows.
void bind_workers(PreparedRun& run, const std::vector<agent::Machine>& machines);

// What is to be known before anything is timed: files, pinned variables, hidden GPUs.
void add_notes(PreparedRun& run, const std::vector<agent::Machine>& machines);

// Where nodes differ in what decides the figures: throws an environment Error, or, where that is
// allowed, says it in the record and the warnings.
void check_parity(PreparedRun& run, const std::vector<agent::Machine>& machines, bool allowed);

// Throws an environment Error where a launcher hides the GPUs of a node's other agents from each.
void refuse_hidden_gpus(const PreparedRun& run, const std::vector<agent::Machine>& machines);

// Which files the nodes are to copy to their own disks, into the setup and the record: the worker
// program and the libraries that candidates name; with "auto" those on network file systems, with
// "always" all, with "never" none.
void choose_staged(PreparedRun& run, const std::string& mode);

// Throws an environment Error where a machine has fewer GPUs than workers. `plan` does without: it
// is often asked for on a login node.
void check_devices(const PreparedRun& run, const std::vector<agent::Machine>& machines);

// The evidence and load trials at the end of a run; only GPUs have them.
ClosingTrials closing_trials(const SweepSpec& spec);

// The setting that is predicted to equal the baseline and rides along to find out: the first such
// of `collapsed`, counted on from the candidates. Nothing where there is none, or it is not wanted.
std::optional<int> twin_of(const RunRecord& record, const SweepSpec& spec);

// The experiment that the record describes.
std::unique_ptr<TrialQueue> make_experiment(const RunRecord& record);

// What the plan's expected trials will take here, in seconds.
PlannedTrials planned_trials(const PreparedRun& run);
double estimated_seconds(const PreparedRun& run);

// First lines of `run` and `plan`: fabric, files, pinned variables, plan with its price.
std::vector<std::string> head_lines(const PreparedRun& run);
std::vector<std::string> note_lines(const PreparedRun& run);  // their notes and warnings alone

// The worker executable beside this one, or $NCCL_SWEEP_WORKER.
std::string worker_program();

}  // namespace nccl_sweep::cli
