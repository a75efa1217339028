// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A site's policy as a user meets it: refused before anything starts, with the file, its reason and
// the way out; shown by plan; kept to by the run; remembered by its records.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

class PolicyCommand : public testing::Test {
 protected:
  Finished with_policy(const std::string& policy, const std::string& arguments,
                       const std::string& environment = {}) {
    std::ofstream(folder_.path() / "policy.json") << policy;
    return run_shell(folder_.path(),
                     environment + " " + program() + " " + arguments + " --policy policy.json");
  }
  static void expect_refused(const Finished& finished, int code, const std::string& what,
                             const std::string& remedy) {
    EXPECT_EQ(finished.exit_code, code) << finished.err;
    for (const std::string& part : {std::string("policy.json"), what, remedy}) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << "\nin: " << finished.err;
    }
    EXPECT_TRUE(finished.out.empty()) << finished.out;
  }
  RunData run() const { return read_run(folder_.path() / "run"); }

  TemporaryFolder folder_;
};

const std::string kGpus = " --backend nccl --workers 8 --collective all_gather -b 1M -e 1G";
const std::string kHost =
    " --backend host --workers 2 --collective all_gather -b 64K -e 64K --rounds 1";

TEST_F(PolicyCommand, ForbiddenKnobsAndValuesAreRefusedWithTheirReason) {
  const std::string policy =
      R"({"forbidden": {"NCCL_MIN_CTAS": "all", "NCCL_BUFFSIZE": ["8M"]}, "reason": "ask ops"})";
  for (const std::string verb : {"plan", "run --output run"}) {
    expect_refused(with_policy(policy, verb + kGpus + " --vary NCCL_MIN_CTAS=4"), 1,
                   "varying NCCL_MIN_CTAS is forbidden by the policy (ask ops)",
                   "leave NCCL_MIN_CTAS out");
  }
  expect_refused(
      with_policy(policy, "plan" + kGpus + " --allow NCCL_BUFFSIZE --vary NCCL_BUFFSIZE=4M,8M"), 1,
      "NCCL_BUFFSIZE=8388608", "leave this value");
  EXPECT_EQ(with_policy(policy, "plan" + kGpus + " --allow NCCL_BUFFSIZE --vary NCCL_BUFFSIZE=4M")
                .exit_code,
            0);
  expect_refused(
      with_policy(policy, "plan" + kGpus + " --vary NCCL_MAX_CTAS=4", "NCCL_BUFFSIZE=8388608"), 1,
      "which the environment sets", "take NCCL_BUFFSIZE out");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run"));
}

TEST_F(PolicyCommand, WhatSetsTheSameThingByAnotherNameIsForbiddenToo) {
  struct Pair {
    std::string named, varied, setting;
  };
  for (const auto& [named, varied, setting] : std::vector<Pair>{
           {"NCCL_MAX_CTAS", "max_ctas", "4"},
           {"max_ctas", "NCCL_MAX_CTAS", "4"},
           {"max_ctas", "NCCL_MAX_NCHANNELS", "4"},
           {"NCCL_CGA_CLUSTER_SIZE", "cga_cluster_size", "2"},
           {"net_name", "NCCL_NET", "Socket"}}) {
    expect_refused(with_policy(R"({"forbidden": {")" + named + R"(": "all"}})",
                               "plan" + kGpus + " --vary " + varied + "=" + setting),
                   1, "varying " + varied + ", which sets what " + named + " sets, is forbidden",
                   "leave " + varied + " out of the sweep");
  }
  const std::string capped = R"({"forbidden": {"max_ctas": [64]}})";
  expect_refused(with_policy(capped, "plan" + kGpus + " --vary NCCL_MAX_CTAS=32,64"), 1,
                 "NCCL_MAX_CTAS=64, which sets what max_ctas sets, is forbidden",
                 "leave this value of NCCL_MAX_CTAS out");
  expect_refused(with_policy(capped, "plan" + kGpus + " --vary NCCL_ALGO=Ring",
                             "NCCL_MAX_CTAS=64"),
                 1, "NCCL_MAX_CTAS=64, which the environment sets, which sets what max_ctas sets,",
                 "take NCCL_MAX_CTAS out of it");
  EXPECT_EQ(with_policy(capped, "plan" + kGpus + " --vary NCCL_MAX_CTAS=32").exit_code, 0);
  EXPECT_EQ(with_policy(capped, "plan" + kGpus + " --vary NCCL_MIN_CTAS=64").exit_code, 0);
}

