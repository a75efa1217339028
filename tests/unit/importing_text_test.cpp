// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Text files as they really are: tagged, mixed with NCCL's log, cut off, several launches in one.
#include "importing/line_tag.hpp"
#include "unit/shipped_log.hpp"
#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

std::string tagged(std::string_view text, std::string_view tag) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += std::string(tag) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return result;
}

TEST(ImportText, ALaunchIsReadWithAllThatItsHeadTells) {
  const ImportedFiles files = read_text(launch());
  ASSERT_EQ(files.launches.size(), 1U);
  const ImportedLaunch& found = files.launches.front();
  EXPECT_EQ(found.program, "nccl-tests 2.19.6");
  EXPECT_EQ(found.nccl, "2.28.7");
  EXPECT_EQ(found.collective, Collective::all_reduce);
  EXPECT_EQ(found.world, 8);
  EXPECT_EQ(found.nodes, 1);
  EXPECT_EQ(found.group_size, 8);
  EXPECT_EQ(found.ranks.front().device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(found.operations, 20);
  EXPECT_EQ(found.timings.size(), 4U);
  EXPECT_TRUE(found.finished);
  EXPECT_TRUE(found.failure.empty());
  EXPECT_FALSE(found.wrong_data);
}

TEST(ImportText, TagsOfLaunchersAreCut) {
  const std::string row = "     1048576        262144     float";
  for (const std::string_view tag :
       {"[1,0]<stdout>:", "[prterun-node1-42@1,0]<stdout>: ",
        "Fri Jul 10 09:15:02 2026[1,0]<stdout>:", "0: ", " 0: ", "2026-07-10T09:15:02.123456789Z ",
        "2026-07-10T09:15:02Z stdout F ", "[pod/nccl-worker-0/main] ",
        "(head, rank=0, pid=3808) [1,0]<stdout>:", "worker-1  | "}) {
    EXPECT_LE(without_tag(std::string(tag) + row).text.size(), row.size() + 1) << tag;
    EXPECT_EQ(read_text(tagged(launch(), tag)).launches.front().timings.size(), 4U) << tag;
  }
  for (const std::string_view text :
       {row.c_str(), "node1:17:17 [0] NCCL INFO x", "# error: 3: x"}) {
    EXPECT_EQ(without_tag(text).text, text);
    EXPECT_TRUE(without_tag(text).process.empty());
  }
}

TEST(ImportText, LinesOfOtherProcessesInBetweenDoNoHarm) {
  std::string mixed;
  for (const std::string& line : {opening(), kParameters, rank_lines(8), kColumns, reduce_row(),
                                  reduce_row(300, 2097152), kFooter}) {
    mixed += tagged(line, "[1,0]<stdout>:") + "[1,3]<stdout>:node1:20:20 [3] NCCL INFO x\n" +
             "[1,1]<stderr>:Authorization required\n";
  }
  const ImportedFiles files = read_text(mixed);
  ASSERT_EQ(files.launches.size(), 1U);
  EXPECT_EQ(files.launches.front().timings.size(), 4U);
}

TEST(ImportText, ARowMayHaveTheLogPrintedIntoIt) {
  const std::string info = "node1:17:17 [0] NCCL INFO comm 0x1 rank 0 nranks 8 - Init COMPLETE\n";
  const std::string row = reduce_row();
  const std::string head = opening() + kParameters + rank_lines(8) + kColumns;
  for (const std::size_t at : {std::size_t{52}, std::size_t{61}, std::size_t{94}}) {
    const ImportedFiles files =
        read_text(head + row.substr(0, at) + info + info + row.substr(at) + kFooter);
    ASSERT_EQ(files.launches.front().timings.size(), 2U) << at;
    EXPECT_EQ(described(files.launches.front().timings.back()),
              "1048576 262144 float32 sum in_place 112.04 9.36 16.38 0");
    EXPECT_TRUE(files.launches.front().notes.empty());
  }
  const ImportedFiles lost = read_text(head + row.substr(0, 61) + info + reduce_row(300) + kFooter);
  EXPECT_EQ(lost.launches.front().timings.size(), 2U);
  EXPECT_EQ(lost.launches.front().notes,
            (std::vector<std::string>{"rows cut off or printed into: 1"}));
}

TEST(ImportText, TheShippedLogOfTwoRanksTellsItsVariablesToo) {
  const ImportedFiles files = read_as("all_gather.log", shipped_log("evidence_socket_4x2.log.gz"));
  ASSERT_EQ(files.launches.size(), 1U);
  const ImportedLaunch& found = files.launches.front();
  EXPECT_EQ(found.environment.at("NCCL_SOCKET_NTHREADS"), "4");
  EXPECT_EQ(found.environment.at("NCCL_NSOCKS_PERTHREAD"), "2");
  EXPECT_TRUE(found.environment_known);
  EXPECT_NE(find_fact(found.facts, FactKind::sockets, "threads x sockets"), nullptr);
  std::vector<std::string> rows;  // each torn into three pieces by the log
  for (const ImportedTiming& timing : found.timings) rows.push_back(described(timing));
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "1048576 131072 float32 sum out_of_place 284.11 3.69 1.85 0",
                      "1048576 131072 float32 sum in_place 197.35 5.31 2.66 0",
                      "16777216 2097152 float32 sum out_of_place 1208.7 13.88 6.94 0",
                      "16777216 2097152 float32 sum in_place 1265.84 13.25 6.63 0"}));
}

