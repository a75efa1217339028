// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// `compare` and `baseline` as a script uses them: exit codes, what goes to stdout, what is written.
#include <gtest/gtest.h>

#include "golden/compared_runs.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

using tests::compared_run;
using tests::planted_case;

class Compare : public testing::Test {
 protected:
  void SetUp() override { write("reference.json", tests::kPlantedBaseline); }

  void write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  void write_run(const std::string& name, const RunData& data) const {
    write(std::filesystem::path(name) / kRecordFile, tests::records_text(data));
  }
  Finished sweep(const std::string& arguments) const {
    return run_shell(folder_.path(), program() + " " + arguments);
  }
  Finished compare(const RunData& data, const std::string& more = "") const {
    write_run("r", data);
    return sweep("compare r --baseline reference.json " + more);
  }

  TemporaryFolder folder_;
};

TEST_F(Compare, ExactlyAtTheThresholdIsExitCode0) {
  const Finished finished = compare(compared_run(0.95));
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "pass: reaches 0.95")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "a convention of nccl-sweep")) << finished.out;
  EXPECT_TRUE(finished.err.empty()) << finished.err;
}

TEST_F(Compare, BelowTheThresholdIsExitCode4) {
  const Finished finished = compare(compared_run(0.94, 0.002));
  EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
  EXPECT_TRUE(
      contains(finished.out, "fail: below 0.95 at all_gather bfloat16 out_of_place world 64 MiB"))
      << finished.out;
  EXPECT_EQ(compare(compared_run(0.94, 0.002), "--threshold 0.9").exit_code, 0);
}

TEST_F(Compare, BelowWithWideIntervalsIsExitCode5) {
  const Finished finished = compare(compared_run(0.94, 0.05));
  EXPECT_EQ(finished.exit_code, 5) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "undecided: the interval holds 0.95")) << finished.out;
}

TEST_F(Compare, OnePercentBelowTheThresholdFailsAndOnlyWideIntervalsLeaveItOpen) {
  const double below = 0.95 * 0.99;
  Finished finished = compare(compared_run(below, 0.001));
  EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "fail: below 0.95")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "try: other nodes")) << finished.out;
  finished = compare(compared_run(below, 0.03));
  EXPECT_EQ(finished.exit_code, 5) << finished.out << finished.err;
  EXPECT_EQ(compare(compared_run(below, 0, 1)).exit_code, 5);
  EXPECT_EQ(compare(compared_run(below, 0, 1), "--single").exit_code, 4);
}

TEST_F(Compare, AnotherFabricOrLibraryIsExitCode5WithTheReason) {
  RunData data = compared_run(1.0);
  data.run.fabric.device = "NVIDIA H100";
  Finished finished = compare(data);
  EXPECT_EQ(finished.exit_code, 5) << finished.err;
  EXPECT_TRUE(contains(finished.out, "GPU: H200 there, NVIDIA H100 here")) << finished.out;
  data = compared_run(1.0);
  data.run.fabric.versions["nccl"] = "2.29.1";
  finished = compare(data);
  EXPECT_EQ(finished.exit_code, 5) << finished.err;
  EXPECT_TRUE(contains(finished.out, "NCCL 2.28 there, 2.29 here")) << finished.out;
  EXPECT_EQ(compare(data, "--any-nccl").exit_code, 0);
}

TEST_F(Compare, OtherAndEmptySizesAreLeftOutAndNamed) {
  const Finished finished =
      compare(compared_run(1.0, 0, 6,
                           {planted_case(Collective::all_gather, DataType::bfloat16, 8, 0),
                            planted_case(Collective::all_gather, DataType::bfloat16, 1 << 20, 0),
                            planted_case(Collective::all_gather, DataType::bfloat16, 2 << 20, 0)}));
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "0 B: 0 bytes after nccl-tests' rounding")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "2 MiB: no figure at this size")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "all_gather, 2 sizes: not measured here")) << finished.out;
}

TEST_F(Compare, OneLaunchIsUndecidedUnlessItIsToCount) {
  EXPECT_EQ(compare(compared_run(1.0, 0, 1)).exit_code, 5);
  EXPECT_EQ(compare(compared_run(1.0, 0, 1), "--single").exit_code, 0);
  const Finished finished = compare(compared_run(0.9, 0, 1), "--single");
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_TRUE(contains(finished.out, "one launch here")) << finished.out;
}

