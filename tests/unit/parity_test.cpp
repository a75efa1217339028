// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What must be alike on all nodes, and how a difference is said, for two nodes and for 512.
#include <algorithm>

#include <gtest/gtest.h>

#include "agent/parity.hpp"
#include "agent/setup.hpp"
#include "core/checksum.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

Machine node(int number) {
  Machine machine;
  machine.host = "n" + std::to_string(number);
  machine.gpus.assign(8, "NVIDIA H200");
  machine.driver = "580.65.06";
  machine.kernel = "6.8.0";
  machine.cpu = "AMD EPYC 9554";
  machine.adapters = {{"mlx5_0:1", "IB 400 Gb/s"}, {"mlx5_1:1", "IB 400 Gb/s"}};
  machine.library = {{"NCCL_ALGO", "Ring"}};
  machine.conf = Variables{};
  machine.files = {{"nccl-sweep", "aa"}, {"nccl-sweep-worker", "bb"}, {"/etc/nccl.conf", "absent"}};
  return machine;
}

std::vector<Machine> nodes(int count) {
  std::vector<Machine> all;
  for (int i = 1; i <= count; ++i) all.push_back(node(i));
  return all;
}

Lines mismatches(const std::vector<Machine>& machines, const char* backend = "nccl") {
  return parity_of(machines, backend).mismatches;
}

TEST(Parity, NodesThatAreAlikeHaveNothingToSay) {
  const Parity parity = parity_of(nodes(3), "nccl");
  EXPECT_EQ(parity.mismatches, Lines{});
  EXPECT_EQ(parity.notes, Lines{});
  EXPECT_TRUE(parity.own_variables.empty());
}

TEST(Parity, AVariableOfOneNodeIsNamedWithHostsAndRanksTheRarestFirst) {
  std::vector<Machine> machines = nodes(3);
  machines[1].library["NCCL_PROTO"] = "LL";
  EXPECT_EQ(mismatches(machines), Lines{"NCCL_PROTO=LL on n2 (rank 1); NCCL_PROTO unset on "
                                        "n1 (rank 0), n3 (rank 2)"});
  EXPECT_EQ(mismatches(machines, "host").size(), 1U);
  const std::string text = mismatch_error(parity_of(machines, "nccl")).what();
  EXPECT_NE(text.find("mpirun -x NCCL_PROTO"), std::string::npos) << text;
  EXPECT_NE(text.find("--allow-mismatch"), std::string::npos) << text;
  EXPECT_EQ(mismatch_error(parity_of(machines, "nccl")).exit_code(), ExitCode::environment);
}

TEST(Parity, OfTwoNodesTheOneUnlikeRankZeroComesFirst) {
  std::vector<Machine> machines = nodes(2);
  machines[0].library["NCCL_ALGO"] = "Tree";
  EXPECT_EQ(mismatches(machines),
            Lines{"NCCL_ALGO=Ring on n2 (rank 1); NCCL_ALGO=Tree on n1 (rank 0)"});
}

TEST(Parity, EmptyIsNotUnset) {
  std::vector<Machine> machines = nodes(2);
  machines[1].library["NCCL_NET"] = "";
  EXPECT_EQ(mismatches(machines), Lines{"NCCL_NET= on n2 (rank 1); NCCL_NET unset on n1 (rank 0)"});
}

TEST(Parity, OneRankAmongEightOfAHostIsNamed) {
  std::vector<Machine> machines(16, node(1));
  for (std::size_t i = 8; i < 16; ++i) machines[i].host = "n2";
  machines[11].library.clear();
  EXPECT_EQ(mismatches(machines), Lines{"NCCL_ALGO unset on n2 (rank 11); NCCL_ALGO=Ring on "
                                        "n1 (ranks 0-7), n2 (ranks 8-10,12-15)"});
}

TEST(Parity, ItsLengthDoesNotGrowWithTheNodesOrTheDifferences) {
  std::vector<Machine> machines = nodes(512);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    for (int name = 0; name < 40; ++name) {
      machines[i].library["NCCL_X" + std::to_string(name)] =
          std::to_string(i) + std::string(4000, 'x');
    }
  }
  const Lines lines = mismatches(machines);
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines.back(), "and 32 more");
  EXPECT_NE(lines.front().find("509 other values elsewhere"), std::string::npos) << lines.front();
  EXPECT_LT(std::string(mismatch_error(parity_of(machines, "nccl")).what()).size(), 4000U);

  machines = nodes(512);
  machines[300].library.clear();
  EXPECT_EQ(mismatches(machines),
            Lines{"NCCL_ALGO unset on n301 (rank 300); NCCL_ALGO=Ring on n1 (rank 0), n2 (rank 1), "
                  "n3 (rank 2), n4 (rank 3) and 507 more"});
}

