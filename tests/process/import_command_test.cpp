// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

const std::string kLaunches = TEST_DATA "/nccl-tests";

Finished sweep(const TemporaryFolder& folder, const std::string& arguments) {
  return run_shell(folder.path(), program() + " " + arguments);
}

TEST(ImportCommand, AFolderOfOldLaunchesGetsAVerdictAndSettingsFiles) {
  const TemporaryFolder folder;
  const Finished imported =
      sweep(folder, "import " + kLaunches + "/*_nccl2.28.* -o results/old-logs");
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_TRUE(contains(imported.out, "h200-2, 2 ranks, 40 cases")) << imported.out;
  EXPECT_TRUE(contains(imported.out, "nccl_library=2.28.9: 2 trials")) << imported.out;
  EXPECT_TRUE(contains(imported.out, "counted once: 8 launches")) << imported.out;
  const Finished report = sweep(folder, "report");  // the newest under results
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_TRUE(contains(report.out, "undecided after 2 launches of the default")) << report.out;
  const Finished recommended = sweep(folder, "recommend results/old-logs");
  EXPECT_EQ(recommended.exit_code, 0) << recommended.err;
  EXPECT_TRUE(contains(recommended.out, "keep the default")) << recommended.out;
  for (const char* format : {"markdown", "csv", "json", "nccl-tests"}) {
    EXPECT_EQ(sweep(folder, std::string("report --format ") + format).exit_code, 0) << format;
  }
}

TEST(ImportCommand, SettingsMayStandBeforeTheFiles) {
  const TemporaryFolder folder;
  const Finished finished =
      sweep(folder,
            "import --candidate '4x4:NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4' "
            "--candidate 4x4:NCCL_X=1 " +
                kLaunches + "/*_socket_* -o r");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(
      contains(finished.out, "NCCL_NSOCKS_PERTHREAD=4 NCCL_SOCKET_NTHREADS=4 NCCL_X=1: 1 trial"))
      << finished.out;
}

TEST(ImportCommand, RefusesWhatIsNoneAndWhatWouldOverwrite) {
  const TemporaryFolder folder;
  const Finished none = sweep(folder, "import " TEST_DATA "/README.md -o r");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(contains(none.err, "nothing of nccl-tests in it")) << none.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r"));
  const std::string one = "import " + kLaunches + "/all_gather_nvlink_2xh200.log.gz -o r";
  EXPECT_EQ(sweep(folder, one).exit_code, 0);
  const Finished again = sweep(folder, one);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(contains(again.err, "there is a run already")) << again.err;
  EXPECT_EQ(sweep(folder, "import " + kLaunches + " -o s --candidate nonsense").exit_code, 1);
  EXPECT_EQ(sweep(folder, "recommend r").exit_code, 1);  // nothing was varied
}

struct BadInput {
  const char* name;
  std::string text;
  const char* complaint;
};

TEST(ImportCommand, EachBadInputIsOneClearError) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "empty");
  const std::vector<BadInput> inputs{
      {"missing.log", "", "No such file"},
      {"empty", "", "empty: no launch in it"},
      {"nothing.log", "", "is empty"},
      {"binary.log", std::string("\x7f\x45\x4c\x46\x00\x01\xff\xfe", 8),
       "nothing of nccl-tests in it"},
      {"cut.json", R"({"version":3,"config":{"devices":[{"ra)", "no row of a table in it"},
      {"other.json", R"({"a": 1})", "nothing of nccl-tests in it"},
      {"all_reduce.log",
       "# size count type redop root min mean max p99\n 8 2 float sum -1 1 2 3 4\n",
       "columns that are not known: # size count type redop root min mean max p99"}};
  for (const BadInput& input : inputs) {
    const bool made =
        std::string(input.name) != "missing.log" && std::string(input.name) != "empty";
    if (made) std::ofstream(folder.path() / input.name, std::ios::binary) << input.text;
    const Finished finished = sweep(folder, std::string("import ") + input.name + " -o r");
    EXPECT_EQ(finished.exit_code, 1) << input.name;
    EXPECT_TRUE(contains(finished.err, input.complaint)) << input.name << ": " << finished.err;
    EXPECT_TRUE(contains(finished.err, input.name)) << finished.err;
    EXPECT_TRUE(finished.out.empty()) << finished.out;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "r")) << input.name;
  }
}

TEST(ImportCommand, ASettingOfNoFileIsAMistake) {
  const TemporaryFolder folder;
  const Finished finished = sweep(
      folder, "import " + kLaunches + "/*_socket_* -o r --candidate 8x8:NCCL_SOCKET_NTHREADS=8");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(contains(finished.err, "no launch is of a file with '8x8' in its path"))
      << finished.err;
}

TEST(ImportCommand, TextThatTellsNoVariablesIsSaidTo) {
  const TemporaryFolder folder;
  const Finished finished = sweep(folder, "import " + kLaunches + "/*2xh200.log.gz -o r");
  EXPECT_TRUE(contains(finished.out, "3 launches do not tell variables, taken for unset"))
      << finished.out;
}

TEST(ImportCommand, OldTextBesideLaunchesThatTellTheirVariablesIsNotTheDefault) {
  const TemporaryFolder folder;
  const Finished finished =
      sweep(folder, "import " + kLaunches + "/all_gather_nccl2.28.3_*.log.gz " + kLaunches +
                        "/all_gather_nccl2.28.9_*.json.gz -o r");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(contains(finished.out, "  default: 2 trials\n")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "(variables unknown)")) << finished.out;
  EXPECT_FALSE(contains(finished.out, "(variables unknown)=")) << finished.out;
  const Finished report = sweep(folder, "report r");
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_TRUE(contains(report.out, "(variables unknown)")) << report.out;
}

TEST(ImportCommand, AnImportedRunCannotBeResumed) {
  const TemporaryFolder folder;
  EXPECT_EQ(sweep(folder, "import " + kLaunches + "/*_socket_* -o r --candidate 4x4:A=1").exit_code,
            0);
  const std::string before = read_file(folder.path() / "r" / "records.jsonl");
  const Finished resumed = sweep(folder, "run --resume r");
  EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
  EXPECT_EQ(read_file(folder.path() / "r" / "records.jsonl"), before);
}

}  // namespace
}  // namespace nccl_sweep::test
