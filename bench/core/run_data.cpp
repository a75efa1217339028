// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a run folder back.
#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/records.hpp"

namespace nccl_sweep {
namespace {

namespace fs = std::filesystem;

// Collects the records of trials that are not closed yet.
class Assembly {
 public:
  void add(BlocksRecord&& blocks) {
    open_[blocks.order.index].cases.push_back(std::move(blocks.timing));
  }
  void add(FailureRecord&& failure) {
    open_[failure.order.index].failure = std::move(failure.failure);
  }
  void add(EvidenceRecord&& evidence) {
    open_[evidence.order.index].facts = std::move(evidence.facts);
  }
  TrialOutcome close(const TrialRecord& trial) {
    TrialOutcome outcome = std::move(open_[trial.order.index]);
    open_.erase(trial.order.index);
    outcome.order = trial.order;
    outcome.outcome = trial.outcome;
    outcome.total_seconds = trial.total_seconds;
    outcome.start_up_seconds = trial.start_up_seconds;
    outcome.connect_seconds = trial.connect_seconds;
    outcome.peak_rss_bytes = trial.peak_rss_bytes;
    outcome.device_bytes = trial.device_bytes;
    outcome.start_up_parts = trial.start_up_parts;
    outcome.source = trial.source;
    outcome.slowest = trial.slowest;
    outcome.rank_seconds = trial.rank_seconds;
    std::sort(outcome.cases.begin(), outcome.cases.end(),
              [](const auto& a, const auto& b) { return a.case_index < b.case_index; });
    return outcome;
  }

 private:
  std::map<int, TrialOutcome> open_;
};

fs::path record_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / kRecordFile : path;
  if (!fs::is_regular_file(file, ignored)) {
    throw usage_error("no run here", file.string(),
                      "name a run folder, it holds a records.jsonl");
  }
  return file;
}

void check_ranges(const RunData& data, const std::string& file) {
  const auto candidates = static_cast<int>(data.run.candidates.size());
  const auto settings = candidates + static_cast<int>(data.run.collapsed.size());
  const auto cases = static_cast<int>(data.run.cases.size());
  for (const TrialOutcome& trial : data.trials) {
    const bool bad_case = std::any_of(trial.cases.begin(), trial.cases.end(), [&](const auto& c) {
      return c.case_index < 0 || c.case_index >= cases;
    });
    const int known = trial.order.stage == Stage::alarm ? settings : candidates;
    if (trial.order.candidate < 0 || trial.order.candidate >= known || bad_case) {
      throw usage_error(fmt::format("trial {} names a candidate or case that the run does not have",
                                    trial.order.index),
                        file);
    }
  }
}

// Of the baseline: a candidate may have taken another library or network.
void refine_fabric(RunData& data) {
  if (data.run.backend != "nccl") return;
  const auto first = std::find_if(data.trials.begin(), data.trials.end(), [](const auto& trial) {
    return trial.order.candidate == 0 && trial.outcome == Outcome::complete && !trial.facts.empty();
  });
  if (first != data.trials.end()) data.run.fabric = refine(data.run.fabric, first->facts);
}

}  // namespace

RunData read_run(const fs::path& path) {
  const fs::path file = record_file(path);
  std::ifstream in(file);
  if (!in) throw usage_error("cannot be read", file.string());
  RunData data;
  Assembly assembly;
  bool have_run = false;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    if (in.eof()) {  // no newline behind it: being written, or cut off
      data.torn_tail = true;
      break;
    }
    const std::string where = fmt::format("{}:{}", file.string(), number);
    Record record = parse_record(line, where);
    if (auto* run = std::get_if<RunRecord>(&record)) {
      data.run = std::move(*run);
      have_run = true;
    } else if (!have_run) {
      throw usage_error("the first record is not a run record", where);
    } else if (auto* blocks = std::get_if<BlocksRecord>(&record)) {
      assembly.add(std::move(*blocks));
    } else if (auto* failure = std::get_if<FailureRecord>(&record)) {
      assembly.add(std::move(*failure));
    } else if (auto* evidence = std::get_if<EvidenceRecord>(&record)) {
      assembly.add(std::move(*evidence));
    } else if (auto* trial = std::get_if<TrialRecord>(&record)) {
      data.trials.push_back(assembly.close(*trial));
    } else if (auto* end = std::get_if<EndRecord>(&record)) {
      data.end = std::move(*end);
    }
  }
  if (!have_run) throw usage_error("no run record in it", file.string(), "the file is empty or cut");
  check_ranges(data, file.string());
  refine_fabric(data);
  return data;
}

fs::path newest_run(const fs::path& results) {
  fs::path newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(results, error)) {
    std::error_code ignored;
    const auto time = fs::last_write_time(entry.path() / kRecordFile, ignored);
    if (!ignored && time > newest_time) {
      newest_time = time;
      newest = entry.path();
    }
  }
  if (newest.empty()) {
    throw usage_error("no run found", results.string(), "name a run folder, or run a sweep first");
  }
  return newest;
}

}  // namespace nccl_sweep
