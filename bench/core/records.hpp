// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The record file of a run (records.jsonl): one JSON object a line, written by rank 0 and flushed
// after each trial; everything else is computed from it. A trial counts only with its closing
// `trial` record. The format is described in results/README.md. Writing to disk is agent/'s.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/candidate.hpp"
#include "core/case.hpp"
#include "core/fabric.hpp"
#include "core/policy.hpp"
#include "core/trial.hpp"

namespace nccl_sweep {

inline constexpr int kRecordSchema = 1;
inline constexpr std::string_view kRecordFile = "records.jsonl";

struct WorkloadSummary {
  std::string name;       // file name
  std::string source;     // "kineto", "nccl-log" ...
  double iterations = 0;  // 0: calls are for the whole run
};

struct RunRecord {
  int schema = kRecordSchema;
  std::string version;  // of nccl-sweep
  std::vector<std::string> argv;
  std::string spec;     // the spec as JSON text
  std::string name;
  std::string backend;
  bool simulated = false;
  bool imported = false;  // launches of another program: no rounds, no pairs
  // Of an imported run: how its launches measured, "nccl-tests with average 2"; earlier versions did
  // not say. Else empty: as nccl-sweep does.
  std::string recipe;
  std::uint64_t seed = 0;
  std::string started;  // ISO 8601, UTC; imported: of the first launch, in its local time, or empty
  std::map<std::string, std::string> environment;  // of NCCL and its transports
  std::vector<std::string> notes;  // NCCL_TOPO_FILE, conf files, pinned variables: first lines of run
  // In what the nodes differed, with --allow-mismatch. All other records of the run then have
  // "nodes_differ": true.
  std::vector<std::string> mismatches;
  Fabric fabric;
  int ranks = 0;        // of the figures; model runs: simulated ranks
  int agents = 0;
  int workers = 0;      // processes
  std::map<std::string, std::string> placement;  // SLURM_JOB_ID, SLURM_TOPOLOGY_ADDR ...
  Policy policy;        // what the site and the user restricted; a resume obeys it too
  std::vector<Candidate> candidates;  // [0] is the baseline
  // Predicted to be the same as a candidate. A trial's candidate index goes on into this list:
  // candidates.size() + i is collapsed[i], measured by Stage::alarm trials only.
  std::vector<Collapsed> collapsed;
  std::vector<Case> cases;
  std::optional<WorkloadSummary> workload;
  double smallest_gain = 0.03;        // delta of the decision
  Bytes arena;
  std::string identity;  // hash of binary, spec, hosts: a resume must match
  double estimated_seconds = 0;
};

// Of a trial's order: a candidate, or a collapsed setting that rides along.
const Candidate& setting_of(const RunRecord& run, int candidate);

struct BlocksRecord {
  TrialOrder order;
  CaseTiming timing;
};

struct FailureRecord {
  TrialOrder order;
  Outcome outcome = Outcome::error;
  Failure failure;
};

struct TrialRecord {  // closes a trial
  TrialOrder order;
  Outcome outcome = Outcome::complete;
  std::string finished;  // ISO 8601, UTC
  double total_seconds = 0;
  double start_up_seconds = 0;
  double connect_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t device_bytes = 0;
  std::map<std::string, double> start_up_parts;
  std::string source = {};  // of an imported trial: the files it was read from
  std::vector<SlowRank> slowest = {};  // largest number of blocks first
  RankSeconds rank_seconds = {};
};

// What the library's log said in a trial. Written for a candidate's first trial, and where it said
// something else than in the trial before.
struct EvidenceRecord {
  TrialOrder order;
  std::vector<Fact> facts;
};

// What supervising the run cost. Messages and bytes: sent and received by rank 0. Seconds: means
// over the trials. Agents: the largest of all.
struct ControlFigures {
  int agents = 1;
  std::int64_t messages = 0;  // of the whole run
  std::int64_t bytes = 0;
  double messages_per_trial = 0;
  std::int64_t most_messages = 0;  // in one trial
  double bytes_per_trial = 0;
  std::int64_t most_bytes = 0;
  double trial_seconds = 0;
  double supervision_seconds = 0;  // of them, those in which the workers did not measure
  std::int64_t agent_rss_bytes = 0;
  double agent_cpu_seconds = 0;
  double idle_cpu_per_second = 0;  // while it waited for measuring workers or other agents
};

struct EndRecord {
  std::string reason;  // "complete", "interrupted", "budget", "baseline failed", "lost node"
  int trials = 0;
  int failed = 0;
  double seconds = 0;
  double agent_cpu_seconds = 0;  // rank 0's agent, user + system
  std::optional<ControlFigures> control = {};  // earlier versions did not count
  std::string lost_host = {};
};

using Record = std::variant<RunRecord, BlocksRecord, FailureRecord, EvidenceRecord, TrialRecord,
                            EndRecord>;

// Without the newline. `nodes_differ` marks the record.
std::string to_line(const Record&, bool nodes_differ = false);
// Throws a usage Error that names `where` (file:line).
Record parse_record(std::string_view line, std::string_view where);

// A run as read back. Trials in order of index; a trial without its closing record is not there.
// The run's fabric is refined by what the library's log said in the first trial of the baseline.
struct RunData {
  RunRecord run;
  std::vector<TrialOutcome> trials;
  std::optional<EndRecord> end;
  bool torn_tail = false;  // the last line was cut off (tolerated)
};

// `path` is a run folder or a records.jsonl. Throws a usage Error: not there, no run record,
// broken line in the middle, unknown schema.
RunData read_run(const std::filesystem::path& path);

// The folder with the newest run record under `results`; throws a usage Error if there is none.
std::filesystem::path newest_run(const std::filesystem::path& results);

}  // namespace nccl_sweep
