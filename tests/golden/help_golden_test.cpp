// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// --help is documentation: a change of it is looked at before it is approved.
#include <CLI/Version.hpp>

#include <algorithm>

#include "golden/golden.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::tests {
namespace {

class Help : public testing::TestWithParam<std::string> {};

TEST_P(Help, IsTheApprovedText) {
  constexpr const char* kApprovedWith = "2.1.2";  // other versions of CLI11 break lines elsewhere
  if (std::string(CLI11_VERSION) != kApprovedWith) {
    GTEST_SKIP() << "approved with CLI11 " << kApprovedWith << ", this is " << CLI11_VERSION;
  }
  const test::TemporaryFolder folder;
  const std::string command = GetParam() == "nccl-sweep" ? "" : GetParam();
  const test::Finished finished =
      test::run_shell(folder.path(), test::program() + " " + command + " --help");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(finished.err.empty()) << finished.err;
  std::string name = GetParam();
  std::replace(name.begin(), name.end(), ' ', '-');
  expect_approved("help." + name + ".txt", finished.out);
}

INSTANTIATE_TEST_SUITE_P(All, Help,
                         testing::Values("nccl-sweep", "workload", "plan", "run", "bench", "import", "sbatch",
                                         "report", "recommend", "best", "compare", "baseline",
                                         "baseline make", "knobs"),
                         [](const auto& name) {
                           std::string word = name.param == "nccl-sweep" ? "program" : name.param;
                           std::replace(word.begin(), word.end(), ' ', '_');
                           return word;
                         });

}  // namespace
}  // namespace nccl_sweep::tests
