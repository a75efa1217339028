// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/record_log.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, int error) {
  return environment_error(fmt::format("cannot write: {}", strerror(error)), path.string(),
                           error == ENOSPC || error == EDQUOT
                               ? "free some space, then go on with --resume"
                               : "choose another folder with --output");
}

// Length of the file up to and with the closing record of its trial number `trials`.
std::uintmax_t length_to_keep(const fs::path& file, std::size_t trials) {
  std::ifstream in(file, std::ios::binary);
  std::uintmax_t keep = 0;
  std::uintmax_t position = 0;
  std::size_t closed = 0;
  std::string line;
  while (std::getline(in, line) && !in.eof()) {
    position += line.size() + 1;
    if (line.empty()) continue;
    const Record record = parse_record(line, file.string());
    const bool trial = std::holds_alternative<TrialRecord>(record);
    if (trial && ++closed > trials) break;
    if (trial || std::holds_alternative<RunRecord>(record)) keep = position;
  }
  return keep;
}

// Two processes that write one run would give it two histories.
void lock(int fd, const fs::path& folder) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // some file systems cannot
  close(fd);
  throw usage_error("this run is still going on in another process", folder.string(),
                    "wait for it, or stop it softly with a file STOP in its folder");
}

}  // namespace

RecordLog::RecordLog(fs::path file, int descriptor) : file_(std::move(file)), fd_(descriptor) {}
RecordLog::RecordLog(RecordLog&& other) noexcept
    : file_(std::move(other.file_)), fd_(other.fd_), nodes_differ_(other.nodes_differ_) {
  other.fd_ = -1;
}
RecordLog::~RecordLog() {
  if (fd_ >= 0) close(fd_);
}

RecordLog RecordLog::create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw cannot_write(folder, error.value());
  fs::path file = folder / kRecordFile;
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) {
    throw usage_error("the folder holds a run already", folder.string(),
                      "go on with it by --resume, or choose another --output");
  }
  if (fd < 0) throw cannot_write(file, errno);
  lock(fd, folder);
  return {std::move(file), fd};
}

RecordLog RecordLog::open_existing(const fs::path& folder) {
  fs::path file = folder / kRecordFile;
  const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    throw usage_error("no run here", folder.string(), "name a run folder, it holds a records.jsonl");
  }
  if (fd < 0) throw cannot_write(file, errno);
  lock(fd, folder);
  return {std::move(file), fd};
}

void RecordLog::keep(std::size_t trials) {
  const std::uintmax_t length = length_to_keep(file_, trials);
  if (ftruncate(fd_, static_cast<off_t>(length)) != 0) throw cannot_write(file_, errno);
}

void RecordLog::append(const std::vector<Record>& records) {
  std::string lines;
  for (const Record& record : records) lines += to_line(record, nodes_differ_) + "\n";
  const off_t before = lseek(fd_, 0, SEEK_END);
  std::size_t written = 0;
  while (written < lines.size()) {
    const ssize_t n = write(fd_, lines.data() + written, lines.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      // Whole lines only: take back the part that found room.
      if (before >= 0 && ftruncate(fd_, before) != 0) throw cannot_write(file_, errno);
      throw cannot_write(file_, error);
    }
    written += static_cast<std::size_t>(n);
  }
  // EINVAL: a pipe or a file system without it; the data is with the kernel all the same.
  if (fdatasync(fd_) == 0 || errno == EINVAL || errno == EROFS) return;
  // NFS and quotas refuse only here. What was not confirmed does not count, whatever a reader of
  // this moment finds; where it cannot be taken back, a resume cuts off what is torn.
  const int error = errno;
  [[maybe_unused]] const bool taken_back = before >= 0 && ftruncate(fd_, before) == 0;
  throw cannot_write(file_, error);
}

}  // namespace nccl_sweep::agent
