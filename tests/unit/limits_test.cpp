// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits as an agent reads them from folders that look like /proc and /sys, and which of them are
// too low for what is planned.
#include "agent/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/sweep_run.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class Root {
 public:
  Root() { fs::create_directories(folder_.path() / "dev/shm"); }
  Root& write(const std::string& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text << "\n";
    return *this;
  }
  Limits limits() const { return limits_here(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

constexpr const char* kProcessLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max processes             4096                 8192                 processes \n"
    "Max open files            1024                 1048576              files     \n"
    "Max locked memory         65536                unlimited            bytes     ";

TEST(Limits, OfTheProcessAreTheOnesThatCount) {
  Root root;
  const Limits limits = root.write("proc/self/limits", kProcessLimits).limits();
  EXPECT_EQ(limits.open_files, 1048576) << "NCCL raises its soft limit itself";
  EXPECT_EQ(limits.locked_memory, 65536);
  EXPECT_EQ(limits.processes, 4096);
  EXPECT_EQ(limits.group_threads, kUnknown);
  EXPECT_GT(limits.shared_memory, 0);
}

TEST(Limits, OfControlGroupsAreTheTightestOnTheWayUp) {
  Root two;
  two.write("proc/self/cgroup", "0::/job/step");
  two.write("sys/fs/cgroup/job/memory.max", "8589934592");
  two.write("sys/fs/cgroup/job/memory.current", "1073741824");
  two.write("sys/fs/cgroup/job/step/memory.max", "max");
  two.write("sys/fs/cgroup/job/step/memory.current", "4096");
  two.write("sys/fs/cgroup/job/step/pids.max", "512");
  two.write("sys/fs/cgroup/job/step/pids.current", "12");
  EXPECT_EQ(two.limits().group_memory, 7 * kGiB);
  EXPECT_EQ(two.limits().group_threads, 500);
  two.write("sys/fs/cgroup/job/memory.stat", "anon 7\ninactive_file 536870912\nactive_file 9\n");
  EXPECT_EQ(two.limits().group_memory, 7 * kGiB + kGiB / 2) << "file cache is given back";

  Root one;
  one.write("proc/self/cgroup", "9:pids:/a\n4:cpu,memory:/a\n0::/");
  one.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  one.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648");
  one.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1073741824");
  one.write("sys/fs/cgroup/pids/pids.max", "max");
  EXPECT_EQ(one.limits().group_memory, kGiB);
  EXPECT_EQ(one.limits().group_threads, kUnlimited);
}

TEST(Limits, OfAContainerThatShowsTheHostsPathAreReadAtTheTop) {
  Root root;
  root.write("proc/self/cgroup", "0::/system.slice/docker-77.scope");
  root.write("sys/fs/cgroup/pids.max", "100").write("sys/fs/cgroup/pids.current", "200");
  EXPECT_EQ(root.limits().group_threads, 0);
}

TEST(Limits, AreTheSameAfterTheTripAndReadWell) {
  Limits limits{20000, 8 << 20, kUnlimited, kUnlimited, 3 * kGiB, kUnknown};
  EXPECT_EQ(to_map(limits_from_map(to_map(limits))), to_map(limits));
  EXPECT_EQ(limits_text(limits),
            "open files 20000  locked memory 8 MiB  processes unlimited  "
            "memory left in the control group 3 GiB");
}

// A node of eight GPUs in a run of 4096 ranks that lacks nothing.
const Need kNode{"nccl", 8, 4096, true, 64 << 20};
const Limits kAmple{1 << 20, kUnlimited, kUnlimited, kUnlimited, kUnlimited, kGiB};

TEST(LowLimits, AreNoneWhereAllIsAmpleOrUnknown) {
  EXPECT_THAT(low_limits(kAmple, kNode), IsEmpty());
  EXPECT_THAT(low_limits(Limits{}, kNode), IsEmpty());
}

TEST(LowLimits, NameTheLimitTheNeedAndTheRemedy) {
  const auto lowered = [](std::int64_t Limits::*member, std::int64_t value) {
    Limits limits = kAmple;
    limits.*member = value;
    return low_limits(limits, kNode);
  };
  EXPECT_THAT(lowered(&Limits::open_files, 4096), ElementsAre(HasSubstr("4096, about 4608 are")));
  EXPECT_THAT(lowered(&Limits::locked_memory, 65536),
              ElementsAre(HasSubstr("ulimit -l unlimited")));
  EXPECT_THAT(lowered(&Limits::processes, 200), ElementsAre(HasSubstr("ulimit -u")));
  EXPECT_THAT(lowered(&Limits::group_threads, 100), ElementsAre(HasSubstr("pids.max")));
  EXPECT_THAT(lowered(&Limits::group_memory, kGiB), ElementsAre(HasSubstr("8 GiB are needed")));
  EXPECT_THAT(lowered(&Limits::shared_memory, 64 << 20), ElementsAre(HasSubstr("--shm-size=1g")));
}

TEST(LowLimits, CountOnlyWhereTheBackendMeetsThem) {
  Limits limits = kAmple;
  limits.locked_memory = 0;
  limits.shared_memory = 0;
  EXPECT_THAT(low_limits(limits, {"host", 8, 8, true, 64 << 20}), IsEmpty());
  limits.shared_memory = kGiB;
  EXPECT_THAT(low_limits(limits, {"nccl", 8, 8, false, 0}), IsEmpty()) << "no adapter, no locking";
  limits.group_memory = kGiB;
  EXPECT_THAT(low_limits(limits, {"host", 4, 4, false, 1 << 20}), IsEmpty());
  EXPECT_THAT(low_limits(limits, {"host", 8, 8, false, 64 << 20}),
              ElementsAre(HasSubstr("2 GiB are needed")));
}

}  // namespace
}  // namespace nccl_sweep::agent
