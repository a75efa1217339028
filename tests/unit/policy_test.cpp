// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Policy files: what they may say, what they forbid, and that a second one only tightens.
#include "core/policy.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep {
namespace {

Error error_of(const std::string& text) {
  try {
    parse_policy(text, "p.json");
  } catch (const Error& error) {
    return error;
  }
  return usage_error("no error");
}

TEST(PolicyFile, ReadsEveryKeyAndComments) {
  const PolicyFile policy = parse_policy(R"({ // of the site
    "forbidden": {"NCCL_IB_TIMEOUT": "all", "NCCL_MIN_CTAS": [1, "2"]},
    "largest_gpu_hours": 0.5, "quiet_seconds": 2, "leave_out_nodes": ["node7"],
    "reason": "shared fabric"})",
                                         "p.json");
  EXPECT_EQ(summary(policy),
            "forbids NCCL_IB_TIMEOUT, NCCL_MIN_CTAS=1|2; at most 0.5 GPU-h a run; "
            "2 s of quiet between trials; leaves out node7 (shared fabric)");
  EXPECT_EQ(policy.file, "p.json");
  EXPECT_EQ(summary(parse_policy("{}", "p.json")), "restricts nothing");
}

TEST(PolicyFile, IsStrictAndNamesThePlace) {
  EXPECT_EQ(error_of("{\n\"forbidden\": {}\n\"reason\": 1}").where(), "p.json:3");
  EXPECT_EQ(error_of(R"({"forbiden": {}})").hint(), "did you mean 'forbidden'?");
  EXPECT_EQ(error_of(R"({"forbidden": {"X": 3}})").where(), "p.json#/forbidden/X");
  EXPECT_EQ(error_of(R"({"forbidden": {"X": ["a", 1.5]}})").where(), "p.json#/forbidden/X/1");
  EXPECT_EQ(error_of(R"({"forbidden": {"X": []}})").where(), "p.json#/forbidden/X");
  EXPECT_EQ(error_of(R"({"largest_gpu_hours": 0})").where(), "p.json#/largest_gpu_hours");
  EXPECT_EQ(error_of(R"({"quiet_seconds": "2s"})").where(), "p.json#/quiet_seconds");
  EXPECT_EQ(error_of(R"({"leave_out_nodes": "node7"})").where(), "p.json#/leave_out_nodes");
  EXPECT_EQ(error_of(R"({"file": "x"})").message(), "unknown key 'file'");
}

TEST(PolicyFile, AllIsOfVaryingAListOfEveryUse) {
  const Policy policy{parse_policy(
      R"({"forbidden": {"NCCL_IB_TIMEOUT": "all", "NCCL_ALGO": ["NVLS"]}})", "p.json")};
  EXPECT_NE(forbids(policy, "NCCL_IB_TIMEOUT", "20", true), nullptr);
  EXPECT_NE(forbids(policy, "NCCL_IB_TIMEOUT", "unset", true), nullptr);
  EXPECT_EQ(forbids(policy, "NCCL_IB_TIMEOUT", "20", false), nullptr);
  for (const char* value : {"NVLS", "nvls", "Ring,NVLS", "allreduce:nvls;ring"}) {
    EXPECT_NE(forbids(policy, "NCCL_ALGO", value, true), nullptr) << value;
    EXPECT_NE(forbids(policy, "NCCL_ALGO", value, false), nullptr) << value;
  }
  for (const char* value : {"Ring", "^NVLS", "NVLSTree", ""}) {
    EXPECT_EQ(forbids(policy, "NCCL_ALGO", value, true), nullptr) << value;
  }
  EXPECT_EQ(forbids(policy, "NCCL_ALGORITHM", "NVLS", true), nullptr);
}

TEST(PolicyFile, NodesAreNamesOrPatterns) {
  const Policy policy{
      parse_policy(R"({"leave_out_nodes": ["node7", "rack3-*", "gpu[1-3]"]})", "p.json")};
  for (const char* host : {"node7", "node7.cluster.example", "rack3-01", "gpu2"}) {
    EXPECT_NE(leaves_out(policy, host), nullptr) << host;
  }
  for (const char* host : {"node71", "node", "rack30", "gpu12", "gpu4"}) {
    EXPECT_EQ(leaves_out(policy, host), nullptr) << host;
  }
}

TEST(Policies, TheUsersAddsToTheSites) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "site.json")
      << R"({"largest_gpu_hours": 4, "quiet_seconds": 2, "forbidden": {"X": "all"}})";
  std::ofstream(folder.path() / "mine.json")
      << R"({"largest_gpu_hours": 40, "quiet_seconds": 3, "forbidden": {"X": ["1"]}})";
  const Policy both = load_policies(folder.path() / "site.json", folder.path() / "mine.json");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_DOUBLE_EQ(lowest_gpu_hours(both)->largest_gpu_hours, 4);
  EXPECT_DOUBLE_EQ(quiet_seconds(both), 3);
  EXPECT_EQ(forbids(both, "X", "2", true), &both[0]);
  EXPECT_TRUE(load_policies(folder.path() / "none.json", "").empty());
  EXPECT_EQ(lowest_gpu_hours({}), nullptr);
}

TEST(Policies, ABrokenSiteFileStopsEverybodyAndIsNoUsersMistake) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "site.json") << R"({"largest_gpu_hour": 4})";
  const std::string file = folder.path() / "site.json";
  const auto code_of = [&](const std::string& site, const std::string& mine) {
    try {
      load_policies(site, mine);
    } catch (const Error& error) {
      EXPECT_NE(error.where().find(file), std::string::npos);
      return error.exit_code();
    }
    return ExitCode::ok;
  };
  EXPECT_EQ(code_of(file, ""), ExitCode::environment);
  EXPECT_EQ(code_of("/nonexistent/policy.json", file), ExitCode::usage);
}

}  // namespace
}  // namespace nccl_sweep
