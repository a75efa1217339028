// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep {
namespace {

constexpr const char* kHint = "name a file in a folder that exists and may be written to";

// Devices and pipes (/dev/stdout) are written to directly, all else by way of a file beside it.
bool is_special(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::filesystem::path beside(const std::filesystem::path& file) {
  std::filesystem::path result = file;
  result += fmt::format(".{}.tmp", ::getpid());
  return result;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw environment_error("cannot be written: " + why, file.string(), kHint);
}

int open_for_writing(const std::filesystem::path& target, const std::filesystem::path& file) {
  const int descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(file, std::strerror(errno));
  return descriptor;
}

// Empty, or why not all was written.
std::string write_all(int descriptor, std::string_view text) {
  std::string problem;
  while (!text.empty() && problem.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) problem = std::strerror(errno);
  }
  if (::close(descriptor) != 0 && problem.empty()) problem = std::strerror(errno);
  return problem;
}

}  // namespace

void check_writable(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail(file, "it is a folder");
  if (is_special(file)) {
    if (::access(file.c_str(), W_OK) != 0) fail(file, std::strerror(errno));
    return;
  }
  const std::filesystem::path probe = beside(file);
  ::close(open_for_writing(probe, file));
  std::filesystem::remove(probe, ignored);
}

void save_workload(const Workload& workload, const std::filesystem::path& file) {
  const std::string text = to_json_text(workload);
  const bool special = is_special(file);
  const std::filesystem::path target = special ? file : beside(file);
  std::string problem = write_all(open_for_writing(target, file), text);
  if (!special) {
    std::error_code error;
    if (problem.empty()) std::filesystem::rename(target, file, error);
    if (error) problem = error.message();
    if (!problem.empty()) std::filesystem::remove(target, error);
  }
  if (!problem.empty()) fail(file, problem);
}

}  // namespace nccl_sweep
