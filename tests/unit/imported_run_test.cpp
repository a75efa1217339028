// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches as a run: which are compared with which, and what is said of them.
#include "importing/imported_run.hpp"

#include "analysis/recommendation.hpp"
#include "report/run_report.hpp"
#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

RunData run_of(const ImportedFiles& files, std::vector<NamedSetting> settings = {}) {
  ImportedRunOptions options;
  options.version = "0.1.0";
  options.name = "imported";
  options.started = "2026-01-02T03:04:05Z";
  options.settings = std::move(settings);
  return make_run(files, options);
}

ImportedFiles shipped(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& name : names) paths.push_back(kLaunches / name);
  return read_launches(paths);
}

// `count` launches near `microseconds`, of one file.
ImportedFiles launches(const std::vector<std::pair<std::string, std::vector<double>>>& by_file) {
  const Folder folder;
  std::vector<std::filesystem::path> paths;
  int pid = 1000;
  for (const auto& [name, times] : by_file) {
    std::string text;
    for (const double time : times) text += launch(time, pid += 100);
    paths.push_back(folder.write(name, text));
  }
  return read_launches(paths);
}

// What a launch took by the clock, of these two stamps.
double seconds_of_launch(const std::string& started, const std::string& ended) {
  ImportedFiles files = launches({{"a.txt", {100}}});
  files.launches.front().started = started;
  files.launches.front().ended = ended;
  return run_of(files).trials.front().total_seconds;
}

std::string names(const RunData& data) {
  std::string text;
  for (const Candidate& candidate : data.run.candidates) text += name_of(candidate) + "|";
  return text;
}