TEST_F(PolicyCommand, ANumberIsForbiddenHoweverItIsWritten) {
  const std::string policy = R"({"forbidden": {"NCCL_IB_TIMEOUT": [22]}})";
  const std::string vary = " --allow NCCL_IB_TIMEOUT --vary NCCL_IB_TIMEOUT=0x16,20";
  expect_refused(with_policy(policy, "plan" + kGpus + vary), 1, "NCCL_IB_TIMEOUT=0x16",
                 "leave this value");
  expect_refused(
      with_policy(policy, "plan" + kGpus + " --vary NCCL_MAX_CTAS=4", "NCCL_IB_TIMEOUT=026"), 1,
      "NCCL_IB_TIMEOUT=026, which the environment sets", "take NCCL_IB_TIMEOUT out");
}

TEST_F(PolicyCommand, WhatConfFilesSetIsRefusedToo) {
  std::ofstream(folder_.path() / "site.conf") << "NCCL_ALGO=NVLS\n";
  expect_refused(with_policy(R"({"forbidden": {"NCCL_ALGO": ["NVLS"]}})",
                             "plan" + kGpus + " --vary NCCL_MAX_CTAS=4",
                             "NCCL_CONF_FILE=$PWD/site.conf"),
                 1, "NCCL_ALGO=NVLS, which a conf file of NCCL on", "take NCCL_ALGO out");
}

TEST_F(PolicyCommand, ASweepAboveTheLargestPriceIsRefusedUnlessItsBudgetIsBelow) {
  const std::string policy = R"({"largest_gpu_hours": 0.01})";
  const std::string sweep = "plan" + kGpus + " --vary NCCL_MAX_CTAS=4,8";
  expect_refused(with_policy(policy, sweep), 1, "GPU-h are planned", "--budget 4s");
  expect_refused(with_policy(policy, sweep + " --budget 5s"), 1, "on 8 GPUs", "--budget 4s");
  const Finished fine = with_policy(policy, sweep + " --budget 4s");
  EXPECT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_NE(fine.out.find("policy  policy.json: at most 0.01 GPU-h a run; 4.50 s on 8 GPUs"),
            std::string::npos)
      << fine.out;
}

TEST_F(PolicyCommand, NodesToLeaveOutAreNamedWithTheWayAroundThem) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string policy =
      std::string(R"({"leave_out_nodes": [")") + host.data() + R"("], "reason": "bad link"})";
  expect_refused(with_policy(policy, "run --output run" + kHost), 2,
                 std::string("leaves out ") + host.data() + " (bad link)", "--exclude=");
  // A plan is often made elsewhere.
  EXPECT_EQ(with_policy(policy, "plan" + kHost).exit_code, 0);
}

TEST_F(PolicyCommand, QuietTimeIsPlannedAndKept) {
  const std::string policy = R"({"quiet_seconds": 0.3})";
  const Finished plan = with_policy(policy, "plan" + kHost);
  EXPECT_NE(plan.out.find("quiet 300 ms"), std::string::npos) << plan.out;
  const Finished finished = with_policy(policy, "run --output run" + kHost);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const RunData data = run();
  double busy = 0;
  for (const TrialOutcome& trial : data.trials) busy += trial.total_seconds;
  ASSERT_EQ(data.trials.size(), 2U);
  EXPECT_GE(data.end->seconds, busy + 0.3);
  ASSERT_EQ(data.run.policy.size(), 1U);
  EXPECT_EQ(data.run.policy.front().file, "policy.json");
}

