// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/staging.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <nlohmann/json.hpp>

#include "agent/machine.hpp"
#include "agent/parity.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Error cannot_stage(const std::string& what, const fs::path& path, int error = errno) {
  return environment_error(fmt::format("{}: {}", what, strerror(error)), path.string());
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// fnv1a() in pieces: a library has hundreds of megabytes. Copies to `to` where that is not -1.
StagedFile read_through(const fs::path& file, int from, int to) {
  StagedFile result{file.string(), {}, 0};
  std::uint64_t hash = 14695981039346656037ULL;
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_stage("cannot read", file);
    if (got == 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      hash = (hash ^ static_cast<unsigned char>(piece[static_cast<std::size_t>(i)])) *
             1099511628211ULL;
    }
    for (ssize_t done = 0; to >= 0 && done < got;) {
      const ssize_t written = write(to, piece.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw cannot_stage("cannot copy", file, written < 0 ? errno : ENOSPC);
      done += written;
    }
    result.bytes += got;
  }
  result.hash = fmt::format("{:016x}", hash);
  return result;
}

// An agent of the node that copies hundreds of megabytes from a busy file server holds the lock.
constexpr double kLockPatience = 600;  // seconds
constexpr double kStagePatience = 2 * kLockPatience;
constexpr double kTidyPatience = 5;

bool lock(int fd, double patience_seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(patience_seconds));
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// The folder, locked: one agent of a node copies while the others wait for it. It may be removed
// between its opening and its locking, by the last user of another run. Anybody can lock a folder of
// theirs for ever, so whose it is comes first.
int lock_folder(const fs::path& folder, double patience_seconds) {
  for (int tries = 0; tries < 10; ++tries) {
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      throw cannot_stage("cannot make a folder", folder);
    }
    Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0) throw cannot_stage("cannot use the folder", folder);
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) throw cannot_stage("cannot use the folder", folder);
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      throw environment_error("the folder is not this user's alone", folder.string());
    }
    if (!lock(fd.get(), patience_seconds)) throw cannot_stage("cannot lock the folder", folder);
    if (fstat(fd.get(), &info) != 0) throw cannot_stage("cannot use the folder", folder);
    if (info.st_nlink > 0) return fd.release();
  }
  throw environment_error("the folder is removed again and again", folder.string());
}