std::string refusal_of(const ImportedFiles& files) {
  try {
    run_of(files);
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

TEST(ImportedRun, TimeStampsTellHowLongALaunchTookUnlessOneIsWrong) {
  EXPECT_EQ(seconds_of_launch("2026-07-10 09:15:02", "2026-07-10 09:16:02"), 60);
  EXPECT_EQ(seconds_of_launch("2026-07-10 09:15:02", "2026-07-10 09:15:01"), 0);
  EXPECT_EQ(seconds_of_launch("2026-07-10 09:15:02", "4052-07-10 09:15:09"), 0);
  EXPECT_EQ(seconds_of_launch("", "2026-07-10 09:16:02"), 0);
}

TEST(ImportedRun, LaunchesOfDifferentCollectivesStandTogetherInATrial) {
  const RunData data = run_of(shipped(
      {"all_gather_nccl2.28.9_launch1.json.gz", "all_gather_nccl2.28.9_launch2.json.gz",
       "reduce_scatter_nccl2.28.9_launch1.json.gz", "reduce_scatter_nccl2.28.9_launch2.json.gz"}));
  EXPECT_EQ(data.run.cases.size(), 40U);
  ASSERT_EQ(data.trials.size(), 2U);
  EXPECT_EQ(data.trials[0].cases.size(), 40U);
  EXPECT_NE(data.trials[1].source.find("reduce_scatter_nccl2.28.9_launch2"), std::string::npos);
  EXPECT_EQ(data.run.fabric.name, "h200-2");
  EXPECT_TRUE(Score(data.run.cases).of(data.trials[0]).has_value());
}

TEST(ImportedRun, AnotherLibraryIsAnotherSetting) {
  const RunData data = run_of(
      shipped({"all_gather_nccl2.28.3_launch1.log.gz", "all_gather_nccl2.28.9_launch1.log.gz"}));
  EXPECT_EQ(names(data), "default|nccl_library=2.28.9|");
  EXPECT_EQ(data.run.fabric.versions.at("nccl"), "2.28.3");
}

TEST(ImportedRun, VariablesThatDifferNameTheCandidates) {
  ImportedFiles files = launches({{"all_reduce.log", {100, 101, 102, 103, 104}}});
  files.launches[0].environment = {
      {"NCCL_ALGO", "Ring"}, {"NCCL_NET", "IB"}, {"NCCL_DEBUG", "INFO"}};
  files.launches[1].environment = {{"NCCL_NET", "IB"}, {"CUDA_VISIBLE_DEVICES", "1"}};
  files.launches[2].environment = {{"NCCL_ALGO", "Tree"}, {"NCCL_NET", "IB"}};
  files.launches[3].environment = {{"NCCL_ALGO", "Ring"}, {"NCCL_NET", "IB"}};
  files.launches[4].environment = files.launches[1].environment;
  for (ImportedLaunch& one : files.launches) one.environment_known = true;
  const RunData data = run_of(files);
  EXPECT_EQ(names(data), "default|NCCL_ALGO=Ring|NCCL_ALGO=Tree|");
  EXPECT_EQ(data.run.environment, (std::map<std::string, std::string>{{"NCCL_NET", "IB"}}));
  std::vector<int> candidates;
  for (const TrialOutcome& trial : data.trials) candidates.push_back(trial.order.candidate);
  EXPECT_EQ(candidates, (std::vector<int>{1, 0, 2, 1, 0}));
}

TEST(ImportedRun, WhereAllSetSomethingTheFirstIsTheDefaultAndSaysSo) {
  const RunData data = run_of(
      launches({{"1x1.log", {100}}, {"4x4.log", {50}}}),
      {parse_named_setting("1x1:NCCL_NTHREADS=1"), parse_named_setting("4x4:NCCL_NTHREADS=4")});
  EXPECT_EQ(names(data), "default|NCCL_NTHREADS=4|");
  EXPECT_EQ(data.run.environment.at("NCCL_NTHREADS"), "1");
  EXPECT_NE(data.run.notes.back().find("NCCL_NTHREADS=1"), std::string::npos);
}

TEST(ImportedRun, SettingsAreSaidForFilesByTheirPath) {
  EXPECT_EQ(parse_named_setting("a:b:NCCL_X=1 NCCL_Y=c:d").part_of_path, "a:b");
  EXPECT_EQ(parse_named_setting("NCCL_Y=c:d").assignments.front().second, "c:d");
  for (const char* text : {"", "x", "=1", "A=", "a:=1", "A=1 B"}) {
    EXPECT_THROW(parse_named_setting(text), Error) << text;
  }
  const RunData data = run_of(launches({{"one.log", {100}}, {"two.log", {50}}}),
                              {parse_named_setting("two:NCCL_X=1 NCCL_Y=2")});
  EXPECT_EQ(names(data), "default|NCCL_X=1 NCCL_Y=2|");
}

TEST(ImportedRun, WhatCannotBeComparedIsRefused) {
  ImportedFiles files = launches({{"all_reduce.log", {100, 101}}});
  files.launches[1].world = 16;
  EXPECT_NE(refusal_of(files).find("16 ranks here, 8 ranks in"), std::string::npos);
  files = launches({{"all_reduce.log", {100, 101}}});
  files.launches[1].recipe = {"blocking"};
  EXPECT_NE(refusal_of(files).find("measured blocking here, as usual in"), std::string::npos);
  files = launches({{"all_reduce.log", {100, 101}}});
  for (ImportedRank& rank : files.launches[1].ranks) rank.device = "NVIDIA A100";
  EXPECT_NE(refusal_of(files).find("NVIDIA A100"), std::string::npos);
}

TEST(ImportedRun, SizesThatVersionsRoundDifferentlyAreOneCase) {
  ImportedFiles files = launches({{"all_gather.log", {100, 101}}});
  for (ImportedLaunch& one : files.launches) {
    one.collective = Collective::all_gather;
    one.largest = Bytes{1 << 20};
    one.timings.resize(1);
    one.group_size = one.world = 12;
  }
  files.launches[0].timings[0].size = Bytes{1048512};  // shares of 16 bytes
  files.launches[1].timings[0].size = Bytes{1048560};  // of one element
  const RunData data = run_of(files);
  ASSERT_EQ(data.run.cases.size(), 1U);
  EXPECT_EQ(data.run.cases.front().requested.value, 1 << 20);
  EXPECT_NE(data.run.notes.back().find("1048512 and 1048560"), std::string::npos);
}

TEST(ImportedRun, RepeatedRowsAreBlocksOfOneTrial) {
  const std::string text = opening() + kParameters + rank_lines(8) + kColumns + reduce_row(100) +
                           reduce_row(300) + reduce_row(110) + kFooter;
  const RunData data = run_of(read_text(text));
  ASSERT_EQ(data.trials.front().cases.size(), 2U);
  EXPECT_EQ(data.trials.front().cases.front().mean_seconds.size(), 3U);
  EXPECT_NEAR(trial_value(data.trials.front().cases.front(), false).count(), 110e-6, 1e-12);
}

TEST(ImportedRun, FailedLaunchesAreFailedTrials) {
  const std::string head = opening() + kParameters + rank_lines(8);
  const std::string wrong = head + kColumns + reduce_row() +
                            "# Out of bounds values : 3 FAILED\n# Avg bus bandwidth    : 1 \n";
  const RunData data = run_of(read_text(launch() + head + "Test NCCL failure x\n" + wrong));
  ASSERT_EQ(data.trials.size(), 3U);
  EXPECT_EQ(data.trials[0].outcome, Outcome::complete);
  EXPECT_EQ(data.trials[1].outcome, Outcome::error);
  EXPECT_EQ(data.trials[1].failure->message, "Test NCCL failure x");
  EXPECT_EQ(data.trials[2].outcome, Outcome::wrong_data);
  EXPECT_EQ(data.end->failed, 2);
}

TEST(ImportedRun, RecordsReadBackAsTheyWere) {
  const Folder folder;
  const RunData data = run_of(
      shipped({"all_gather_nccl2.28.9_launch1.json.gz", "all_gather_nccl2.28.3_launch1.json.gz"}));
  folder.write("records.jsonl", record_lines(data));
  const RunData back = read_run(folder.path());
  EXPECT_EQ(record_lines(back), record_lines(data));
  EXPECT_TRUE(back.run.imported);
}

TEST(ImportedRun, FewLaunchesAreUndecidedAndSayHowManyMore) {
  const RunData data = run_of(launches({{"a.log", {100, 101}}, {"b.log", {90, 91}}}),
                              {parse_named_setting("b.log:NCCL_X=1")});
  const RunFindings findings = find(data);
  EXPECT_EQ(findings.design, Design::launches);
  const Finding& score = findings.candidates[1].score;
  EXPECT_EQ(score.verdict, Verdict::undecided);
  EXPECT_NEAR(score.gain->ratio, 1.11, 0.01);
  EXPECT_GE(score.pairs_needed, 4);
  const std::string reason = recommend(data, findings).reason;
  EXPECT_NE(
      reason.find("undecided after 2 launches of the default and 2 of NCCL_X=1; at this noise "
                  "about"),
      std::string::npos)
      << reason;
  EXPECT_NE(reason.find("more of the default and"), std::string::npos) << reason;
}

TEST(ImportedRun, EnoughLaunchesDecide) {
  const std::vector<double> usual{100, 101, 99.5, 100.5, 100.2, 99.8};
  const std::vector<double> fast{90, 91, 89.5, 90.5, 90.2};
  const RunData data =
      run_of(launches({{"a.log", usual}, {"b.log", fast}, {"c.log", {99, 101, 100, 100}}}),
             {parse_named_setting("b.log:NCCL_X=1"), parse_named_setting("c.log:NCCL_X=2")});
  const RunFindings findings = find(data);
  EXPECT_EQ(findings.candidates[1].score.verdict, Verdict::better);
  EXPECT_EQ(findings.candidates[2].score.verdict, Verdict::no_gain);
  const Recommendation found = recommend(data, findings);
  EXPECT_EQ(found.candidate, 1);
  EXPECT_EQ(found.reason, "by 6 launches of the default and 5 of it");
  EXPECT_FALSE(findings.machine_change.has_value());
  EXPECT_NEAR(findings.noise_floor[0], 0.006, 0.002);
}

TEST(ImportedRun, ASettingThatFailedIsNotRecommended) {
  ImportedFiles files = launches({{"a.log", {100, 101, 99, 100}}, {"b.log", {50, 51, 50, 51, 50}}});
  files.launches.back().failure = "Test NCCL failure";
  const RunData data = run_of(files, {parse_named_setting("b.log:NCCL_X=1")});
  const RunFindings findings = find(data);
  EXPECT_EQ(findings.candidates[1].score.verdict, Verdict::failed);
  EXPECT_TRUE(recommend(data, findings).keeps_default());
}

// What `report --format nccl-tests` prints of this run, and of the run made of that.
std::string table_of(const RunData& data) {
  ReportOptions options;
  options.format = ReportFormat::nccl_tests;
  return render_report(data, options);
}

// The values of a table's rows, one line each.
std::vector<std::vector<double>> rows_of(const std::string& table) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != ' ') continue;
    rows.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      rows.back().push_back(std::isdigit(static_cast<unsigned char>(word.front())) != 0
                                ? std::stod(word)
                                : static_cast<double>(std::hash<std::string>{}(word) % 1000));
    }
  }
  return rows;
}

TEST(ImportedRun, OurOwnTableComesBackWithTheSameNumbers) {
  for (const char* name : {"bench", "workload", "simulated"}) {
    const RunData data = read_run(kData / "runs" / name);
    const RunData back = run_of(read_text(table_of(data)));
    EXPECT_EQ(back.run.simulated, data.run.simulated);
    EXPECT_EQ(back.run.ranks, data.run.ranks);
    const auto printed = rows_of(table_of(data));
    const auto again = rows_of(table_of(back));
    ASSERT_EQ(again.size(), printed.size()) << name;
    for (std::size_t row = 0; row < printed.size(); ++row) {
      ASSERT_EQ(again[row].size(), printed[row].size()) << name << " " << row;
      for (std::size_t i = 0; i < printed[row].size(); ++i) {  // one in the last digit
        EXPECT_NEAR(again[row][i], printed[row][i], 0.0101) << name << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace nccl_sweep::test
