// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes records.jsonl, locked while the run goes on: whole lines, appended and forced to disk after each trial, so that a kill
// or a full disk loses at most the trial that was running. Rank 0 only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace nccl_sweep::agent {

class RecordLog {
 public:
  // Makes the folder and the file. Throws an environment Error where that is not possible and a
  // usage Error where the folder already holds a run.
  static RecordLog create(const std::filesystem::path& folder);

  // Opens a run's file to go on. Throws a usage Error where another process writes it.
  static RecordLog open_existing(const std::filesystem::path& folder);

  // Keeps the run record and the first `trials` closed trials; cuts off the rest: a torn line,
  // blocks of a trial that was not finished, the end record of an interrupted run.
  void keep(std::size_t trials);

  RecordLog(RecordLog&& other) noexcept;
  RecordLog& operator=(RecordLog&&) = delete;
  ~RecordLog();

  // Every record from here on says that the nodes differ.
  void mark_nodes_differ() { nodes_differ_ = true; }

  // All lines or none. Throws an environment Error (disk full, quota, I/O error).
  void append(const std::vector<Record>& records);

  const std::filesystem::path& file() const { return file_; }

 private:
  RecordLog(std::filesystem::path file, int descriptor);

  std::filesystem::path file_;
  int fd_ = -1;
  bool nodes_differ_ = false;
};

}  // namespace nccl_sweep::agent
