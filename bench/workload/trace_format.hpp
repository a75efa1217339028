// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What every trace reader takes and gives. A format is a row of a table (trace_format.cpp): its
// name, how its first bytes look, and its reader; a new reader is one more row. Readers never
// print: what they saw and did not count goes into the notes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/byte_source.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep {

// Notes by their text, with how often: shown as "wait records: 14".
using NoteCounts = std::map<std::string, std::int64_t>;

// A case as one rank sees it in one group. `group` is equal for two views exactly where they mean
// the same ranks (or cannot be told apart), e.g. "ranks 0-7/1" or "commId 0x1f".
struct GroupCase {
  std::string group;
  WorkloadCase what;  // calls: per step, or of the whole run
};

struct RankView {
  std::string rank;  // for messages: "rank 3", "pid 4711"
  std::vector<GroupCase> cases;
};

struct Reading {
  WorkloadSource source;
  double iterations = 0;
  int world_size = 0;
  std::vector<RankView> views;
  NoteCounts notes;
  std::vector<std::string> remarks;
};

struct TraceFormat {
  std::string_view name;
  bool (*sniff)(std::string_view head) = nullptr;
  Reading (*read)(ByteSource&, const ReadOptions&) = nullptr;  // nullptr: recognised, not read yet
  std::string_view advice;  // what to do about a format that is not read yet
};

std::span<const TraceFormat> trace_formats();

// The first format whose sniff() takes the head. Throws a usage Error for an unknown format and
// for one that is recognised but not read yet.
const TraceFormat& recognise(ByteSource&);

Reading read_kineto(ByteSource&, const ReadOptions&);
Reading read_nccl_log(ByteSource&, const ReadOptions&);

// One workload from the views of several ranks; see merge.cpp for what counts.
Workload merge_readings(std::vector<Reading>);

// Stops at a damaged or truncated input, unless what is there shall be kept: then it is a remark.
void refuse_or_remark(const ByteSource&, const ReadOptions&, const std::string& problem,
                      Reading& reading);

// Words of an input as they may stand in a note: printable, at most 60 characters.
std::string shown(std::string_view text);

// "; wait records: 14" for each note, for errors that say what was seen instead.
std::string listed(const NoteCounts& notes);

// 3 of "trace_rank3.json.gz", -1 where the name has no rank.
int rank_in_name(const std::filesystem::path& file);

}  // namespace nccl_sweep
