// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "small_traces.hpp"

namespace nccl_sweep::test {
namespace {

Workload sample() {
  Workload workload;
  workload.name = "job";
  workload.iterations = 3;
  workload.world_size = 16;
  workload.sources = {{"a.json", "kineto", "PyTorch profiler", 3}};
  workload.cases = {
      {Collective::reduce_scatter, DataType::bfloat16, ReduceOp::avg, 512, {1024}, 8, 2, 1.5},
      {Collective::all_gather, DataType::uint8, ReduceOp::sum, 64, {64}, 2, 0, 12}};
  workload.notes = {"wait records: 14", "odd \"name\" \xff"};
  return workload;
}

std::string load_error(const Folder& folder, const std::string& text) {
  try {
    load_workload(folder.write("w.json", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

std::string with_case(const std::string& members) {
  return "{\"nccl_sweep_workload\": 1, \"cases\": [{" + members + "}]}";
}

TEST(WorkloadFile, WhatIsSavedIsLoaded) {
  const Folder folder;
  const auto file = folder.path() / "w.json";
  save_workload(sample(), file);
  const Workload loaded = load_workload(file);
  EXPECT_EQ(lines_of(loaded), lines_of(sample()));
  EXPECT_EQ(loaded.cases[0].op, ReduceOp::avg);
  EXPECT_EQ(loaded.iterations, 3);
  EXPECT_EQ(loaded.world_size, 16);
  EXPECT_EQ(loaded.name, "job");
  EXPECT_EQ(loaded.sources.at(0).rank, 3);
  EXPECT_EQ(loaded.notes.at(0), "wait records: 14");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WorkloadFile, CasesCarryTheDocumentedFields) {
  const std::string text = to_json_text(sample());
  EXPECT_NE(text.find(R"({"collective":"all_gather","dtype":"uint8","count":64,"bytes":64,)"
                      R"("group_size":2,"calls":12})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"collective":"reduce_scatter","dtype":"bfloat16","op":"avg","count":512,)"
                      R"("bytes":1024,"group_size":8,"group_stride":2,"calls":1.5})"),
            std::string::npos)
      << text;
}

TEST(WorkloadFile, TheShippedWorkloadIsTheImportedTrace) {
  const Workload shipped = load_workload(SOURCE_FOLDER "/sweeps/workloads/fsdp2.workload.json");
  const Workload imported = read_traces({kData / "traces" / "fsdp2_kineto_rank0.json.gz"}, {});
  EXPECT_EQ(lines_of(shipped), lines_of(imported));
  EXPECT_EQ(shipped.name, "fsdp2");
}

TEST(WorkloadFile, AHandWrittenFileMayGiveASizeOrACountAndComments) {
  const Folder folder;
  const Workload loaded = load_workload(folder.write("w.json", R"({
    "nccl_sweep_workload": 1,  // by hand
    "cases": [
      {"collective": "all_reduce", "dtype": "float32", "bytes": "64K", "group_size": 8, "calls": 1},
      {"collective": "broadcast", "dtype": "half", "count": 10, "group_size": 8, "calls": 2}]})"));
  EXPECT_EQ(lines_of(loaded),
            (Lines{"all_reduce float32 65536 x8/0 1", "broadcast float16 20 x8/0 2"}));
  EXPECT_EQ(loaded.name, "w");
}

TEST(WorkloadFile, MistakesAreNamedWithTheirPlace) {
  const Folder folder;
  const std::string good =
      R"("collective": "all_reduce", "dtype": "float32", "group_size": 8, "calls": 1)";
  const auto expect_error = [&](const std::string& text, std::string_view part) {
    const std::string error = load_error(folder, text);
    EXPECT_NE(error.find(part), std::string::npos) << text << " gave: " << error;
  };
  EXPECT_EQ(load_error(folder, with_case(good + R"(, "count": 2)")), "");
  expect_error(with_case(good), "#/cases/0: lacks \"bytes\"");
  expect_error(with_case(good + R"(, "bytes": 6)"), "multiple of the 4 bytes");
  expect_error(with_case(good + R"(, "bytes": 8, "count": 3)"), "#/cases/0/count");
  expect_error(with_case(good + R"(, "bytes": 8, "byts": 3)"), "unknown key \"byts\"");
  expect_error(with_case(good + R"(, "bytes": -8)"), "whole number");
  expect_error(with_case(good + R"(, "bytes": 1e300)"), "whole number");
  expect_error(with_case(R"("collective": "all_redcue")"), "all_reduce");
  expect_error(R"({"nccl_sweep_workload": 1, "cases": []})", "must not be empty");
  expect_error(R"({"nccl_sweep_workload": 99, "cases": []})", "version 99");
  expect_error("{\"cases\": []}", "is not a workload");
  expect_error("{\n\n\"nccl_sweep_workload\": }", "w.json:3");
  expect_error("", "is not valid JSON");
  expect_error("[1]", "is not a workload");
}

TEST(WorkloadFile, AnOutputThatCannotBeWrittenIsAnEnvironmentErrorAndLeavesNothing) {
  const Folder folder;
  for (const auto& file : {folder.path(), folder.path() / "none" / "w.json"}) {
    for (const bool save : {false, true}) {
      try {
        save ? save_workload(sample(), file) : check_writable(file);
        ADD_FAILURE() << file;
      } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::environment);
      }
    }
  }
  EXPECT_THROW(save_workload(sample(), "/dev/full"), Error);
  check_writable(folder.path() / "new.json");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace nccl_sweep::test
