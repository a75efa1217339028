// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the real program as a user would, in a temporary folder, and keeps what it printed. For
// tests that start processes; nothing in here knows MPI.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace nccl_sweep::test {

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "nccl-sweep-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs `command` by the shell in `folder`, at most `seconds`.
inline Finished run_shell(const std::filesystem::path& folder, const std::string& command,
                          int seconds = 60) {
  const auto file = [&](const char* name) { return (folder / name).string(); };
  std::ofstream(file("command.sh")) << command << "\n";
  const std::string line = "cd " + folder.string() + " && timeout -k 5 " + std::to_string(seconds) +
                           " bash command.sh > stdout.txt 2> stderr.txt < /dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          read_file(file("stdout.txt")), read_file(file("stderr.txt"))};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string program() { return std::string(BINARY_FOLDER) + "/nccl-sweep"; }

}  // namespace nccl_sweep::test