TEST(ImportText, ManyLaunchesInOneFileAreOneAfterTheOther) {
  const ImportedFiles files = read_text("$ ./loop\n" + launch(112.04, 100) + "sleeping\n" +
                                        launch(120, 200) + launch(130, 300));
  ASSERT_EQ(files.launches.size(), 3U);
  EXPECT_NEAR(microseconds(files.launches[2].timings.front()), 130, 1e-9);
  EXPECT_EQ(files.launches[2].timings.size(), 4U);
  EXPECT_LT(files.launches[1].line, files.launches[2].line);
}

TEST(ImportText, ALaunchWithoutItsEndKeepsItsWholeRows) {
  const std::string whole = launch();
  const std::size_t cut = whole.find("2097152        524288") + 60;
  const ImportedLaunch found = read_text(whole.substr(0, cut)).launches.front();
  EXPECT_EQ(found.timings.size(), 2U);
  EXPECT_FALSE(found.finished);
  EXPECT_TRUE(found.failure.empty());
}

TEST(ImportText, FailuresKeepTheirWords) {
  const std::string head = opening() + kParameters + rank_lines(8) + kColumns + reduce_row();
  const std::string words = "node1: Test NCCL failure common.cu:958 'unhandled system error'";
  EXPECT_EQ(read_text(head + words + "\n").launches.front().failure, words);
  EXPECT_EQ(read_text(head + kFooter + "# error: remote process exited\n").launches.front().failure,
            "remote process exited");
  const std::string by_mpirun = "mpirun noticed that process rank 3 exited on signal 9 (Killed).";
  EXPECT_EQ(read_text(tagged(head, "[1,0]<stdout>:") + by_mpirun + "\n").launches.front().failure,
            by_mpirun);
  EXPECT_EQ(read_text(head + kFooter + by_mpirun + "\n").launches.front().failure, "");
  const std::string wrong = "# Out of bounds values : 3 FAILED\n# Avg bus bandwidth    : 1 \n";
  EXPECT_TRUE(read_text(head + wrong).launches.front().wrong_data);
}

TEST(ImportText, ALaunchersComplaintIsNoFailureWhereTheProgramCameToItsEnd) {
  const std::string head = opening() + kParameters + rank_lines(8);
  const std::string words = "srun: error: Unable to create step for job 17: retrying";
  const std::string rows = words + "\n" + kColumns + reduce_row();
  const ImportedLaunch whole = read_text(head + rows + kFooter).launches.front();
  EXPECT_EQ(whole.failure, "");
  EXPECT_EQ(whole.notes,
            std::vector<std::string>{"before it ended well a launcher said: " + words});
  EXPECT_EQ(read_text(head + rows).launches.front().failure, words);
  const std::string own = "node1: Test NCCL failure common.cu:958 'unhandled system error'";
  EXPECT_EQ(read_text(head + own + "\n" + rows + kFooter).launches.front().failure, own);
}

