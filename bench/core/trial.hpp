// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A trial is one fresh launch of one candidate, the unit of replication. Here are its order (what
// to launch), its outcome (a value, never an exception), and the interface between the sweep loop
// that runs trials and the experiment that decides which one is next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fact.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

enum class Stage {
  burn_in,   // first trial of a run (baseline): fixes n and K, never analysed
  screen,    // shuffled rounds, no claims
  confirm,   // fresh adjacent pairs of finalist and baseline
  grid,      // fixed design: `rounds` rounds over all candidates (also bench: baseline only)
  sentinel,  // baseline after a failure: is the machine still well? never analysed
  evidence,  // finalist and baseline once more, few ops, the library's log wide open: never timed
  load,      // finalist and baseline beside a load kernel: what the setting costs the compute
  alarm      // a setting predicted to be the baseline's equal, beside a confirmation pair (A/A)
};

struct TrialOrder {
  int index = 0;      // 0, 1, 2 ... in the order of execution; sentinels included
  Stage stage = Stage::grid;
  int round = 0;      // within its stage; for confirm: the pair's number
  int candidate = 0;  // index into the run's candidates
  bool operator==(const TrialOrder&) const = default;
};

enum class Phase { spawn, hello, connect, measure, drain };

// What became of a trial. Everything but complete costs this trial only.
enum class Outcome {
  complete,
  spawn_failed,   // the worker binary did not start
  crashed,        // died by a signal or exited without a result
  hung,           // no progress before the deadline
  garbage,        // spoke something that is not the wire protocol
  flooded,        // more log output or frames than the limit
  error,          // the backend reported an error (text in the message)
  unsupported,    // the backend cannot do this candidate x case here
  wrong_data,     // verification found wrong elements: disqualifies the candidate
  stopped         // soft stop before it was finished; not a failure
};

// Measured time of one case in one trial, already reduced over ranks.
struct CaseTiming {
  int case_index = 0;
  int ops_per_block = 0;                 // n
  std::vector<double> mean_seconds;      // per block: mean over ranks of time per op; slowest group
  std::vector<double> max_seconds;       // per block: slowest rank
  std::vector<int> slowest_rank;         // per block
  std::int64_t wrong_elements = -1;      // -1: not verified
  double cpu_seconds = 0;                // user + system over all workers, during the blocks
  double wall_seconds = 0;               // length of the blocks, slowest rank
  std::vector<double> device_seconds;    // per block, as mean_seconds but by the device's clock
  // Stage::load: seconds of the load kernel by itself and beside the collective, slowest rank.
  double load_alone_seconds = 0;
  double load_beside_seconds = 0;
};

// The trial's value for a case: the median block; rooted collectives use the maximum over ranks.
Seconds trial_value(const CaseTiming&, bool use_max);

// A rank that was the slowest of all ranks in some blocks of a trial.
struct SlowRank {
  int rank = -1;
  std::string host;
  int blocks = 0;     // in so many blocks, over all cases
  double excess = 0;  // by how much of the mean over ranks, on average over those blocks
};

// Of one figure a rank.
struct RankSeconds {
  double smallest = 0;
  double median = 0;
  double largest = 0;
};

struct Failure {
  Phase phase = Phase::spawn;
  int rank = -1;                  // the rank furthest behind, which gets the blame
  std::string host;
  int case_index = -1;            // where it was
  std::string step;               // "warm-up", "block 3 of 5", "verify" ...
  std::string message;            // one line
  std::vector<int> waiting_ranks; // the victims, the first few
  std::vector<std::string> log_tail;
  std::string log_file;           // kept log, relative to the run folder; may be empty
  std::string device = {};        // of that rank: "NVIDIA H200 3"; empty before it was opened
  std::string behind = {};        // how far: "3 of 16 cases behind the furthest"; may be empty
};

struct TrialOutcome {
  TrialOrder order;
  Outcome outcome = Outcome::complete;
  std::vector<CaseTiming> cases;      // complete only (wrong_data too)
  std::optional<Failure> failure;     // set unless complete
  double total_seconds = 0;           // spawn to last waitpid
  double start_up_seconds = 0;        // spawn to connected, slowest rank
  double connect_seconds = 0;         // communicator creation, slowest rank
  std::int64_t peak_rss_bytes = 0;    // largest worker
  std::int64_t device_bytes = 0;      // device memory that the library took, largest worker
  std::map<std::string, double> start_up_parts;  // "spawn", "device", "connect" ..., slowest rank
  std::vector<SlowRank> slowest;      // those that were slowest in most blocks, at most 8
  RankSeconds rank_seconds;           // that ranks spent in the blocks
  double measure_seconds = 0;         // that rank 0's workers measured; warm-up included
  std::vector<Fact> facts;            // read from the library's log, over all ranks
  std::string source;                 // of an imported trial: the files it was read from
};

std::string_view to_string(Stage);
std::string_view to_string(Phase);
std::string_view to_string(Outcome);
Stage parse_stage(std::string_view);      // throw usage Error: only read from record files
Phase parse_phase(std::string_view);
Outcome parse_outcome(std::string_view);

// Whether a stage's trials are timings that verdicts rest on.
bool is_analysed(Stage);
// Whether a stage's trials only describe a setting: one that fails is nobody's failure.
bool is_descriptive(Stage);

// Decides which trial is next. Deterministic in its construction arguments and the outcomes
// recorded so far, so a resumed run replays the finished trials and goes on. Rank 0 only.
class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual std::optional<TrialOrder> next() = 0;           // nothing left: the run is complete
  virtual void record(const TrialOutcome&) = 0;           // of the order that next() gave last
  virtual int planned_trials() const = 0;                 // as far as known now, done ones included
  virtual std::string label(const TrialOrder&) const = 0; // "screen 2/3", for the progress line
  virtual bool baseline_failed() const = 0;               // it ended because the machine is not well
};

}  // namespace nccl_sweep
