// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody else's launch of nccl-tests or rccl-tests printed, read back: one ImportedLaunch a
// run of the program, whatever version wrote it and whatever a launcher put around it. Nothing is
// judged or compared here; what cannot be used is left out with the reason. Called by cli/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/fact.hpp"

namespace nccl_sweep {

// One placement of one row of the table.
struct ImportedTiming {
  DataType dtype = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  Placement placement = Placement::out_of_place;
  Bytes size;              // the size column
  std::int64_t count = 0;  // the count column
  Seconds time{0};         // mean of one operation
  double algbw = 0;        // GB/s as printed: what the collective is checked by
  double busbw = 0;
  std::int64_t wrong = -1;  // elements; -1: not verified, or an error margin of old versions
};

// A line of "Using devices".
struct ImportedRank {
  int rank = 0;
  int group = 0;
  std::int64_t pid = 0;
  std::string host;
  std::string device;
};

struct ImportedLaunch {
  std::filesystem::path file;
  std::int64_t line = 0;   // where it begins; 0: the file is one JSON document
  std::string program;     // "nccl-tests 2.19.6", as far as it is told
  bool simulated = false;  // printed by nccl-sweep from a model's run
  std::string started;     // as printed: local time of the machine; empty where not told
  std::string ended;
  std::string nccl;  // version of the library, empty where not told

  // Variables of NCCL, CUDA and what carries NCCL's traffic only: the rest of an environment is
  // nobody's business.
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> options;  // knobs set by flags: buffer=symmetric
  bool environment_known = false;
  std::vector<Fact> facts;  // of NCCL's own lines in between

  std::string program_name;  // "all_reduce_perf", empty where the text does not tell
  Collective collective = Collective::all_gather;
  std::vector<ImportedRank> ranks;  // as listed, which may be fewer than took part
  int world = 0;                    // ranks of the launch
  int nodes = 0;
  int group_size = 0;  // ranks of the communicator that the figures are of
  GroupShape group;

  Bytes smallest;  // what was asked for; the rows may be rounded
  Bytes largest;
  std::int64_t step = 0;
  bool step_is_factor = true;
  int operations = 0;  // that one time is the mean of
  bool graph = false;
  std::vector<std::string> recipe;  // what makes figures incomparable: "blocking 1"

  std::vector<ImportedTiming> timings;  // in the order printed
  bool finished = false;                // its last lines are there
  bool wrong_data = false;
  std::string failure;  // what it said when it ended badly
  std::vector<std::string> notes;

  std::string where() const;  // "file:line"
};

struct LeftOut {
  std::string where;
  std::string why;
};

struct ImportedFiles {
  std::vector<ImportedLaunch> launches;  // in the order of the files
  std::vector<LeftOut> left_out;
  std::size_t repeated = 0;  // launches that were given more than once: as text and as JSON
};

struct ImportOptions {
  std::optional<Collective> collective;  // of launches that do not name theirs
  int ranks = 0;                         // of launches that do not list theirs
};

// Folders stand for the files in them, at any depth. Files are plain or gzip. Throws a usage Error
// for a file that cannot be read, and where no launch at all can be used.
ImportedFiles read_launches(const std::vector<std::filesystem::path>& files,
                            const ImportOptions& options = {});

}  // namespace nccl_sweep
