// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// mpirun for tests: as root too, more ranks than cores, session files in the test's own folder. Over
// the loopback only: other interfaces may go away meanwhile, with those who test with hosts of theirs.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {

class MpiTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HAVE_MPI) GTEST_SKIP() << "this build has no MPI (libopenmpi-dev was not found)";
  }

  static std::string mpirun(int ranks) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " MPIEXEC
           " --oversubscribe --bind-to none --mca orte_tmpdir_base $PWD --mca btl self,tcp"
           " --mca btl_tcp_if_include lo -np " +
           std::to_string(ranks) + " ";
  }

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  Finished shell(const std::string& command, int seconds = 90) const {
    return run_shell(folder_.path(), command, seconds);
  }

  TemporaryFolder folder_;
};

// What identifies a trial of an experiment, for comparing sets of trials.
using TrialKey = std::tuple<int, Stage, int, int>;

inline std::multiset<TrialKey> trial_keys(const RunData& data) {
  std::multiset<TrialKey> keys;
  for (const TrialOutcome& trial : data.trials) {
    keys.insert({trial.order.index, trial.order.stage, trial.order.round, trial.order.candidate});
  }
  return keys;
}

}  // namespace nccl_sweep::test
