// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Every renderer against its approved output, from the record files under tests/data/runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "importing/imported_run.hpp"
#include "planted_runs.hpp"
#include "report/run_report.hpp"
#include "report/settings_files.hpp"
#include "report/settings_store.hpp"

namespace nccl_sweep {
namespace {

using tests::expect_approved;
using tests::expect_approved_file;
using tests::records_text;

std::filesystem::path run_file(const std::string& name) {
  return std::filesystem::path(TEST_DATA) / "runs" / name / kRecordFile;
}

std::string report(const std::string& name, ReportFormat format, bool all = false) {
  ReportOptions options;
  options.format = format;
  options.all_settings = all;
  return render_report(read_run(run_file(name)), options);
}

std::string settings_text(const std::string& name) {
  const RunData data = read_run(run_file(name));
  const RunFindings findings = find(data);
  std::string text;
  for (const SettingsFile& file : settings_files(data, findings, recommend(data, findings), name)) {
    text += "---- " + file.name + "\n" + file.content;
  }
  return text;
}

// First, so that approving makes the files that the others read.
TEST(Golden, RecordFilesAreWrittenAsApproved) {
  expect_approved_file(run_file("workload"), records_text(tests::workload_run()));
  expect_approved_file(run_file("simulated"), records_text(tests::simulated_run()));
  expect_approved_file(run_file("grid"), records_text(tests::grid_run()));
  expect_approved_file(run_file("bench"), records_text(tests::bench_run()));
  expect_approved_file(run_file("alarm"), records_text(tests::alarm_run()));
}

TEST(Golden, TextOfAWorkloadRun) {
  expect_approved("workload.txt", report("workload", ReportFormat::text));
  expect_approved("workload.all.txt", report("workload", ReportFormat::text, true));
}

TEST(Golden, TextOfASimulatedRunAndOfAGrid) {
  expect_approved("simulated.txt", report("simulated", ReportFormat::text));
  expect_approved("grid.txt", report("grid", ReportFormat::text));
  expect_approved("bench.txt", report("bench", ReportFormat::text));
}

TEST(Golden, TextOfRunsWithATwinThatIsQuietAndOneThatRaisesTheAlarm) {
  expect_approved("alarm.txt", report("alarm", ReportFormat::text));
  expect_approved("alarm-raised.txt", render_report(tests::raised_alarm_run(), {}));
}

// Measured, on two H200 GPUs: a setting that wins and what it costs, one that has nothing to act on,
// and a ladder of which each step is proven.
TEST(Golden, TextOfRunsOnGpus) {
  expect_approved("h200-fsdp2.txt", report("h200-fsdp2", ReportFormat::text));
  expect_approved("h200-ib.txt", report("h200-ib", ReportFormat::text));
  expect_approved("h200-ctas.txt", report("h200-ctas", ReportFormat::text, true));
}

TEST(Golden, Markdown) {
  expect_approved("workload.md", report("workload", ReportFormat::markdown));
  expect_approved("simulated.md", report("simulated", ReportFormat::markdown));
}

TEST(Golden, Csv) {
  expect_approved("workload.csv", report("workload", ReportFormat::csv));
  expect_approved("simulated.csv", report("simulated", ReportFormat::csv));
}

TEST(Golden, Json) {
  expect_approved("workload.json", report("workload", ReportFormat::json));
  expect_approved("simulated.json", report("simulated", ReportFormat::json));
}

TEST(Golden, NcclTestsTable) {
  expect_approved("bench.nccl-tests.txt", report("bench", ReportFormat::nccl_tests));
  expect_approved("workload.nccl-tests.txt", report("workload", ReportFormat::nccl_tests));
}

TEST(Golden, SettingsFilesOfAWinnerOfNoGainAndOfASimulation) {
  expect_approved("workload.settings.txt", settings_text("workload"));
  expect_approved("simulated.settings.txt", settings_text("simulated"));
  expect_approved("alarm.settings.txt", settings_text("alarm"));
  expect_approved("h200-fsdp2.settings.txt", settings_text("h200-fsdp2"));
}

// Two launches each of two libraries, as text: what is made of somebody's old logs.
TEST(Golden, TextAndSettingsFilesOfImportedLaunches) {
  std::vector<std::filesystem::path> files;
  for (const char* operation : {"all_gather", "reduce_scatter"}) {
    for (const char* launch : {"2.28.3_launch1", "2.28.3_launch2", "2.28.9_launch1",
                               "2.28.9_launch2"}) {
      files.push_back(std::filesystem::path(TEST_DATA) / "nccl-tests" /
                      fmt::format("{}_nccl{}.log.gz", operation, launch));
    }
  }
  ImportedRunOptions options;
  options.version = "0.1.0";
  options.name = "old-logs";
  const RunData data = make_run(read_launches(files), options);
  expect_approved("imported.txt", render_report(data, {}));
  const RunFindings findings = find(data);
  std::string text;
  for (const SettingsFile& file :
       settings_files(data, findings, recommend(data, findings), "old-logs")) {
    text += "---- " + file.name + "\n" + file.content;
  }
  expect_approved("imported.settings.txt", text);
}

TEST(Golden, SettingsKeptPerFabric) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "nccl-sweep-golden-settings";
  std::filesystem::remove_all(folder);
  const RunData data = read_run(run_file("workload"));
  const RunFindings findings = find(data);
  SettingsEntry entry = settings_entry(data, findings, recommend(data, findings), "run-2");
  SettingsEntry earlier = entry;
  earlier.run = "run-1";
  earlier.date = "2025-12-01T00:00:00Z";
  remember_setting(folder, data.run.fabric.name, entry);
  remember_setting(folder, data.run.fabric.name, earlier);
  const auto file = remember_setting(folder, data.run.fabric.name, entry);
  expect_approved("settings.json", tests::file_text(file));
  expect_approved("best.txt", to_text(settings_history(load_settings(file)), false));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace nccl_sweep
