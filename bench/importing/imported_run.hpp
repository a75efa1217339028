// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches of somebody else as an ordinary run: records that every report reads. Launches that
// differ in what they set are candidates; the k-th launches of one candidate that measured
// different cases (an all_gather and a reduce_scatter) stand together in one trial. Which launches
// may be compared at all is decided here; how they compare is analysis/'s.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/records.hpp"
#include "importing/imported_launch.hpp"

namespace nccl_sweep {

// "NAME=VALUE", for all files, or "TEXT:NAME=VALUE NAME=VALUE", for files whose path has TEXT in
// it.
struct NamedSetting {
  std::string part_of_path;
  std::vector<std::pair<std::string, std::string>> assignments;
};

NamedSetting parse_named_setting(std::string_view text);  // throws a usage Error

struct ImportedRunOptions {
  std::string version;  // of nccl-sweep
  std::vector<std::string> argv;
  std::string name;
  std::vector<NamedSetting> settings;
};

// Throws a usage Error for launches that cannot be compared: other numbers of ranks or nodes, GPUs,
// flags.
RunData make_run(const ImportedFiles& files, const ImportedRunOptions& options);

using RecordSink = std::function<void(std::string_view)>;

// As make_run, but the records are written as they are made: of thousands of large files the
// timings are not copied. Those of the run that is returned are missing.
RunData write_run(const ImportedFiles& files, const ImportedRunOptions& options,
                  const RecordSink& write);

// records.jsonl
std::string record_lines(const RunData& data);

}  // namespace nccl_sweep