TEST(ImportText, OnlyALogAtInfoTellsVariables) {
  const std::string head = opening() + kParameters + rank_lines(8);
  const std::string rest = kColumns + reduce_row() + kFooter;
  const std::string warning = "node1:17:17 [0] misc/socket.cc:50 NCCL WARN Connect failed\n";
  const std::string info = "node1:17:17 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n";
  EXPECT_FALSE(read_text(head + warning + rest).launches.front().environment_known);
  const ImportedLaunch told = read_text(head + warning + info + rest).launches.front();
  EXPECT_TRUE(told.environment_known);
  EXPECT_EQ(told.environment.at("NCCL_ALGO"), "Ring");
}

TEST(ImportText, NcclsOwnVersionLineIsRead) {
  const std::string text = kParameters + rank_lines(8) + "NCCL version 2.19.3+cuda12.3\n" +
                           kColumns + reduce_row() + kFooter;
  EXPECT_EQ(read_as("all_reduce.log", text).launches.front().nccl, "2.19.3");
  std::string twice = launch();
  replace_all(twice, kColumns, "NCCL version 2.19.3+cuda12.3\n" + kColumns);
  EXPECT_EQ(read_text(twice).launches.front().nccl, "2.28.7") << "what nccl-tests says of it";
}

TEST(ImportText, TimesThatContradictTheBandwidthsAreOfOtherColumns) {
  std::string row = reduce_row();
  replace_all(row, "112.04", "  0.11");
  const std::string head = opening() + kParameters + rank_lines(8) + kColumns;
  EXPECT_EQ(refusal("log.txt", head + row + kFooter),
            "its times contradict its algbw (1048576 bytes in 0.11 us are 9533 GB/s, not 9.36): "
            "other columns or units than are known");
  EXPECT_EQ(read_text(head + reduce_row() + reduce_row() + row + kFooter).launches.size(), 1U)
      << "one odd row of three";
}

TEST(ImportText, ALaunchThatDiedBeforeItsFirstRowCountsAsOne) {
  const std::string head = opening() + kParameters + rank_lines(8);
  const ImportedFiles silent = read_text(head + launch());
  ASSERT_EQ(silent.launches.size(), 2U);
  EXPECT_EQ(silent.launches.front().failure, "it ended before its first row");
  const ImportedFiles loud = read_text(head + "Test CUDA failure common.cu:1 'x'\n" + launch());
  ASSERT_EQ(loud.launches.size(), 2U);
  EXPECT_EQ(loud.launches.front().failure, "Test CUDA failure common.cu:1 'x'");
  EXPECT_EQ(loud.launches.back().timings.size(), 4U);
}

TEST(ImportText, CopiesThatRanSideBySideAreNamed) {
  std::string text;
  const std::string row =
      "     1048576        262144     float     sum      -1     5.04  208.05    0.00       0     "
      "0.04 "
      " 208.05    0.00       0\n";
  for (const std::string& part : {opening(), kParameters, rank_lines(1), kColumns, row, kFooter}) {
    for (int copy = 0; copy < 4; ++copy) text += part;
  }
  EXPECT_EQ(refusal("log.txt", text),
            "4 copies ran side by side, of 1 rank each: nccl-tests was not built with MPI (MPI=1), "
            "so nothing went between the copies");
  const std::string by_tag =
      tagged(launch(), "[1,0]<stdout>:") + tagged(launch(), "[1,1]<stdout>:");
  EXPECT_NE(refusal("log.txt", by_tag).find("2 copies ran side by side, of 8 ranks each"),
            std::string::npos);
  const std::string one = opening() + kParameters + rank_lines(1) + kColumns + row + kFooter;
  EXPECT_NE(refusal("log.txt", one).find("one rank, busbw 0"), std::string::npos);
}

TEST(ImportText, TheCollectiveMayStandInTheFilesNameOrBeSaid) {
  const std::string text = kParameters + rank_lines(8) + kColumns + reduce_row() + kFooter;
  EXPECT_NE(refusal("log.txt", text).find("--collective"), std::string::npos);
  const auto collective = [&](const std::string& name, std::optional<Collective> said) {
    return read_as(name, text, {said, 0}).launches.front().collective;
  };
  EXPECT_EQ(collective("AllReduce-8.log", {}), Collective::all_reduce);
  EXPECT_EQ(collective("all_reduce_perf_mpi.out", {}), Collective::all_reduce);
  EXPECT_EQ(collective("log.txt", Collective::all_reduce), Collective::all_reduce);
}