TEST_F(Compare, EveryFormatGivesTheSameExitCode) {
  for (const char* format : {"markdown", "csv", "json"}) {
    const Finished finished = compare(compared_run(0.9, 0.001), std::string("--format ") + format);
    EXPECT_EQ(finished.exit_code, 4) << format;
    EXPECT_TRUE(contains(finished.out, "fail")) << format << finished.out;
  }
  EXPECT_EQ(compare(compared_run(1.0), "--format nccl-tests").exit_code, 1);
}

TEST_F(Compare, TwoRunsBeforeAndAfter) {
  write_run("before", compared_run(1.0, 0.002));
  RunData after = compared_run(0.9, 0.002);
  after.run.environment["NCCL_ALGO"] = "Tree";
  write_run("after", after);
  const Finished finished = sweep("compare after --baseline before");
  EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "differs: NCCL_ALGO: unset there, Tree here")) << finished.out;
  EXPECT_EQ(sweep("compare before --baseline after/records.jsonl").exit_code, 0);
}

TEST_F(Compare, ABaselineIsMadeOnceFoundByItselfAndByName) {
  write_run("r", compared_run(1.0, 0.002));
  const Finished made = sweep("baseline make r");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, "wrote results/baselines/planted-2-nvlink.json\n");
  const Finished again = sweep("baseline make r");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(contains(again.err, "--replace")) << again.err;
  EXPECT_EQ(sweep("baseline make r --replace").exit_code, 0);
  EXPECT_TRUE(contains(sweep("baseline list").out, "planted-2-nvlink")) << "own ones are listed";
  const Finished automatic = sweep("compare r");
  EXPECT_EQ(automatic.exit_code, 0) << automatic.out << automatic.err;
  EXPECT_TRUE(contains(automatic.out, "made of this very run")) << automatic.out;
  EXPECT_EQ(sweep("compare r --baseline planted-2-nvlink").exit_code, 0);
}

TEST_F(Compare, APoorRunMakesNoBaseline) {
  write_run("r", compared_run(1.0, 0, 1));
  const Finished finished = sweep("baseline make r -o b.json");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(contains(finished.err, "one launch of the default")) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "b.json"));
  EXPECT_EQ(sweep("baseline make r -o b.json --anyway").exit_code, 0);
  EXPECT_TRUE(contains(read_file(folder_.path() / "b.json"), "\"note\":\"one launch"));
}

// Launches of nccl-tests on two H200 GPUs, of one setting and one library.
class CompareImported : public Compare {
 protected:
  void SetUp() override {
    const std::string launches = TEST_DATA "/launches/all_gather_";
    ASSERT_EQ(sweep("import " + launches + "0* -o before").exit_code, 0);
    ASSERT_EQ(sweep("import " + launches + "1* -o after").exit_code, 0);
  }
};

TEST_F(CompareImported, WithEachOther) {
  const Finished finished = sweep("compare after --baseline before");
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "pass: reaches 0.95")) << finished.out;
  EXPECT_FALSE(contains(finished.out, "not told")) << finished.out;
}

TEST_F(CompareImported, WithAFileMadeOfOne) {
  const Finished refused = sweep("baseline make before -o b.json");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "not all of its data was verified")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "import more launches")) << refused.err;
  EXPECT_EQ(sweep("baseline make before -o b.json --anyway").exit_code, 0);
  EXPECT_EQ(sweep("compare after --baseline b.json").exit_code, 0);
}

TEST_F(CompareImported, TheirBaselineIsNotCalledOurs) {
  ASSERT_EQ(sweep("baseline make before -o b.json --anyway").exit_code, 0);
  const std::string text = read_file(folder_.path() / "b.json");
  EXPECT_TRUE(contains(text, "\"class\":\"imported from logs\"")) << text;
  EXPECT_TRUE(contains(text, "\"title\":\"imported from " TEST_DATA "/launches/all_gather_0"));
  EXPECT_TRUE(contains(text, "\"recipe\":\"nccl-tests"));
  EXPECT_TRUE(contains(sweep("compare before --baseline b.json").out, "made of this very run"));
}