TEST(Parity, WhatNamesANodesHardwareMayDifferAndEachNodeKeepsItsOwn) {
  std::vector<Machine> machines = nodes(3);
  machines[0].library["NCCL_SOCKET_IFNAME"] = "eth0";
  machines[1].library["NCCL_SOCKET_IFNAME"] = "eth0";
  machines[2].library["NCCL_SOCKET_IFNAME"] = "ens5";
  const Parity parity = parity_of(machines, "nccl");
  EXPECT_EQ(parity.mismatches, Lines{});
  ASSERT_EQ(parity.notes.size(), 1U);
  EXPECT_TRUE(parity.notes[0].starts_with("NCCL_SOCKET_IFNAME=ens5 on n3 (rank 2);"));
  agent::Setup setup;
  setup.site = machines[0].library;
  setup.own_variables = parity.own_variables;
  setup = setup_from_text(to_text(setup));
  EXPECT_EQ(site_of(setup, 1).at("NCCL_SOCKET_IFNAME"), "eth0");
  EXPECT_EQ(site_of(setup, 2).at("NCCL_SOCKET_IFNAME"), "ens5");
  EXPECT_EQ(site_of(setup, 2).at("NCCL_ALGO"), "Ring");
}

TEST(Parity, ANodesOwnNameThatIsSetOnOneNodeOnlyWasNotPassedOn) {
  std::vector<Machine> machines = nodes(2);
  machines[0].library["NCCL_IB_HCA"] = "mlx5";
  const Parity parity = parity_of(machines, "nccl");
  EXPECT_EQ(parity.mismatches,
            Lines{"NCCL_IB_HCA unset on n2 (rank 1); NCCL_IB_HCA=mlx5 on n1 (rank 0)"});
  // Allowed to differ, the workers there go without it, as is said.
  agent::Setup setup;
  setup.site = machines[0].library;
  setup.own_variables = parity.own_variables;
  EXPECT_EQ(site_of(setup, 0).at("NCCL_IB_HCA"), "mlx5");
  EXPECT_FALSE(site_of(setup, 1).contains("NCCL_IB_HCA"));
}

TEST(Parity, LogsAndKernelsAreNotesOnly) {
  std::vector<Machine> machines = nodes(2);
  machines[1].library["NCCL_DEBUG"] = "INFO";
  machines[1].kernel = "6.9.1";
  const Parity parity = parity_of(machines, "nccl");
  EXPECT_EQ(parity.mismatches, Lines{});
  EXPECT_EQ(parity.notes, (Lines{"NCCL_DEBUG=INFO on n2 (rank 1); NCCL_DEBUG unset on n1 (rank 0)",
                                 "kernel 6.9.1 on n2 (rank 1); kernel 6.8.0 on n1 (rank 0)"}));
}

TEST(Parity, FilesAndConfFilesAreComparedByWhatIsInThem) {
  std::vector<Machine> machines = nodes(2);
  machines[0].files["NCCL_TOPO_FILE=/etc/topo.xml"] = "cc";
  machines[1].files["NCCL_TOPO_FILE=/etc/topo.xml"] = "absent";
  machines[1].files["nccl-sweep-worker"] = "b0";
  machines[1].conf = Variables{{"NCCL_MIN_CTAS", "8"}};
  EXPECT_EQ(mismatches(machines),
            (Lines{"conf file's NCCL_MIN_CTAS=8 on n2 (rank 1); conf file's NCCL_MIN_CTAS unset on "
                   "n1 (rank 0)",
                   "NCCL_TOPO_FILE=/etc/topo.xml absent on n2 (rank 1); "
                   "NCCL_TOPO_FILE=/etc/topo.xml cc on n1 (rank 0)",
                   "nccl-sweep-worker b0 on n2 (rank 1); nccl-sweep-worker bb on n1 (rank 0)"}));
}

