// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace nccl_sweep::checks {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int exit_code = -1;
  std::string output;
};

// Standard output only, or with "2>&1 >/dev/null" in the arguments standard error only.
Outcome knobs(const std::string& arguments) {
  const std::string command = std::string(BINARY_FOLDER) + "/nccl-sweep knobs " + arguments;
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> piece{};
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe)) {
    outcome.output.append(piece.data(), n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

TEST(KnobsCommand, ListsTheKnobsOfOneBackend) {
  const Outcome outcome = knobs("--backend host");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("HOST_STREAMS_PER_CONNECTION"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("NCCL_ALGO")));
}

TEST(KnobsCommand, ShowsOneKnobInFullWithItsDanger) {
  const Outcome outcome = knobs("NCCL_IB_SPLIT_DATA_ON_QPS");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("0 since 2.20 (1 in 2.18-2.19)"));
  EXPECT_THAT(outcome.output, HasSubstr("danger"));
}

TEST(KnobsCommand, SaysWhetherAKnobOfNcclCanActHere) {
  EXPECT_THAT(knobs("NCCL_IB_QPS_PER_CONNECTION").output,
              ContainsRegex("\n  here +(no effect|may act): "));
  EXPECT_THAT(knobs("HOST_CHUNK_BYTES").output, Not(HasSubstr("\n  here ")));
}

TEST(KnobsCommand, SaysWhichKnobsNeedPermission) {
  EXPECT_THAT(knobs("NCCL_CHUNK_SIZE").output, HasSubstr("--allow NCCL_CHUNK_SIZE"));
}

TEST(KnobsCommand, AMisspeltNameIsAUsageErrorWithADidYouMean) {
  const Outcome outcome = knobs("NCCL_IB_QPS_PER_CONECTION 2>&1 >/dev/null");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("did you mean 'NCCL_IB_QPS_PER_CONNECTION'?"));
}

TEST(KnobsCommand, AnUnknownBackendIsAUsageError) {
  EXPECT_EQ(knobs("--backend hots 2>/dev/null").exit_code, 1);
}

}  // namespace
}  // namespace nccl_sweep::checks
