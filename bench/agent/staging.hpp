// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of the worker program and of libraries on each node's own disk, made once a run: hundreds
// of workers that start anew each trial would otherwise read them from one file server. A copy is
// named by the hash of what rank 0 has, and is checked against it. Whatever goes wrong, the
// originals serve.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "agent/control.hpp"
#include "agent/environment.hpp"
#include "agent/setup.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::agent {

// NFS, Lustre, GPFS and their like, by the number that statfs gives; FUSE counts as one.
bool is_network_file_system(std::int64_t statfs_type);
bool on_network(const std::filesystem::path& file);

// The libnccl.so.2 that a process with this environment finds by LD_LIBRARY_PATH, links resolved;
// empty where none of its folders has one. Nothing is opened.
std::string library_of_loader(const Variables& environment);

// Throws an environment Error where the file cannot be read.
StagedFile staged_file(const std::filesystem::path& file);

// This node's copies. Agents and runs of one user share them; whoever lets go last removes them.
class StagedCopies {
 public:
  StagedCopies();  // in $TMPDIR or /tmp, a folder that only this user can enter
  explicit StagedCopies(std::filesystem::path folder) : folder_(std::move(folder)) {}
  StagedCopies(const StagedCopies&) = delete;
  StagedCopies& operator=(const StagedCopies&) = delete;
  ~StagedCopies();

  // Path of the copy. Throws an environment Error: no room, no permission, another content.
  std::string add(const StagedFile& file);

  // Removes what nobody holds: copies of runs that were killed. Where it cannot, it leaves them.
  void remove_abandoned();

 private:
  std::filesystem::path folder_;
  std::vector<int> held_;  // descriptors of copies, with a shared lock
};

// Collective over all agents: makes the copies that `setup` asks for, and lets it point at those
// that all nodes have under the same path. Returns what went wrong and where; on rank 0 only.
std::vector<std::string> stage_files(ControlPlane& control, Setup& setup, StagedCopies& copies);

// What a worker says of files that it opened names the originals, as without staging.
void name_originals(const Setup& setup, wire::Ready& ready);

}  // namespace nccl_sweep::agent