TEST(ImportText, TheBandwidthsContradictAWrongCollective) {
  const std::string text = kParameters + rank_lines(8) + kColumns + reduce_row() + kFooter;
  EXPECT_EQ(
      refusal("all_gather.log", text),
      "busbw is not 0.875 x algbw, as it would be for all_gather on 8 ranks; all_reduce would "
      "fit");
  EXPECT_NE(refusal("x.log", launch(), {Collective::broadcast, 0}).find("it ran all_reduce_perf"),
            std::string::npos);
}

TEST(ImportText, CollectivesThatAreNotMeasuredHereAreLeftOut) {
  const std::string cube =
      opening("hypercube_perf") + kParameters + rank_lines(8) + kColumns + reduce_row() + kFooter;
  const ImportedFiles files = read_text(cube + launch());
  EXPECT_EQ(files.launches.size(), 1U);
  ASSERT_EQ(files.left_out.size(), 1U);
  EXPECT_NE(files.left_out.front().why.find("hypercube_perf"), std::string::npos);
}

TEST(ImportText, TheAlgbwOfBefore2020IsKnown) {
  const std::string columns =
      "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw "
      " "
      "error\n";
  const std::string row =
      "     1048576         32768   float    112.0    8.19    8.19    N/A    112.0    8.19    8.19 "
      "   "
      "N/A\n";
  const ImportedLaunch found =
      read_as("all_gather.log", rank_lines(8) + columns + row).launches.front();
  EXPECT_EQ(found.notes.size(), 1U);
  EXPECT_NEAR(microseconds(found.timings.front()), 112, 1e-9);
}

TEST(ImportText, RanksFollowFromSizesAndBandwidthsWhereTheyAreNotListed) {
  const std::string columns = kColumns + reduce_row();
  EXPECT_EQ(read_as("all_reduce.log", columns).launches.front().group_size, 8);
  const std::string gathered =
      "  1048576  16384  float  none  -1  112.04  9.36  8.78  0  112.04  9.36  8.78  0\n";
  EXPECT_EQ(read_as("all_gather.log", gathered).launches.front().group_size, 16);
  const std::string broadcast =
      "  1048576  262144  float  none  0  112.04  9.36  9.36  0  112.04  9.36  9.36  0\n";
  EXPECT_NE(refusal("broadcast.log", broadcast).find("--ranks"), std::string::npos);
  EXPECT_EQ(read_as("broadcast.log", broadcast, {{}, 4}).launches.front().group_size, 4);
}

TEST(ImportText, GroupsOfASplitWorldAreStrided) {
  std::string ranks = "# Using devices\n";
  for (int rank = 0; rank < 16; ++rank) {
    ranks += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on node{} device  0 [0000:1b:00] GPU\n",
                         rank, rank % 2, rank + 1, rank / 8);
  }
  const ImportedLaunch found =
      read_text(opening() + kParameters + ranks + kColumns + reduce_row() + kFooter)
          .launches.front();
  EXPECT_EQ(found.world, 16);
  EXPECT_EQ(found.nodes, 2);
  EXPECT_EQ(found.group_size, 8);
  EXPECT_EQ(to_string(found.group), "2/8");
}

TEST(ImportText, RcclNamesItselfInTwoWays) {
  const std::string old =
      "# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 "
      "iters: 20\n#\nrccl-tests: Version develop:a7809b3\n" +
      rank_lines(8) + "RCCL version : 2.27.7-HEAD:0d2c4fd\n" + kColumns + reduce_row() + kFooter;
  const ImportedLaunch found = read_as("all_reduce.log", old).launches.front();
  EXPECT_EQ(found.program, "rccl-tests develop:a7809b3");
  EXPECT_EQ(found.nccl, "2.27.7-HEAD:0d2c4fd");
  std::string now = launch();
  replace_all(now, "# nccl-tests version 2.19.6 nccl-headers=22807 nccl-library=22807",
              "# rccl-tests version 2.18.3-rccl:99+ rccl-headers=23004 rccl-library=23004");
  EXPECT_EQ(read_text(now).launches.front().program, "rccl-tests 2.18.3-rccl:99+");
  EXPECT_EQ(read_text(now).launches.front().nccl, "2.30.4");
}

}  // namespace
}  // namespace nccl_sweep::test
