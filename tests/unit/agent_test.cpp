// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "agent/device_lock.hpp"
#include "agent/environment.hpp"
#include "agent/library_facts.hpp"
#include "agent/machine.hpp"
#include "agent/setup.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::agent {
namespace {

bool has(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

TEST(LogVariables, AreNcclsAloneAndWideOpenForEvidence) {
  EXPECT_TRUE(log_variables("host", Stage::evidence).empty());
  const Variables timed = log_variables("nccl", Stage::confirm);
  EXPECT_EQ(timed.at("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(timed.at("NCCL_DEBUG_FILE"), "");
  EXPECT_EQ(timed.at("NCCL_DEBUG_SUBSYS").find("COLL"), std::string::npos);
  EXPECT_NE(log_variables("nccl", Stage::evidence).at("NCCL_DEBUG_SUBSYS").find("TUNING"),
            std::string::npos);
}

TEST(ConfFiles, AreReadAsNcclReadsThem) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "conf-files";
  fs::create_directories(folder);
  std::ofstream(folder / ".nccl.conf") << "# site\nNCCL_ALGO=Ring\nNCCL_PROTO = LL\nnonsense\n";
  std::ofstream(folder / "system.conf") << "NCCL_ALGO=Tree\nNCCL_NVLS_ENABLE=0\nNCCL_NET=IB\n";
  std::ofstream(folder / "named.conf") << "NCCL_ALGO=NVLS\n";
  const std::string system = (folder / "system.conf").string();
  Variables own{{"NCCL_NET", "Socket"}};
  EXPECT_EQ(conf_file_variables(own, folder.string(), system),
            (Variables{{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO ", " LL"}, {"NCCL_NVLS_ENABLE", "0"}}));
  own["NCCL_CONF_FILE"] = (folder / "named.conf").string();
  EXPECT_EQ(conf_file_variables(own, folder.string(), system),
            (Variables{{"NCCL_ALGO", "NVLS"}, {"NCCL_NVLS_ENABLE", "0"}}));
  EXPECT_EQ(conf_file_variables({}, "/nowhere", "/nowhere/nccl.conf"), Variables{});
}

TEST(WorkerEnvironment, HoldsNothingOfTheLaunchAndRankZerosLibraryVariables) {
  const Variables own{{"PATH", "/bin"},         {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"},
                      {"SLURM_PROCID", "3"},    {"SLURM_JOB_ID", "9"},         {"NCCL_ALGO", "Tree"},
                      {"NCCL_COMM_ID", "a:1"},  {"CUDA_VISIBLE_DEVICES", "1"}};
  const Variables site{{"NCCL_IB_TC", "106"}, {"NCCL_COMM_ID", "b:1"}};
  const std::vector<std::string> environment =
      worker_environment(own, site, {{"NCCL_PROTO", "LL"}});
  EXPECT_EQ(environment.size(), 5U);
  for (const char* entry : {"PATH=/bin", "SLURM_JOB_ID=9", "CUDA_VISIBLE_DEVICES=1",
                            "NCCL_IB_TC=106", "NCCL_PROTO=LL"}) {
    EXPECT_TRUE(has(environment, entry)) << entry;
  }
}

TEST(WorkerEnvironment, LabelsOfAnImageAreNoSettings) {
  EXPECT_TRUE(is_library_variable("NCCL_IB_HCA"));
  EXPECT_FALSE(is_library_variable("HOST_IP"));
  const KnobCatalogue catalogue = KnobCatalogue::load(data_folder() / "knobs");
  for (const Knob& knob : catalogue.knobs()) {
    if (knob.kind != KnobKind::environment) continue;
    EXPECT_TRUE(is_library_variable(knob.name)) << knob.name;
  }
  EXPECT_TRUE(is_library_variable("CUDA_DEVICE_MAX_CONNECTIONS"));
  for (const char* name : {"CUDA_HOME", "NCCL_VERSION", "CUDA_VISIBLE_DEVICES", "NCCL_SWEEP_DATA",
                           "PATH"}) {
    EXPECT_FALSE(is_library_variable(name)) << name;
  }
}

TEST(WorkerEnvironment, ACandidateReplacesWhatTheSiteSets) {
  const auto environment = worker_environment({}, {{"NCCL_ALGO", "Ring"}}, {{"NCCL_ALGO", "Tree"}});
  EXPECT_EQ(environment, std::vector<std::string>{"NCCL_ALGO=Tree"});
  EXPECT_TRUE(worker_environment({}, {{"NCCL_ALGO", "Ring"}}, {{"NCCL_ALGO", "unset"}}).empty());
}

TEST(Layout, RanksAreNumberedAgentByAgentAndNodesByHost) {
  const Layout layout{{"a", "b", "a"}, {2, 2, 1}};
  EXPECT_EQ(layout.workers(), 5);
  EXPECT_EQ(layout.first_rank(2), 4);
  EXPECT_EQ(layout.node_of_rank(), (std::vector<int>{0, 0, 1, 1, 0}));
  EXPECT_EQ(layout.nodes(), 2);
  EXPECT_EQ(layout.local_rank(4), 2);
  EXPECT_EQ(layout.local_size(4), 3);
}

TEST(Setup, IsTheSameAfterTheTrip) {
  agent::Setup setup;
  setup.backend = "host";
  setup.candidates = {Candidate{}, Candidate{{{"A", "1"}}}};
  setup.partitions = {{{0, 1}}};
  setup.seed = 1ULL << 63;
  setup.site = {{"NCCL_X", "y"}};
  setup.layout = {{"h"}, {2}};
  EXPECT_EQ(to_text(setup_from_text(to_text(setup))), to_text(setup));
}

TEST(Machines, FilesThatDifferAreSaidByHost) {
  Machine a;
  a.host = "n1";
  a.nccl_files = {"NCCL_TOPO_FILE unset"};
  Machine b = a;
  b.host = "n2";
  EXPECT_EQ(nccl_file_lines({a, b}), std::vector<std::string>{"NCCL_TOPO_FILE unset on all ranks"});
  b.nccl_files = {"NCCL_TOPO_FILE=/x NOT READABLE"};
  EXPECT_EQ(nccl_file_lines({a, b}).size(), 2U);
}

TEST(DeviceLocks, ASecondRunIsRefusedUntilTheFirstIsOver) {
  const test::TemporaryFolder folder;
  DeviceLocks second(folder.path());
  {
    DeviceLocks first(folder.path());
    first.take("GPU-1");
    first.take("GPU-1");  // its own
    EXPECT_THROW(second.take("GPU-1"), Error);
    second.take("GPU-2");
  }
  second.take("GPU-1");
}

}  // namespace
}  // namespace nccl_sweep::agent
