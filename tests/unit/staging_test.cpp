// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies on a node's own disk: checked, shared, removed by the last who uses them.
#include "agent/staging.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;

class Staging : public testing::Test {
 protected:
  Staging() {
    write(original(), "#!/bin/true\n");
    file_ = staged_file(original());
  }
  static void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  fs::path original() const { return folder_.path() / "worker"; }
  fs::path stage() const { return folder_.path() / "stage"; }
  std::string error_of(StagedCopies& copies) {
    try {
      copies.add(file_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  test::TemporaryFolder folder_;
  StagedFile file_;
};

TEST_F(Staging, ACopyIsTheFileAndGoesWithItsLastUser) {
  EXPECT_EQ(file_.bytes, 12);
  EXPECT_EQ(file_.hash, fmt::format("{:016x}", fnv1a("#!/bin/true\n")));
  std::string copy;
  {
    StagedCopies first(stage());
    {
      StagedCopies second(stage());
      copy = second.add(file_);
      EXPECT_EQ(first.add(file_), copy);
    }
    EXPECT_EQ(test::read_file(copy), "#!/bin/true\n");
    EXPECT_EQ(access(copy.c_str(), X_OK), 0);
    struct stat info {};
    ASSERT_EQ(::stat(stage().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
  }
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_FALSE(fs::exists(stage()));
}

TEST_F(Staging, ACopyThatWasDamagedIsMadeAgain) {
  std::string copy;
  {
    StagedCopies copies(stage());
    copy = copies.add(file_);
    write(copy, "other");
    StagedCopies again(stage());
    EXPECT_EQ(again.add(file_), copy);
    EXPECT_EQ(test::read_file(copy), "#!/bin/true\n");
  }
}

TEST_F(Staging, AnotherFileThanRankZerosIsNotTaken) {
  write(original(), "#!/bin/sh\n");
  StagedCopies copies(stage());
  EXPECT_NE(error_of(copies).find("not the same as on rank 0's node"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(stage()));
}

TEST_F(Staging, AFolderThatOthersCanWriteIsNotUsed) {
  fs::create_directory(stage());
  fs::permissions(stage(), fs::perms::all);
  StagedCopies copies(stage());
  EXPECT_NE(error_of(copies).find("not this user's alone"), std::string::npos);
  fs::remove(stage());
  fs::create_directory_symlink(folder_.path(), stage());
  EXPECT_NE(error_of(copies).find("cannot use the folder"), std::string::npos);
}

TEST_F(Staging, AFolderOfAnotherIsNotWaitedFor) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a folder another's";
  fs::create_directory(stage());
  fs::permissions(stage(), fs::perms::owner_all);
  ASSERT_EQ(chown(stage().c_str(), 4242, 4242), 0);
  const int theirs = open(stage().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(theirs, LOCK_EX), 0);
  StagedCopies copies(stage());
  EXPECT_NE(error_of(copies).find("not this user's alone"), std::string::npos);
  copies.remove_abandoned();
  close(theirs);
}

TEST_F(Staging, WhatCannotBeExecutedThereIsNotLeftThere) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting is for root";
  fs::create_directory(stage());
  if (mount("none", stage().c_str(), "tmpfs", MS_NOEXEC, "mode=0700") != 0) {
    GTEST_SKIP() << "no mounting here: " << strerror(errno);
  }
  {
    StagedCopies copies(stage());
    EXPECT_NE(error_of(copies).find("cannot execute from there"), std::string::npos);
  }
  EXPECT_TRUE(fs::is_empty(stage()));
  EXPECT_EQ(umount(stage().c_str()), 0);
}

TEST_F(Staging, ReplacesTheProgramAndLibrariesOfCandidatesOnly) {
  agent::Setup setup;
  setup.worker_program = original();
  setup.candidates = {Candidate{}, Candidate{{{"nccl_library", original()}, {"X", "1"}}}};
  setup.layout = {{"a"}, {2}};
  setup.stage = {file_};
  StagedCopies copies(stage());
  const std::unique_ptr<ControlPlane> control = make_solo_control();
  agent::Setup sent = setup_from_text(to_text(setup));
  EXPECT_TRUE(stage_files(*control, sent, copies).empty());
  EXPECT_EQ(fs::path(sent.worker_program).parent_path(), stage());
  EXPECT_EQ(sent.candidates[1].assignments[0].second, sent.worker_program);
  EXPECT_EQ(sent.candidates[1].assignments[1].second, "1");
}

TEST_F(Staging, WhatAKilledRunLeftGoesWithTheNextOneWhateverThatStages) {
  StagedCopies others(stage());
  const std::string held = others.add(file_);
  write(stage() / "0123456789abcdef-worker", "of a run that was killed");
  write(stage() / "0123456789abcdef-worker-Zk3xAb", "of one that was killed while it copied");
  const std::unique_ptr<ControlPlane> control = make_solo_control();
  agent::Setup stages_nothing;
  {
    StagedCopies copies(stage());
    EXPECT_TRUE(stage_files(*control, stages_nothing, copies).empty());
  }
  EXPECT_TRUE(fs::exists(held));
  EXPECT_EQ(std::distance(fs::directory_iterator(stage()), {}), 1);
}

TEST_F(Staging, AFolderInWhichNobodyHoldsAnythingGoes) {
  fs::create_directory(stage());
  fs::permissions(stage(), fs::perms::owner_all);
  write(stage() / "0123456789abcdef-worker", "of a run that was killed");
  StagedCopies(stage()).remove_abandoned();
  EXPECT_FALSE(fs::exists(stage()));
}

TEST_F(Staging, OfTheLoadersLibraryGivesItAPathAndKeepsItsNameInWhatWorkersSay) {
  agent::Setup setup;
  setup.worker_program = "elsewhere";
  setup.default_library = original();
  setup.layout = {{"a"}, {2}};
  setup.stage = {file_};
  StagedCopies copies(stage());
  const std::unique_ptr<ControlPlane> control = make_solo_control();
  agent::Setup sent = setup_from_text(to_text(setup));
  EXPECT_TRUE(stage_files(*control, sent, copies).empty());
  EXPECT_EQ(fs::path(sent.default_library).parent_path(), stage());
  wire::Ready ready;
  ready.identity["nccl_library"] = fs::canonical(sent.default_library).string() + " 2.28.9 4f";
  ready.versions["nccl_library"] = fs::canonical(sent.default_library);
  ready.versions["nccl"] = "2.28.9";
  name_originals(sent, ready);
  EXPECT_EQ(ready.identity["nccl_library"], fs::canonical(original()).string() + " 2.28.9 4f");
  EXPECT_EQ(ready.versions["nccl_library"], fs::canonical(original()));
  EXPECT_EQ(ready.versions["nccl"], "2.28.9");
}

TEST_F(Staging, FindsTheLibraryThatTheLoaderWould) {
  const fs::path& root = folder_.path();
  for (const char* folder : {"empty", "first", "second"}) fs::create_directory(root / folder);
  write(root / "first/libnccl.so.2.28.9", "stub");
  write(root / "second/libnccl.so.2", "other");
  fs::create_symlink("libnccl.so.2.28.9", root / "first/libnccl.so.2");
  const auto found = [&](const std::string& path) {
    return library_of_loader({{"LD_LIBRARY_PATH", path}});
  };
  const std::string first = (root / "first").string();
  const std::string second = (root / "second").string();
  EXPECT_EQ(found((root / "empty").string() + ":" + first + ":" + second),
            fs::canonical(root / "first/libnccl.so.2.28.9"));
  EXPECT_EQ(found(second + ":" + first), fs::canonical(root / "second/libnccl.so.2"));
  EXPECT_EQ(found((root / "empty").string()), "");
  EXPECT_EQ(library_of_loader({}), "");
}

TEST_F(Staging, ThatFailsLeavesTheOriginalsAndSaysWhy) {
  agent::Setup setup;
  setup.worker_program = original();
  setup.default_library = original();
  setup.layout = {{"a"}, {2}};
  setup.stage = {file_};
  write(stage(), "no folder");
  StagedCopies copies(stage());
  const std::unique_ptr<ControlPlane> control = make_solo_control();
  const std::vector<std::string> warnings = stage_files(*control, setup, copies);
  EXPECT_EQ(setup.worker_program, original());
  EXPECT_EQ(setup.default_library, "") << "the loader finds it";
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("all nodes use the original"), std::string::npos) << warnings[0];
}

TEST(NetworkFileSystems, AreKnownByTheirNumbers) {
  EXPECT_TRUE(is_network_file_system(0x6969));
  EXPECT_TRUE(is_network_file_system(0x0BD00BD0));
  EXPECT_TRUE(is_network_file_system(static_cast<std::int32_t>(0xFF534D42)));
  EXPECT_FALSE(is_network_file_system(0x01021994));  // tmpfs
  EXPECT_FALSE(is_network_file_system(0xEF53));      // ext4
  EXPECT_FALSE(is_network_file_system(0x794C7630));  // overlay
  EXPECT_FALSE(on_network("/proc/self/exe"));
}

}  // namespace
}  // namespace nccl_sweep::agent
