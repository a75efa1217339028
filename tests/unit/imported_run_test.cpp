// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches as a run: which are compared with which, and what is said of them.
#include "importing/imported_run.hpp"

#include <algorithm>

#include "analysis/baseline_of_run.hpp"
#include "analysis/recommendation.hpp"
#include "report/run_report.hpp"
#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

RunData run_of(const ImportedFiles& files, std::vector<NamedSetting> settings = {}) {
  ImportedRunOptions options;
  options.version = "0.1.0";
  options.name = "imported";
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

// Of four launches that tell their variables and three old ones that do not.
RunData with_untold(std::vector<NamedSetting> settings = {}) {
  ImportedFiles files = launches({{"told.log", {100, 101, 99, 100}},
                                  {"old.log", {50, 400, 900, 10}},
                                  {"ring.log", {90, 91, 89, 90}}});
  for (std::size_t i = 0; i < files.launches.size(); ++i) {
    ImportedLaunch& one = files.launches[i];
    one.environment_known = one.file.filename() != "old.log";
    if (one.environment_known) one.environment["NCCL_NET"] = "IB";
    if (one.file.filename() == "ring.log") one.environment["NCCL_ALGO"] = "Ring";
  }
  std::rotate(files.launches.begin(), files.launches.begin() + 4, files.launches.end());
  return run_of(files, std::move(settings));
}

TEST(ImportedRun, LaunchesThatDoNotTellTheirVariablesAreNeitherTheDefaultNorJudged) {
  const RunData data = with_untold();
  EXPECT_EQ(names(data), "default|(variables unknown)|NCCL_ALGO=Ring|");
  EXPECT_EQ(data.run.environment, (std::map<std::string, std::string>{{"NCCL_NET", "IB"}}));
  EXPECT_EQ(data.trials.front().order.candidate, 1);
  EXPECT_TRUE(std::any_of(data.run.notes.begin(), data.run.notes.end(), [](const auto& note) {
    return note.find("4 launches do not tell variables, shown by themselves") == 0;
  }));
  const RunFindings findings = find(data);
  EXPECT_EQ(findings.candidates[1].score.verdict, Verdict::undecided);
  EXPECT_FALSE(findings.candidates[1].score.gain.has_value());
  EXPECT_EQ(findings.candidates[2].score.verdict, Verdict::better);
  EXPECT_LT(findings.noise_floor[0], 0.02);
  EXPECT_EQ(recommend(data, findings).candidate, 2);
  EXPECT_EQ(names(with_untold({parse_named_setting("/old:NCCL_NET=IB NCCL_X=1")})),
            "default|NCCL_X=1|NCCL_ALGO=Ring|");
}

TEST(ImportedRun, TheDefaultIsASettingThatMeasuredSomething) {
  ImportedFiles files = launches({{"a.log", {100, 101}}});
  for (ImportedLaunch& one : files.launches) one.environment_known = true;
  files.launches[0].timings.clear();
  files.launches[0].failure = "Test NCCL failure";
  files.launches[1].environment["NCCL_ALGO"] = "Ring";
  const RunData data = run_of(files);
  EXPECT_EQ(names(data), "default|NCCL_ALGO=unset|");
  EXPECT_EQ(data.run.environment.at("NCCL_ALGO"), "Ring");
}

TEST(ImportedRun, VariablesOfWhatCarriesTheTrafficAreSettings) {
  for (const char* name : {"FI_PROVIDER", "OFI_NCCL_PROTOCOL", "RCCL_MSCCL_ENABLE",
                           "HSA_FORCE_FINE_GRAIN_PCIE", "SHARP_COLL_ENABLE_SAT"}) {
    ImportedFiles files = launches({{"a.log", {100, 101}}});
    for (ImportedLaunch& one : files.launches) one.environment_known = true;
    files.launches[1].environment[name] = "1";
    EXPECT_EQ(names(run_of(files)), fmt::format("default|{}=1|", name));
  }
}

TEST(ImportedRun, NamingALibraryDoesNotTellTheVariables) {
  ImportedFiles files = launches({{"a.log", {100, 101}}, {"b.log", {102}}});
  files.launches[0].nccl = "2.28.3";
  files.launches[1].nccl = "2.28.9";
  files.launches[2].nccl.clear();
  files.launches[0].environment_known = files.launches[1].environment_known = true;
  const NamedSetting library{"b.log", {{"nccl_library", "2.28.3"}}};
  const RunData data = run_of(files, {library});
  EXPECT_EQ(std::count_if(data.trials.begin(), data.trials.end(),
                          [](const TrialOutcome& trial) { return trial.order.candidate == 0; }),
            1)
      << "the launch whose variables nobody told is not of the default";
  for (const std::string& note : data.run.notes) {
    EXPECT_EQ(note.find("does not tell NCCL's version"), std::string::npos) << note;
  }
}

TEST(ImportedRun, AnUntoldLibraryIsSaidWhereThereAreSeveral) {
  ImportedFiles files = launches({{"a.log", {100, 101, 102}}});
  files.launches[0].nccl = "2.28.3";
  files.launches[1].nccl = "2.28.9";
  files.launches[2].nccl.clear();
  const RunData data = run_of(files);
  EXPECT_TRUE(std::any_of(data.run.notes.begin(), data.run.notes.end(), [](const auto& note) {
    return note.find(
               "1 launch does not tell NCCL's version, taken for 2.28.3 although there are "
               "2.28.3, 2.28.9") == 0;
  }));
  files.launches[1].nccl = "2.28.3";
  for (const std::string& note : run_of(files).run.notes) {
    EXPECT_EQ(note.find("NCCL's version"), std::string::npos) << note;
  }
}

TEST(ImportedRun, TheRunIsOfWhenAndHowItsLaunchesMeasured) {
  ImportedFiles files = launches({{"a.log", {100, 101}}});
  files.launches[1].started = "yesterday";
  EXPECT_EQ(run_of(files).run.started, "");
  EXPECT_EQ(run_of(files).run.recipe, "nccl-tests as usual");
  files.launches[0].started = "2025-07-10 09:15:02";
  files.launches[1].started = "2025-07-09 09:15:02";
  for (ImportedLaunch& one : files.launches) one.recipe = {"blocking", "average 2"};
  const RunData data = run_of(files);
  EXPECT_EQ(data.run.started, "2025-07-09T09:15:02");
  EXPECT_EQ(data.run.recipe, "nccl-tests with average 2, blocking");
  EXPECT_EQ(data.run.notes[1], "recipe: nccl-tests with average 2, blocking");
  const BaselineSource source = baseline_of_run(data, "b").sources.front();
  EXPECT_EQ(source.date, "2025-07-09");
  EXPECT_EQ(source.recipe, data.run.recipe);
  EXPECT_EQ(source.figure_class, FigureClass::imported);
  EXPECT_EQ(source.title.find("imported from "), 0U) << source.title;
  EXPECT_NE(source.title.find("a.log, run imported"), std::string::npos) << source.title;
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
  files.launches[1].nodes = 2;
  for (std::size_t i = 4; i < 8; ++i) files.launches[1].ranks[i].host = "node2";
  EXPECT_NE(refusal_of(files).find("it ran on 2 nodes here, 1 node in"), std::string::npos);
  files.launches[0] = files.launches[1];
  for (std::size_t i = 4; i < 6; ++i) files.launches[1].ranks[i].host = "node1";
  EXPECT_NE(refusal_of(files).find("2 nodes of 6, 2 ranks here, 2 nodes in"), std::string::npos);
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

// A row says it, and a launch that was killed has no footer that would.
TEST(ImportedRun, WrongElementsOfARowAreWrongDataWithoutAFooterToo) {
  ImportedFiles files = launches({{"a.log", {100, 101}}});
  files.launches[1].timings[0].wrong = 1000;
  files.launches[1].finished = false;
  const RunData data = run_of(files);
  EXPECT_EQ(data.trials[0].outcome, Outcome::complete);
  EXPECT_EQ(data.trials[1].outcome, Outcome::wrong_data);
  EXPECT_EQ(data.trials[1].failure->message, "out of bounds values");
  const std::vector<std::string> doubts = doubts_about(data);
  EXPECT_NE(std::find(doubts.begin(), doubts.end(), "wrong data in 1 trial"), doubts.end());
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
