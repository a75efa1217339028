// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A sweep as the user writes it (sweeps/*.json, `//` comments allowed, or built from options).
// Reading checks form and words; expanding it against a machine is core/plan.hpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

struct Axis {
  std::string knob;
  std::vector<std::string> values;
};

struct SweepSpec {
  std::string name;
  std::string description;
  std::string backend;                 // "nccl", "host", "model"
  std::string model;                   // model backend: a name in sweeps/models or a file
  int ranks = 0;                       // model backend: simulated ranks; 0 = one a worker
  GroupShape group;
  std::vector<Collective> collectives; // empty with sizes "workload": all that the workload has
  std::vector<Bytes> sizes;            // list or expanded range, ascending as written
  bool workload_sizes = false;         // sizes: "workload"
  std::vector<DataType> dtypes;        // empty with sizes "workload": the workload's own
  ReduceOp op = ReduceOp::sum;
  std::vector<Placement> placements{Placement::out_of_place};
  std::vector<bool> graphs{false};     // launched, captured into a CUDA graph, or both
  std::vector<Axis> axes;              // empty: baseline only
  std::vector<std::map<std::string, std::string>> exclude;  // candidates that match are dropped
  int rounds = 0;                      // > 0: fixed design, all candidates in each round
  Seconds budget{0};                   // 0: none
  int iters = 0;                       // > 0: nccl-tests' recipe, one block of N ops
  int warmup_iters = -1;               // with iters; -1: by the method
  bool verify = true;
  double smallest_gain = 0.03;         // delta: a gain below it is "no gain"
  bool prune = true;                   // settings predicted to be alike are measured once
  bool alarm = true;                   // one of them rides along, to check the prediction
  std::string evidence = "finalist";   // trials with the log wide open: "finalist", "all", "none"
  std::string load = "fma";            // kernel to run beside the collective: "fma", "copy", "none"
  int load_ctas = 0;                   // its thread blocks at a time; 0: as many as fit
};

// Throws a usage Error with file and line: unknown key (did-you-mean), wrong type, bad word.
SweepSpec load_spec(const std::filesystem::path& file);
// `name` as it is, else a spec that ships: "ib-qps", "ib-qps.json" or "sweeps/ib-qps.json" in the
// data folder.
std::filesystem::path find_spec(const std::string& name, const std::filesystem::path& data_folder);
SweepSpec parse_spec(std::string_view json_text, std::string_view where);
std::string to_json_text(const SweepSpec&, int indent = 2);  // parse_spec reads it back

// from, from*factor, ... up to `to` inclusive.
std::vector<Bytes> size_range(Bytes from, Bytes to, int factor);

}  // namespace nccl_sweep
