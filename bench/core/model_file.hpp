// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulated fabric (sweeps/models/*.json): its rates, its noise, its planted faults, and the
// knobs that it understands under their real names. The CLI reads name, ranks and knobs; the model
// backend gets the text and calculates (worker/model/). Format: sweeps/schemas/model.schema.json.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collective.hpp"
#include "core/knob.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

// time = latency + latency_per_rank x n + latency_per_stream x streams + size x busbw factor /
// rate, rate = min(link, stream x streams) in busbw. Bandwidths of 0 mean: no such limit.
struct ModelRates {
  Seconds latency{0};
  Seconds latency_per_rank{0};
  Seconds latency_per_stream{0};
  Bandwidth link;
  Bandwidth stream;
};

using KnobValues = std::map<std::string, std::string>;  // all of them must match

// Multiplies what it names, where the knobs have these values.
struct ModelEffect {
  KnobValues when;
  std::optional<Collective> collective;
  Bytes from;  // sizes from .. to, inclusive; to 0: no limit
  Bytes to;
  double bandwidth = 1;
  double latency = 1;
  double cpu = 1;
};

enum class ModelDistribution { gaussian, two_humped, outliers };

struct ModelNoise {
  struct Band {
    Bytes up_to;    // 0: all larger sizes
    double cv = 0;  // coefficient of variation
  };
  ModelDistribution distribution = ModelDistribution::gaussian;  // of the launches
  std::vector<Band> launch;                                      // between trials
  double shared = 0.5;  // part of the launch variance that all cases of a trial have in common
  double block = 0;     // cv between the blocks of a trial
  double rank = 0;      // cv between the workers
  double drift_per_trial = 0;
  double first_trial = 1;  // factor of trial 0, the burn-in
};

enum class ModelFaultKind {
  hang,          // never returns; ends when aborted
  stuck,         // stops itself: only SIGKILL ends it
  crash,         // abort()
  exit,          // leaves without a word
  garbage,       // writes junk to the agent's socket
  flood,         // writes to stdout without end
  flood_frames,  // sends progress frames without end
  wrong_data,    // verification finds wrong elements
  error,         // reports an error
  unsupported,   // reports that it cannot do this
  slow           // takes `factor` times as long
};
enum class ModelFaultPhase { hello, connect, measure, drain };

struct ModelFault {
  KnobValues when;  // empty: any candidate
  int trial = -1;   // -1: any trial
  ModelFaultKind kind = ModelFaultKind::error;
  ModelFaultPhase phase = ModelFaultPhase::measure;
  int rank = 0;         // of the workers; -1: all
  int case_index = -1;  // measure only; -1: any
  double factor = 10;   // slow only
};

struct ModelFile {
  std::string name;
  std::string description;
  int ranks = 0;  // that the figures stand for
  int ranks_per_node = 1;
  std::string device;  // "" : the name
  std::vector<Knob> knobs;
  std::string text;  // the whole file: what the workers get

  ModelRates common;
  std::map<Collective, ModelRates> rates;  // complete, `common` where nothing else was said
  std::string streams_knob;                // its value is the number of streams; "": one
  double cpu_per_worker = 0;               // CPU seconds a second, without streams
  double cpu_per_stream = 0;
  std::vector<ModelEffect> effects;
  ModelNoise noise;
  std::vector<ModelFault> faults;
};

// Throw a usage Error with file and JSON pointer: unknown key (did-you-mean), wrong type, a knob
// that is used but not declared.
ModelFile load_model(const std::filesystem::path& file);
ModelFile parse_model(std::string_view text, std::string_view where);

}  // namespace nccl_sweep