bool holds(const fs::path& copy, const std::string& hash) {
  const Descriptor fd(open(copy.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return fd.get() >= 0 && read_through(copy, fd.get(), -1).hash == hash &&
         access(copy.c_str(), X_OK) == 0;
}

void make_copy(const StagedFile& file, const fs::path& copy) {
  const Descriptor from(open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.get() < 0) throw cannot_stage("cannot read", file.path);
  std::string name = copy.string() + "-XXXXXX";
  const Descriptor to(mkostemp(name.data(), O_CLOEXEC));
  if (to.get() < 0) throw cannot_stage("cannot make a file", name);
  try {
    if (read_through(file.path, from.get(), to.get()).hash != file.hash) {
      throw environment_error("the file is not the same as on rank 0's node", file.path);
    }
    if (fchmod(to.get(), S_IRWXU) != 0) throw cannot_stage("cannot set permissions", name);
    if (access(name.c_str(), X_OK) != 0) throw cannot_stage("cannot execute from there", copy);
    if (rename(name.c_str(), copy.c_str()) != 0) throw cannot_stage("cannot rename", name);
  } catch (...) {
    unlink(name.c_str());
    throw;
  }
}

fs::path default_folder() {
  const char* set = std::getenv("TMPDIR");
  return fs::path(set != nullptr && *set != '\0' ? set : "/tmp") /
         fmt::format("nccl-sweep-stage-{}", geteuid());
}

// One file on one agent: its copy or what went wrong.
json try_to_add(StagedCopies& copies, const StagedFile& file) {
  try {
    return {{"copy", copies.add(file)}};
  } catch (const std::exception& error) {
    return {{"copy", ""}, {"error", error.what()}};
  }
}

// Rank 0: the path that all have, or none and a warning.
std::string agreed_copy(const StagedFile& file, std::size_t index, const std::vector<json>& answers,
                        const Layout& layout, std::vector<std::string>& warnings) {
  std::map<std::string, std::vector<std::string>> hosts_of;
  bool all = true;
  const std::string first = answers.front().at(index).at("copy");
  for (std::size_t agent = 0; agent < answers.size(); ++agent) {
    const json& answer = answers[agent].at(index);
    const std::string copy = answer.at("copy");
    all = all && !copy.empty() && copy == first;
    hosts_of[copy.empty() ? answer.at("error").get<std::string>() : copy].push_back(
        layout.host_of_agent[agent]);
  }
  if (all) return first;
  for (const std::string& line : by_host(hosts_of)) {
    warnings.push_back(fmt::format("{} is not staged, all nodes use the original: {}", file.path,
                                   line));
  }
  return {};
}

// As a worker names a file that it opened.
std::string resolved(const std::string& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return error ? file : real.string();
}

void point_at(Setup& setup, const std::string& original, const std::string& copy) {
  setup.original_of[resolved(copy)] = resolved(original);
  if (setup.default_library == original) setup.default_library = copy;
  if (setup.worker_program == original) setup.worker_program = copy;
  for (Candidate& candidate : setup.candidates) {
    for (auto& [knob, value] : candidate.assignments) {
      if (value == original) value = copy;
    }
  }
}

}  // namespace

bool is_network_file_system(std::int64_t type) {
  // From linux/magic.h and the file systems' own sources.
  constexpr std::array<std::int64_t, 12> kTypes{
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB 2 and 3
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x65735546,  // FUSE: BeeGFS' and WekaFS' clients, sshfs, squashfuse
      0x00C36400,  // Ceph
      0x5346414F,  // AFS
      0x19830326,  // BeeGFS
      0xAAD7AAEA,  // PanFS
      0x01021997   // 9p
  };
  return std::find(kTypes.begin(), kTypes.end(), type & 0xFFFFFFFF) != kTypes.end();
}

bool on_network(const fs::path& file) {
  struct statfs info {};
  return statfs(file.c_str(), &info) == 0 &&
         is_network_file_system(static_cast<std::int64_t>(info.f_type));
}

std::string library_of_loader(const Variables& environment) {
  const std::string file =
      library_file("libnccl.so.2", value_or_empty(environment, "LD_LIBRARY_PATH"), {});
  return file.empty() ? file : resolved(file);
}

StagedFile staged_file(const fs::path& file) {
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw cannot_stage("cannot read", file);
  return read_through(file, fd.get(), -1);
}

StagedCopies::StagedCopies() : folder_(default_folder()) {}

std::string StagedCopies::add(const StagedFile& file) {
  const Descriptor folder(lock_folder(folder_, kLockPatience));
  if (on_network(folder_)) {
    throw environment_error("the folder is on a network file system, too", folder_.string(),
                            "set TMPDIR to a node-local folder");
  }
  const fs::path copy =
      folder_ / fmt::format("{}-{}", file.hash, fs::path(file.path).filename().string());
  if (!holds(copy, file.hash)) make_copy(file, copy);
  Descriptor held(open(copy.c_str(), O_RDONLY | O_CLOEXEC));
  if (held.get() < 0 || flock(held.get(), LOCK_SH) != 0) throw cannot_stage("cannot hold", copy);
  held_.push_back(held.release());
  return copy.string();
}

void StagedCopies::remove_abandoned() {
  std::error_code missing;
  if (!fs::is_directory(fs::symlink_status(folder_, missing))) return;
  try {
    const Descriptor folder(lock_folder(folder_, kTidyPatience));  // whoever makes a copy holds it
    for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
      const Descriptor fd(open(file.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      const bool held = fd.get() < 0 || flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
      if (!held) unlink(file.path().c_str());
    }
    rmdir(folder_.c_str());  // fails while others have copies there
  } catch (const std::exception&) {
    return;  // the folder is another's, in use, or being removed
  }
}

StagedCopies::~StagedCopies() {
  if (held_.empty()) return;
  for (const int fd : held_) close(fd);
  remove_abandoned();
}

std::vector<std::string> stage_files(ControlPlane& control, Setup& setup, StagedCopies& copies) {
  if (!setup.stage.empty()) {
    // Everybody has the setup before anybody is too busy to pass it on.
    const auto nothing = [](const std::vector<std::string>&) { return std::string(); };
    control.exchange(nothing, {kStagePatience});
  }
  json mine = json::array();
  for (const StagedFile& file : setup.stage) mine.push_back(try_to_add(copies, file));
  copies.remove_abandoned();
  if (setup.stage.empty()) return {};
  const std::vector<std::string> texts =
      control.gather(mine.dump(-1, ' ', false, json::error_handler_t::replace), kStagePatience);
  std::vector<std::string> warnings;
  json agreed = json::array();
  if (control.rank() == 0) {
    std::vector<json> answers;
    for (const std::string& text : texts) answers.push_back(json::parse(text));
    for (std::size_t i = 0; i < setup.stage.size(); ++i) {
      agreed.push_back(agreed_copy(setup.stage[i], i, answers, setup.layout, warnings));
    }
  }
  agreed = json::parse(control.broadcast(control.rank() == 0 ? agreed.dump() : std::string()));
  for (std::size_t i = 0; i < setup.stage.size(); ++i) {
    const std::string copy = agreed.at(i);
    const std::string& original = setup.stage[i].path;
    if (!copy.empty()) {
      point_at(setup, original, copy);
    } else if (setup.default_library == original) {
      setup.default_library.clear();
    }
  }
  return warnings;
}

void name_originals(const Setup& setup, wire::Ready& ready) {
  for (auto* texts : {&ready.versions, &ready.identity}) {
    for (auto& [name, text] : *texts) {
      for (const auto& [copy, original] : setup.original_of) {
        const std::size_t at = text.find(copy);
        if (at != std::string::npos) text.replace(at, copy.size(), original);
      }
    }
  }
}

}  // namespace nccl_sweep::agent