TEST_F(PolicyCommand, AResumedRunObeysWhatItBeganWithAndWhatIsAdded) {
  std::ofstream(folder_.path() / "STOP.sh")
      << "while [ ! -e run/records.jsonl ]; do sleep 0.01; done; touch run/STOP\n";
  std::ofstream(folder_.path() / "policy.json") << R"({"quiet_seconds": 0.5})";
  const Finished first = run_shell(
      folder_.path(), "bash STOP.sh & " + program() + " run --output run --policy policy.json" +
                          kHost + " --vary HOST_STREAMS_PER_CONNECTION=2");
  ASSERT_EQ(first.exit_code, 130) << first.err;
  const auto resume = [&](const std::string& more) {
    return run_shell(folder_.path(), program() + " run --resume run" + more);
  };
  std::ofstream(folder_.path() / "other.json")
      << R"({"forbidden": {"HOST_STREAMS_PER_CONNECTION": ["2"]}})";
  const Finished refused = resume(" --policy other.json");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("HOST_STREAMS_PER_CONNECTION=2"), std::string::npos) << refused.err;
  std::filesystem::remove(folder_.path() / "policy.json");
  const Finished finished = resume("");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_NE(finished.err.find("policy  policy.json: 0.5 s of quiet"), std::string::npos)
      << finished.err;
}

TEST_F(PolicyCommand, ABrokenPolicyIsNamedWithItsPlace) {
  expect_refused(with_policy(R"({"quiet_second": 1})", "plan" + kHost), 1, "quiet_second",
                 "did you mean 'quiet_seconds'?");
  expect_refused(with_policy("{\n", "plan" + kHost), 1, "policy.json:2", "not valid JSON");
  const Finished absent = run_shell(folder_.path(), program() + " plan --policy none.json" + kHost);
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_NE(absent.err.find("none.json: cannot read the policy"), std::string::npos) << absent.err;
}

// With an /etc of its own, so that the machine's is not touched.
Finished with_site_policy(const std::filesystem::path& folder, const std::string& policy,
                          const std::string& command) {
  std::ofstream(folder / "site.json") << policy;
  return run_shell(folder,
                   "unshare -m bash -c 'mount -t tmpfs none /etc && mkdir /etc/nccl-sweep && "
                   "cp site.json /etc/nccl-sweep/policy.json' 2> /dev/null || exit 77\n"
                   "unshare -m bash -c 'mount -t tmpfs none /etc && mkdir /etc/nccl-sweep && "
                   "cp site.json /etc/nccl-sweep/policy.json && exec " +
                       command + "'");
}

TEST_F(PolicyCommand, TheSitesFileHoldsWithoutBeingNamedAndCannotBeLoosened) {
  const std::string sweep = program() + " plan" + kHost + " --vary HOST_STREAMS_PER_CONNECTION=2";
  std::ofstream(folder_.path() / "mine.json") << R"({"forbidden": {}})";
  const Finished finished =
      with_site_policy(folder_.path(), R"({"forbidden": {"HOST_STREAMS_PER_CONNECTION": "all"}})",
                       sweep + " --policy mine.json");
  if (finished.exit_code == 77) GTEST_SKIP() << "no mount namespace for this user";
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_NE(finished.err.find("/etc/nccl-sweep/policy.json: varying"), std::string::npos)
      << finished.err;
  const Finished broken = with_site_policy(folder_.path(), "{oops", sweep);
  EXPECT_EQ(broken.exit_code, 2) << broken.err;
  EXPECT_NE(broken.err.find("/etc/nccl-sweep/policy.json:1"), std::string::npos) << broken.err;
}

}  // namespace
}  // namespace nccl_sweep::test
