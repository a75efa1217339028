// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/span.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "agent/machine.hpp"
#include "agent/pmi_support.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep {
namespace {

TEST(Span, CountsLeafSwitches) {
  EXPECT_EQ(span_of({{"a", ""}}), "node");
  EXPECT_EQ(span_of({{"a", "spine.l1"}, {"b", "spine.l1"}}), "leaf");
  EXPECT_EQ(span_of({{"a", "spine.l1"}, {"b", "spine.l2"}, {"c", "spine.l2"}}), "leaves-2");
  EXPECT_EQ(span_of({{"a", "l1"}, {"b", "l2"}, {"c", "l3"}}), "leaves-3");
}

TEST(Span, IsUnknownWhereOneHostsSwitchesAre) {
  EXPECT_EQ(span_of({{"a", "spine.l1"}, {"b", ""}}), "");
  EXPECT_EQ(span_of({}), "");
}

TEST(Span, InWords) {
  EXPECT_EQ(span_words("node"), "");
  EXPECT_EQ(span_words("leaf"), ", one leaf switch");
  EXPECT_EQ(span_words("leaves-12"), ", 12 leaf switches");
  EXPECT_EQ(span_words(""), ", switches unknown");
}

TEST(Span, SwitchesWithTheirHosts) {
  EXPECT_EQ(switches_text({{"a", "spine.l1"}, {"b", "spine.l2"}, {"c", "spine.l1"}}),
            "l1: a c; l2: b");
  EXPECT_EQ(switches_text({{"a", ""}}), "");
}

TEST(Span, AnotherNodesAddressIsNotTaken) {
  using agent::switches_above;
  EXPECT_EQ(switches_above({{"SLURM_TOPOLOGY_ADDR", "spine.l1.n1"}, {"SLURMD_NODENAME", "n1"}}),
            "spine.l1");
  EXPECT_EQ(switches_above({{"SLURM_TOPOLOGY_ADDR", "spine.l1.n1"}, {"SLURMD_NODENAME", "n2"}}), "");
  EXPECT_EQ(switches_above({{"SLURM_TOPOLOGY_ADDR", "spine.l1.n1"}}), "");
  // Without a topology plugin the address is the node alone.
  EXPECT_EQ(switches_above({{"SLURM_TOPOLOGY_ADDR", "n1"}, {"SLURMD_NODENAME", "n1"}}), "");
}

TEST(PmiSupport, IsReadFromOpenMpisPlugins) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(agent::may_know_pmi(folder.path()));  // nothing can be said
  const std::filesystem::path plugins = folder.path() / "openmpi" / "lib";
  std::filesystem::create_directories(plugins);
  std::ofstream(plugins / "mca_pmix_ext3x.so");
  EXPECT_FALSE(agent::may_know_pmi(folder.path()));
  std::ofstream(plugins / "mca_pmix_s2.so");
  EXPECT_TRUE(agent::may_know_pmi(folder.path()));
}

}  // namespace
}  // namespace nccl_sweep
