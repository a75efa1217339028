// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparing a text with its approved copy under tests/golden/approved. With NCCL_SWEEP_APPROVE=1
// in the environment the copy is rewritten instead: look at the diff before committing it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nccl_sweep::tests {

inline std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void expect_approved_file(const std::filesystem::path& file, const std::string& text) {
  const char* approve = std::getenv("NCCL_SWEEP_APPROVE");
  if (approve != nullptr && std::string(approve) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << file << ": approve with NCCL_SWEEP_APPROVE=1";
  EXPECT_EQ(text, file_text(file)) << "differs from " << file;
}

inline void expect_approved(const std::string& name, const std::string& text) {
  expect_approved_file(std::filesystem::path(SOURCE_FOLDER) / "tests/golden/approved" / name, text);
}

}  // namespace nccl_sweep::tests
