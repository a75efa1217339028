// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/experiment.hpp"
#include "core/error.hpp"
#include "report/nccl_tests_table.hpp"
#include "report/progress_line.hpp"
#include "report/result_tables.hpp"
#include "report/control_words.hpp"
#include "report/run_report.hpp"
#include "report/settings_files.hpp"
#include "report/settings_store.hpp"
#include "report/table.hpp"
#include "report/table_words.hpp"
#include "report/whole_file.hpp"
#include "simulated_run.hpp"

namespace nccl_sweep {
namespace {

namespace fs = std::filesystem;

Table small_table() {
  return {"title",
          {{"name", "name"}, {"time", "time_seconds", Align::right}},
          {{{"a|b"}, {"13.1 us", 13.1e-6}}, {{"with, comma \"x\""}, {"", CellValue{}}}},
          {"a note"}};
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class EmptyFolder {
 public:
  explicit EmptyFolder(const std::string& name) : path_(fs::path(testing::TempDir()) / name) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~EmptyFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Table, TextAlignsColumnsAndHasNoTrailingBlanks) {
  EXPECT_EQ(to_text(small_table(), false),
            "title\n"
            "  name                time\n"
            "  a|b              13.1 us\n"
            "  with, comma \"x\"\n"
            "  a note\n");
}

TEST(Table, ColourIsOnlyThereWhenAskedFor) {
  Table table = small_table();
  table.rows[0][0].tone = Tone::good;
  EXPECT_EQ(to_text(table, false).find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(table, true).find("\x1b[32m"), std::string::npos);
}

TEST(Table, MarkdownEscapesBars) {
  EXPECT_EQ(to_markdown(small_table()),
            "### title\n\n"
            "| name | time |\n| --- | ---: |\n"
            "| a\\|b | 13.1 us |\n| with, comma \"x\" |  |\n\n"
            "a note  \n");
}

TEST(Table, CsvHasExactValuesAndQuotesWhereNeeded) {
  EXPECT_EQ(to_csv(small_table()),
            "name,time_seconds\n"
            "a|b,1.31e-05\n"
            "\"with, comma \"\"x\"\"\",\n");
}

// Values and widths of nccl-tests 2.19.6: seven characters for times, six for bandwidths.
TEST(NcclTestsTable, NumbersKeepAsManyDecimalsAsFit) {
  EXPECT_EQ(nccl_tests_number(10.994, 7), "10.99");
  EXPECT_EQ(nccl_tests_number(1951.82, 7), "1951.82");
  EXPECT_EQ(nccl_tests_number(9999.996, 7), "10000.0");
  EXPECT_EQ(nccl_tests_number(263017.3, 7), "263017");
  EXPECT_EQ(nccl_tests_number(16000000, 7), "1.6e+07");
  EXPECT_EQ(nccl_tests_number(550.12, 6), "550.12");
  EXPECT_EQ(nccl_tests_number(1550.12, 6), "1550.1");
}

// Lines printed by all_gather_perf 2.19.6 on two GPUs.
TEST(NcclTestsTable, HeaderAndRowsAreThoseOfNcclTests) {
  Case c;
  c.dtype = DataType::float32;
  c.size = c.requested = Bytes{1 << 20};
  c.count = 131072;
  c.group_size = 2;
  Case in_place = c;
  in_place.placement = Placement::in_place;
  RunData data;
  data.run = tests::run_record(1, {c, in_place});
  TrialOutcome trial;
  trial.order = {1, Stage::grid, 0, 0};
  for (const auto& [i, microseconds] : {std::pair{0, 13.30}, std::pair{1, 13.055}}) {
    CaseTiming timing;
    timing.case_index = i;
    timing.ops_per_block = 20;
    timing.mean_seconds = {microseconds * 1e-6};
    timing.wrong_elements = 0;
    trial.cases.push_back(timing);
  }
  data.trials.push_back(trial);
  const std::string text = nccl_tests_tables(data);
  for (const char* line :
       {"#                                                              out-of-place              "
        "         in-place          \n",
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
        "time   algbw   busbw  #wrong \n",
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
        "(us)  (GB/s)  (GB/s)         \n",
        "     1048576        131072     float    none      -1    13.30   78.84   39.42       0    "
        "13.05   80.32   40.16       0\n",
        "# Out of bounds values : 0 OK\n", "# Collective test concluded: all_gather_perf\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  }
  EXPECT_TRUE(text.starts_with("# nccl-sweep version"));
  EXPECT_NE(text.substr(0, text.find('\n')).find("SIMULATED"), std::string::npos);
}

TEST(NcclTestsTable, FiguresOfCudaGraphsStandByThemselves) {
  Case plain = tests::large_case();
  Case graph = plain;
  graph.graph = true;
  RunData data;
  data.run = tests::run_record(1, {plain, graph});
  const std::string text = nccl_tests_tables(data);
  const std::size_t first = text.find(" graph: 0 ");
  const std::size_t second = text.find(" graph: 1 ");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(text.find("Collective test concluded", first), second);
}

TEST(NcclTestsTable, WhatWasNotMeasuredIsNotAvailable) {
  RunData data;
  data.run = tests::run_record(1, {tests::large_case()});
  FixedGrid experiment(1, 2, 1);
  data = tests::drive(experiment, data.run, [](const TrialOrder&, int) { return 0.0; });
  EXPECT_NE(nccl_tests_tables(data).find("  N/A      N/A     N/A     N/A     N/A\n"),
            std::string::npos)
      << nccl_tests_tables(data);
}

TEST(Report, EveryFormatOfASimulatedRunSaysSo) {
  ScreenConfirm experiment(3, Score({tests::large_case()}), 1, {});
  const RunData data = tests::drive(experiment, tests::run_record(3, {tests::large_case()}),
                                    tests::Planted({0, 0.1, 0}, 0.01, 1));
  for (const ReportFormat format :
       {ReportFormat::text, ReportFormat::markdown, ReportFormat::nccl_tests}) {
    ReportOptions options;
    options.format = format;
    EXPECT_NE(render_report(data, options).find("SIMULATED"), std::string::npos);
  }
  const RunFindings findings = find(data);
  for (const auto& row : points_table(data, findings).rows) {
    EXPECT_EQ(std::get<bool>(row[1].value), true);
  }
  for (const SettingsFile& file :
       settings_files(data, findings, recommend(data, findings), "run")) {
    EXPECT_TRUE(file.content.starts_with("# SIMULATED")) << file.name;
  }
}

TEST(Report, EveryFormatOfARunOnNodesThatDifferSaysSo) {
  ScreenConfirm experiment(3, Score({tests::large_case()}), 1, {});
  RunRecord run = tests::run_record(3, {tests::large_case()});
  run.simulated = false;
  run.mismatches = {"NCCL_X=1 on n2 (rank 1); NCCL_X unset on n1 (rank 0)"};
  const RunData data = tests::drive(experiment, run, tests::Planted({0, 0.1, 0}, 0.01, 1));
  const auto report = [&](ReportFormat format) {
    ReportOptions options;
    options.format = format;
    return render_report(data, options);
  };
  for (const ReportFormat format : {ReportFormat::text, ReportFormat::markdown, ReportFormat::json,
                                    ReportFormat::nccl_tests}) {
    EXPECT_NE(report(format).find("NCCL_X unset on n1"), std::string::npos) << report(format);
  }
  EXPECT_NE(report(ReportFormat::text).find("settings tried  NODES DIFFER"), std::string::npos);
  for (const auto& row : points_table(data, find(data)).rows) {
    EXPECT_NE(row.back().text.find("nodes differ"), std::string::npos);
  }
  const RunFindings findings = find(data);
  const Recommendation found = recommend(data, findings);
  for (const SettingsFile& file : settings_files(data, findings, found, "run")) {
    EXPECT_NE(file.content.find("nodes that differ"), std::string::npos) << file.name;
  }
  EXPECT_NE(settings_entry(data, findings, found, "run").scope.find("nodes that differ"),
            std::string::npos);
}

TEST(Report, SaysThatTheMachineChangedAndWhichRoundsItDivides) {
  ScreenConfirm experiment(24, Score({tests::large_case()}), 3, {});
  tests::Planted noise(std::vector<double>(24, 0.0), 0.01, 3);
  const RunData data =
      tests::drive(experiment, tests::run_record(24, {tests::large_case()}),
                   [&](const TrialOrder& order, int i) {  // trials 25 to 34 are the second round
                     return noise(order, i) + (order.index < 30 ? 0 : 0.1);
                   });
  const std::string text = render_run_report(data, false);
  EXPECT_NE(text.find("note    the machine got 1"), std::string::npos) << text;
  EXPECT_NE(text.find("slower from trial 30 on, inside screening round 2: "), std::string::npos)
      << text;
  ReportOptions json;
  json.format = ReportFormat::json;
  EXPECT_NE(render_report(data, json).find("\"kind\": \"step\""), std::string::npos);
}

TEST(Report, AnUnknownFormatIsAUsageErrorWithTheWordsThatAreKnown) {
  EXPECT_EQ(parse_report_format("nccl-tests"), ReportFormat::nccl_tests);
  try {
    parse_report_format("yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    EXPECT_NE(error.hint().find("markdown"), std::string::npos);
  }
}

TEST(Report, ARunWithoutAnyTrialHasNoVerdictAndNoError) {
  RunData data;
  data.run = tests::run_record(4, {tests::large_case()});
  for (const ReportFormat format : {ReportFormat::text, ReportFormat::markdown, ReportFormat::csv,
                                    ReportFormat::json, ReportFormat::nccl_tests}) {
    ReportOptions options;
    options.format = format;
    EXPECT_FALSE(render_report(data, options).empty());
  }
  EXPECT_NE(render_run_report(data, false).find("keep the default"), std::string::npos);
}

TEST(SettingsFiles, QuoteWhatTheShellWouldTakeApart) {
  EXPECT_EQ(shell_quoted("Ring,Tree"), "Ring,Tree");
  EXPECT_EQ(shell_quoted("^docker0"), "'^docker0'");
  EXPECT_EQ(shell_quoted("a'b c"), "'a'\\''b c'");
  EXPECT_EQ(shell_quoted(""), "''");
}

SettingsFile file_named(const std::vector<SettingsFile>& files, const std::string& name) {
  for (const SettingsFile& file : files) {
    if (file.name == name) return file;
  }
  return {};
}

std::vector<SettingsFile> files_for(const Assignments& winner, double gain) {
  RunRecord run = tests::run_record(2, {tests::large_case()});
  run.candidates[1].assignments = winner;
  run.environment = {{"NCCL_IB_HCA", "mlx5"}, {"NCCL_ALGO", "Tree"}};
  ScreenConfirm experiment(2, Score({tests::large_case()}), 1, {});
  const RunData data =
      tests::drive(experiment, std::move(run), tests::Planted({0, gain}, 0.005, 1));
  const RunFindings findings = find(data);
  return settings_files(data, findings, recommend(data, findings), "run-1");
}

TEST(SettingsFiles, NeverSetTheLibraryAndSayWhatTheSiteHad) {
  const auto files = files_for({{"NCCL_ALGO", "Ring"}, {"nccl_library", "/opt/libnccl.so"}}, 0.1);
  const std::string env = file_named(files, "recommended.env").content;
  EXPECT_NE(env.find("\nNCCL_ALGO=Ring\n"), std::string::npos);
  EXPECT_EQ(env.find("\nnccl_library"), std::string::npos);
  EXPECT_NE(env.find("# replaces NCCL_ALGO=Tree of the site's environment"), std::string::npos);
  EXPECT_NE(env.find("# measured with NCCL_IB_HCA=mlx5"), std::string::npos);
  EXPECT_NE(file_named(files, "recommended.sh").content.find("\nexport NCCL_ALGO=Ring\n"),
            std::string::npos);
  EXPECT_NE(file_named(files, "recommended.launch").content.find("mpirun -x NCCL_ALGO=Ring"),
            std::string::npos);
}

TEST(SettingsFiles, AWinnerWithoutASiteVariableUnsetsIt) {
  const auto files = files_for({{"NCCL_ALGO", "unset"}}, 0.1);
  EXPECT_NE(file_named(files, "recommended.sh").content.find("\nunset NCCL_ALGO\n"),
            std::string::npos);
  EXPECT_NE(file_named(files, "recommended.launch").content.find("\nunset NCCL_ALGO\n"),
            std::string::npos);
  for (const char* name : {"recommended.env", "nccl.conf"}) {
    const std::string text = file_named(files, name).content;
    EXPECT_EQ(text.find("\nNCCL_ALGO"), std::string::npos) << text;
    EXPECT_NE(text.find("# NCCL_ALGO must not be set"), std::string::npos) << text;
  }
}

TEST(SettingsFiles, ConfFileHasEqualsSignsInSettingsOnly) {
  std::istringstream conf(file_named(files_for({{"NCCL_ALGO", "Ring"}}, 0.1), "nccl.conf").content);
  int settings = 0;
  for (std::string line; std::getline(conf, line);) {
    if (line.find('=') == std::string::npos) continue;
    EXPECT_EQ(line, "NCCL_ALGO=Ring");
    ++settings;
  }
  EXPECT_EQ(settings, 1);
}

TEST(SettingsFiles, KeepingTheDefaultMeansCommentsOnly) {
  for (const SettingsFile& file : files_for({{"NCCL_ALGO", "Ring"}}, 0)) {
    std::istringstream lines(file.content);
    for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("#")) << line;
    EXPECT_NE(file.content.find("keep the default"), std::string::npos);
  }
}

TEST(SettingsStore, KeepsAHistoryAndReplacesEntriesOfTheSameRun) {
  const EmptyFolder folder("nccl-sweep-settings-store");
  SettingsEntry entry;
  entry.nccl = "2.28.9";
  entry.setting = "NCCL_ALGO=Ring";
  for (const auto& [run, date] : {std::pair{"b", "2026-02"}, std::pair{"a", "2026-01"},
                                  std::pair{"b", "2026-02"}, std::pair{"c", "2026-03"}}) {
    entry.run = run;
    entry.date = date;
    if (entry.run == "c") entry.nccl = "2.30.1";
    remember_setting(folder.path(), "my/fabric", entry);
  }
  const auto all = load_all_settings(folder.path());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].fabric, "my/fabric");
  ASSERT_EQ(all[0].entries.size(), 3U);
  EXPECT_EQ(all[0].entries[0].run, "a");
  entry.run = "imported";  // from logs that tell no date: the newest, not the oldest
  entry.date.clear();
  EXPECT_EQ(load_settings(remember_setting(folder.path(), "my/fabric", entry)).entries.back().run,
            "imported");
  const Table table = settings_history(all[0]);  // another NCCL does not replace
  EXPECT_EQ(table.rows[0].back().text, "current");
  EXPECT_EQ(table.rows[1].back().text, "current");
  EXPECT_EQ(table.rows[2].back().text, "replaced");
}

TEST(SettingsStore, ABrokenFileIsNamed) {
  const EmptyFolder folder("nccl-sweep-settings-broken");
  const fs::path file = folder.path() / "x.json";
  std::ofstream(file) << "{";
  try {
    load_settings(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), file.string());
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    EXPECT_EQ(error.message().find("json.exception"), std::string::npos);
  }
}

TEST(WholeFile, ReplacesAndLeavesNothingElseBehind) {
  const EmptyFolder folder("nccl-sweep-whole-file");
  const fs::path file = folder.path() / "sub" / "settings.env";
  write_whole_file(file, "old");
  write_whole_file(file, "new");
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

TEST(WholeFile, AFolderThatCannotBeMadeIsAnEnvironmentErrorWithItsName) {
  const EmptyFolder folder("nccl-sweep-whole-file-error");
  std::ofstream(folder.path() / "file") << "x";
  const fs::path file = folder.path() / "file" / "settings.env";
  try {
    write_whole_file(file, "text");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::environment);
    EXPECT_EQ(error.where(), file.string());
  }
}

TEST(ProgressLine, ShortensTheSettingToFitTheTerminal) {
  const ProgressState state{
      8, 45, "screen 2/3", "buffer=symmetric NCCL_SYM_CTAS=32", Seconds{1.4}, Seconds{50}, 1};
  EXPECT_EQ(progress_line(state, 0),
            "[ 8/45] screen 2/3  buffer=symmetric NCCL_SYM_CTAS=32  1.40 s  ETA 50.0 s  1 failed");
  const std::string cut = progress_line(state, 60);
  EXPECT_EQ(cut.size(), 60U);
  EXPECT_TRUE(cut.ends_with("...  1.40 s  ETA 50.0 s  1 failed")) << cut;
  EXPECT_EQ(progress_line(state, 10).size(), 10U);
}

TEST(Gain, IsShownWithItsUncertaintyWhereThereIsOne) {
  EXPECT_EQ(format_gain({1.256, {1.22, 1.29}, 0.95, 6}), "1.26x +-0.04");
  EXPECT_EQ(format_gain({1.2004, {1.197, 1.2038}, 0.95, 6}), "1.200x +-0.003");
  EXPECT_EQ(format_gain({1.256, {0, 0}, 0, 2}), "1.26x");
}

TEST(Gain, AWideIntervalIsShownByItsEndsAndOneOfTwoPairsNotAtAll) {
  EXPECT_EQ(format_gain({0.87, {0.03, 20.5}, 0.95, 3}), "0.87x (0.03x to 20.5x)");
  EXPECT_EQ(format_gain({0.87, {0.00001, 86817.4}, 0.95, 3}), "0.87x (0.00x to 86817x)");
  EXPECT_EQ(format_gain({0.87, {0.03, 20.5}, 0.95, 2}), "0.87x");
}

TEST(Words, OneIsSingular) {
  EXPECT_EQ(counted(1, "whole round"), "1 whole round");
  EXPECT_EQ(counted(0, "trial"), "0 trials");
}

Case scaled_case(std::int64_t mebibytes = 64) {
  Case c = tests::large_case(mebibytes);
  c.calls = 3;
  c.workload_group_size = 8;
  return c;
}

TEST(Report, FiguresOfScaledCasesSaySoEverywhere) {
  const std::vector<Case> cases{scaled_case()};
  ScreenConfirm experiment(2, Score(cases), 1, {});
  RunData data =
      tests::drive(experiment, tests::run_record(2, cases), tests::Planted({0, 0.1}, 0.005, 1));
  data.run.workload = WorkloadSummary{"job", "kineto", 3};
  EXPECT_NE(nccl_tests_tables(data).find("\n# scaled from 2 ranks\n"), std::string::npos);
  EXPECT_NE(render_run_report(data, false).find("unknown), partly scaled from 2 ranks\n"),
            std::string::npos);
  const RunFindings findings = find(data);
  const SettingsEntry entry = settings_entry(data, findings, recommend(data, findings), "run");
  EXPECT_EQ(entry.scaled, "partly scaled from 2 ranks");
  const EmptyFolder folder("nccl-sweep-settings-scaled");
  const FabricSettings kept = load_settings(remember_setting(folder.path(), "f", entry));
  EXPECT_NE(settings_history(kept).notes.at(0).find(entry.scaled), std::string::npos);
}

TEST(Report, ADefaultThatOnlyFailedHasNoRatio) {
  ScreenConfirm experiment(3, Score({tests::large_case()}), 1, {});
  const RunData data = tests::drive(experiment, tests::run_record(3, {tests::large_case()}),
                                    tests::Planted({0, 0, 0}, 0.01, 1),
                                    [](const TrialOrder&) { return Outcome::crashed; });
  const Table table = settings_table(data, find(data));
  EXPECT_EQ(table.rows[0][1].text, "");
  EXPECT_EQ(table.rows[0][2].text, "failed");
}

TEST(NcclTestsTable, WithoutAnyTrialThereIsNoAverageAndNothingIsOk) {
  RunData data;
  data.run = tests::run_record(1, {tests::large_case()});
  const std::string text = nccl_tests_tables(data);
  EXPECT_NE(text.find("\n# no trial was measured\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Avg bus"), std::string::npos);
  EXPECT_EQ(text.find("Out of bounds"), std::string::npos);
}

TEST(NcclTestsTable, SizesOfTheHeaderAreThoseAskedFor) {
  RunData data;
  data.run = tests::run_record(1, {tests::large_case()});
  const auto header = [&](const std::string& sizes) {
    data.run.spec = R"({"backend": "host", "collectives": ["all_gather"], "sizes": )" + sizes + "}";
    const std::string text = nccl_tests_tables(data);
    return text.substr(text.find("minBytes"), text.find(" warmup") - text.find("minBytes"));
  };
  EXPECT_EQ(header("[4, 8, 12]"), "minBytes 4 maxBytes 12 step: 4(bytes)");
  EXPECT_EQ(header(R"({"from": 8, "to": "8K", "factor": 4})"),
            "minBytes 8 maxBytes 8192 step: 4(factor)");
}

TEST(SettingsFiles, AVariableThatOthersVariedIsNotCalledNotVaried) {
  const std::string kept = file_named(files_for({{"NCCL_ALGO", "Ring"}}, 0), "nccl.conf").content;
  EXPECT_NE(kept.find("# the default is the site's NCCL_ALGO:Tree"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("NCCL_ALGO:Tree of the site's environment, not varied"), std::string::npos);
  EXPECT_NE(kept.find("NCCL_IB_HCA:mlx5 of the site's environment, not varied"), std::string::npos);
}

TEST(SettingsStore, SweepsWithoutAWorkloadAreToldApartByWhatTheyCompared) {
  RunRecord run = tests::run_record(2, {tests::large_case()});
  const std::string key = sweep_key(run);
  run.name = "another name";
  run.candidates[1].assignments[0].second = "another value";
  EXPECT_EQ(sweep_key(run), key);
  RunRecord other = run;
  other.cases = {tests::large_case(1)};
  EXPECT_NE(sweep_key(other), key);
  other = run;
  other.candidates[1].assignments[0].first = "NCCL_OTHER";
  EXPECT_NE(sweep_key(other), key);
  other = run;
  other.environment = {{"NCCL_ALGO", "Tree"}};
  EXPECT_NE(sweep_key(other), key);
}

TEST(SettingsStore, AnUndecidedRunNeverReplacesADecidedOne) {
  SettingsEntry entry;
  entry.workload = "spec vary";
  entry.sweep = "1a2b3c4d";
  entry.gain = Gain{1.1, {0, 0}, 0, 1};
  FabricSettings settings{"f", {}};
  for (const auto& [run, verdict] : {std::pair{"first", "undecided"}, std::pair{"good", "better"},
                                     std::pair{"last", "undecided"}}) {
    entry.run = run;
    entry.verdict = verdict;
    settings.entries.push_back(entry);
  }
  const Table table = settings_history(settings);
  EXPECT_EQ(table.rows[0][8].text, "good");
  EXPECT_EQ(table.rows[0].back().text, "current");
  EXPECT_EQ(table.rows[1].back().text, "undecided");
  EXPECT_EQ(table.rows[2].back().text, "replaced");
  entry.sweep = "another";
  settings.entries.push_back(entry);
  EXPECT_EQ(settings_history(settings).rows[1].back().text, "current");
  const EmptyFolder folder("nccl-sweep-settings-one-pair");
  const fs::path file = remember_setting(folder.path(), "f", entry);
  EXPECT_EQ(text_of(file).find("confidence"), std::string::npos);
  EXPECT_EQ(load_settings(file).entries.at(0).gain->pairs, 1);
}

TEST(SettingsStore, AnotherSpanOverSwitchesIsAnotherKey) {
  SettingsEntry entry;
  entry.nodes = 4;
  entry.verdict = "better";
  FabricSettings settings{"f", {}};
  for (const char* span : {"leaf", "leaves-2", ""}) {
    entry.run = entry.span = span;
    settings.entries.push_back(entry);
  }
  const Table table = settings_history(settings);
  for (const auto& row : table.rows) EXPECT_EQ(row.back().text, "current");
  EXPECT_EQ(table.rows[0][5].text, "unknown");
  EXPECT_EQ(table.rows[1][5].text, "leaves-2");
  const EmptyFolder folder("nccl-sweep-settings-span");
  const fs::path file = remember_setting(folder.path(), "f", settings.entries.front());
  EXPECT_EQ(load_settings(file).entries.at(0).span, "leaf");
}

TEST(Records, WhatIsNoRecordIsSaidInOurWords) {
  try {
    parse_record("hello", "x:1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "not a record of nccl-sweep");
    EXPECT_FALSE(error.hint().empty());
  }
}

RunData a_run_on_hosts(const std::vector<SlowRank>& slowest) {
  RunData data;
  data.run.workers = 16;
  TrialOutcome trial;
  trial.order.stage = Stage::grid;
  CaseTiming timing;
  timing.mean_seconds.assign(10, 1e-3);
  trial.cases = {timing};
  trial.slowest = slowest;
  data.trials = {trial, trial};
  return data;
}

TEST(ControlWords, ARankOrAHostThatIsBehindInMostBlocksIsNamed) {
  EXPECT_EQ(slowest_line(a_run_on_hosts({{12, "node3", 8, 0.07}, {1, "node0", 2, 0.3}})),
            "slowest rank 12 on node3 in 80 % of blocks, 7 % over the mean");
  EXPECT_EQ(slowest_line(a_run_on_hosts({{12, "node3", 4, 0.07}, {13, "node3", 3, 0.07},
                                         {1, "node0", 3, 0.1}})),
            "slowest host node3 in 70 % of blocks, 7 % over the mean");
  EXPECT_EQ(slowest_line(a_run_on_hosts({{12, "node3", 8, 0.04}, {1, "node0", 2, 0.3}})), "");
  EXPECT_EQ(slowest_line(a_run_on_hosts({{12, "node3", 5, 0.2}, {1, "node0", 5, 0.2}})), "");
  RunData pair = a_run_on_hosts({{1, "node1", 9, 0.2}});
  pair.run.workers = 2;
  EXPECT_EQ(slowest_line(pair), "");
}

TEST(ControlWords, SayWhatSupervisingSeveralAgentsCost) {
  RunData data;
  EXPECT_EQ(control_line(data), "");
  data.end = EndRecord{};
  EXPECT_EQ(control_line(data), "");
  data.end->control = ControlFigures{};
  EXPECT_EQ(control_line(data), "");
  data.end->control->agents = 512;
  data.end->control->messages_per_trial = 18;
  data.end->control->bytes_per_trial = 21'504;
  data.end->control->trial_seconds = 2;
  data.end->control->supervision_seconds = 0.5;
  EXPECT_EQ(control_line(data), "control 512 agents  18 messages, 21 KiB a trial at rank 0; 500 ms "
                                "of 2.00 s a trial around the measuring");
}

}  // namespace
}  // namespace nccl_sweep