TEST(Parity, NcclsFileCountsWhereAllNodesTellItAndOnGpusOnly) {
  std::vector<Machine> machines = nodes(2);
  machines[0].files["libnccl.so.2"] = "libnccl.so.2.28.9, 3 bytes cc";
  EXPECT_EQ(mismatches(machines), Lines{});
  machines[1].files["libnccl.so.2"] = "libnccl.so.2.28.3, 3 bytes dd";
  EXPECT_EQ(mismatches(machines).size(), 1U);
  EXPECT_EQ(mismatches(machines, "host"), Lines{});
}

TEST(Parity, HardwareCountsOnGpusOnly) {
  std::vector<Machine> machines = nodes(3);
  machines[1].gpus.pop_back();
  machines[1].driver.clear();
  machines[2].adapters.erase("mlx5_1:1");
  EXPECT_EQ(mismatches(machines),
            (Lines{"GPUs: 7 x NVIDIA H200 on n2 (rank 1); GPUs: 8 x NVIDIA H200 on n1 (rank 0), n3 "
                   "(rank 2)",
                   "NVIDIA driver none on n2 (rank 1); NVIDIA driver 580.65.06 on n1 (rank 0), n3 "
                   "(rank 2)",
                   "HCA mlx5_1:1 not active on n3 (rank 2); HCA mlx5_1:1 IB 400 Gb/s on n1 (rank "
                   "0), n2 (rank 1)"}));
  EXPECT_EQ(mismatches(machines, "host"), Lines{});
}

TEST(CheckedFiles, AreThoseOfRankZerosVariablesAsThisNodeHasThem) {
  const test::TemporaryFolder folder;
  const std::string topology = (folder.path() / "topo.xml").string();
  const Variables own{{"NCCL_TOPO_FILE", topology}, {"NCCL_CONF_FILE", folder.path().string()}};
  EXPECT_EQ(checked_files(own, {}).at("NCCL_TOPO_FILE=" + topology), "absent");
  std::ofstream(topology) << "one";
  const std::string one = checked_files(own, {}).at("NCCL_TOPO_FILE=" + topology);
  EXPECT_EQ(one.size(), 16U);
  std::ofstream(topology) << "two";
  const auto files = checked_files(own, {{}, topology});
  EXPECT_NE(files.at("NCCL_TOPO_FILE=" + topology), one);
  EXPECT_EQ(files.at("nccl-sweep-worker"), files.at("NCCL_TOPO_FILE=" + topology));
  EXPECT_EQ(files.at("NCCL_CONF_FILE=" + folder.path().string()), "NOT READABLE") << "a folder";
  EXPECT_FALSE(files.contains("~/.nccl.conf")) << "NCCL_CONF_FILE takes its place";
}

TEST(CheckedFiles, TheLoadersFirstFolderWins) {
  const test::TemporaryFolder folder;
  const auto in = [&](const char* name) { return (folder.path() / name).string(); };
  for (const char* name : {"a", "b", "system"}) fs::create_directories(in(name));
  const Lines system{in("system")};
  EXPECT_EQ(library_file("libx.so", in("a") + ":" + in("b"), system), "");
  std::ofstream(in("system/libx.so")) << "s";
  EXPECT_EQ(library_file("libx.so", in("a") + ":" + in("b"), system), in("system/libx.so"));
  std::ofstream(in("b/libx.so")) << "b";
  EXPECT_EQ(library_file("libx.so", in("a") + ":" + in("b"), system), in("b/libx.so"));
}

TEST(Checksums, OfALargeFileAreOfItsEndsAndItsSize) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "lib").string();
  const auto sum = [&](std::size_t size, std::size_t changed) {
    std::string text(size, 'x');
    text[changed] = 'y';
    std::ofstream(file) << text;
    return checksum_of_ends(file);
  };
  constexpr std::size_t kSize = 3 << 20;
  EXPECT_NE(sum(kSize, 0), sum(kSize, 1));
  EXPECT_NE(sum(kSize, kSize - 1), sum(kSize, kSize - 2));
  EXPECT_EQ(sum(kSize, kSize / 2), sum(kSize, kSize / 2 + 1)) << "the middle is not read";
  EXPECT_NE(sum(kSize, 0), sum(kSize + 1, 0));
  EXPECT_EQ(checksum_of_ends(file + "x"), "absent");
}

}  // namespace
}  // namespace nccl_sweep::agent