// The same launches, but for what nccl-tests was asked to print.
TEST_F(Compare, AnImportedRecipeThatDiffersIsExitCode5) {
  const std::string launch = TEST_DATA "/nccl-tests/all_gather_nccl2.28.9_launch1.json.gz";
  const std::string slowest =
      "zcat " + launch + " | sed 's/\"-J\"/\"-a\",\"3\",\"-J\"/' > slowest.json";
  ASSERT_EQ(run_shell(folder_.path(), slowest).exit_code, 0);
  ASSERT_EQ(sweep("import " + launch + " -o usual").exit_code, 0);
  ASSERT_EQ(sweep("import slowest.json -o slowest").exit_code, 0);
  const Finished finished = sweep("compare slowest --baseline usual --single");
  EXPECT_EQ(finished.exit_code, 5) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out,
                       "recipe: nccl-tests with times of single operations there, nccl-tests with "
                       "average 3, times of single operations here"))
      << finished.out;
  EXPECT_EQ(sweep("compare usual --baseline usual --single").exit_code, 0);
}

// The published figures and ours are of bfloat16 and know the link, which nccl-tests does not tell.
TEST_F(CompareImported, WithASweepsBaselineOfThisGpu) {
  Finished finished = sweep("compare after --baseline h200-2-nvlink");
  EXPECT_EQ(finished.exit_code, 5);
  EXPECT_TRUE(contains(finished.out, "dtype: bfloat16 there, float32 here")) << finished.out;
  std::string baseline = read_file(SOURCE_FOLDER "/results/baselines/h200-2-nvlink.json");
  const std::string dtype = "bfloat16";
  for (std::size_t at = baseline.find(dtype); at != std::string::npos; at = baseline.find(dtype)) {
    baseline.replace(at, dtype.size(), "float32");
  }
  write("float.json", baseline);
  finished = sweep("compare after --baseline float.json");
  EXPECT_TRUE(contains(finished.out, "16 MiB   154 GB/s")) << finished.out;
  EXPECT_TRUE(contains(finished.out, "NVLink 370.8 GB/s there, not told by what was imported here"))
      << finished.out;
}

TEST_F(Compare, BaselinesThatAreNoneAreOneClearError) {
  write_run("r", compared_run(1.0));
  write("empty.json", "");
  write("cut.json", R"({"nccl_sweep_baseline": 1, "fabrics": [{"na)");
  write("large.json", R"({"nccl_sweep_baseline": 1e309})");
  write("binary.json", "\x1f\x8b");
  std::filesystem::create_directory(folder_.path() / "folder");
  for (const char* name : {"empty.json", "cut.json", "large.json", "binary.json", "folder"}) {
    for (const char* command : {"baseline show ", "baseline check ", "compare r --baseline "}) {
      const Finished finished = sweep(std::string(command) + name);
      EXPECT_EQ(finished.exit_code, 1) << command << name;
      EXPECT_TRUE(contains(finished.err, std::string("nccl-sweep: ") + name)) << finished.err;
      EXPECT_FALSE(contains(finished.err, "json.exception")) << finished.err;
      EXPECT_TRUE(finished.out.empty()) << finished.out;
    }
  }
}

TEST_F(Compare, AnUnknownNameOrABrokenFileIsOneClearError) {
  write_run("r", compared_run(1.0));
  Finished finished = sweep("compare r --baseline public-h10");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(contains(finished.err, "did you mean 'public-h100'?")) << finished.err;
  write("broken.json", R"({"nccl_sweep_baseline": 1, "seriez": []})");
  finished = sweep("baseline check broken.json");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(contains(finished.err, "unknown key 'seriez'")) << finished.err;
  EXPECT_TRUE(finished.out.empty()) << finished.out;
}

TEST_F(Compare, TheShippedBaselinesAreListedShownAndChecked) {
  EXPECT_TRUE(contains(sweep("baseline list").out, "h100-8-nvlink"));
  const Finished shown = sweep("baseline show public-h100");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "contradiction: the floor of 800 GB/s")) << shown.out;
  EXPECT_TRUE(contains(sweep("baseline check").out, "public-h200.json: good"));
}

TEST_F(Compare, AWorkloadGivenByFileWeighsTheSizes) {
  RunData data = compared_run(1.0, 0.001);
  for (TrialOutcome& trial : data.trials) trial.cases[0].mean_seconds[0] *= 1.1;
  write("w.json", R"({"nccl_sweep_workload": 1, "cases": [{"collective": "all_gather",
      "dtype": "bfloat16", "bytes": 1048576, "group_size": 2, "calls": 3}]})");
  EXPECT_EQ(compare(data).exit_code, 0);
  const Finished finished = compare(data, "--workload w.json");
  EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
  EXPECT_TRUE(contains(finished.out, "of the workload's time")) << finished.out;
}

}  // namespace
}  // namespace nccl_sweep::test
