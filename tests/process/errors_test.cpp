// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Bad input and broken surroundings, as a user meets them: one clear message with place and
// remedy, the right exit code, nothing half-written.
#include <fstream>

#include <gtest/gtest.h>

#include "core/records.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::test {
namespace {

struct Mistake {
  const char* name;
  const char* arguments;  // after the program's name
  int exit_code;
  const char* says;       // must all stand in the message, separated by |
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (c == '|') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

class Mistakes : public testing::TestWithParam<Mistake> {
 protected:
  void SetUp() override {
    const auto write = [&](const char* name, const std::string& text) {
      std::ofstream(folder_.path() / name, std::ios::binary) << text;
    };
    write("empty.json", "");
    write("cut.json", "{\n  \"backend\": \"host\",\n  \"sizes\": [\"1M\"");
    write("key.json", "{\n  \"backend\": \"host\",\n  \"sizess\": [\"1M\"]\n}\n");
    write("binary.json", std::string("\x7f"
                                     "ELF\0\1\2",
                                     7));
    write("knob.json",
          R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1M"],
              "axes": {"HOST_STREAMS_PER_CONECTION": [1]}})");
    write("good.json", R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["64K"],
                           "rounds": 1})");
    write("workload.json",
          R"({"backend": "host", "sizes": "workload"})");
    write("cut-trace.json", R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op")");
  }
  TemporaryFolder folder_;
};

TEST_P(Mistakes, GetOneClearMessage) {
  const Mistake& mistake = GetParam();
  const Finished finished = run_shell(folder_.path(), program() + " " + mistake.arguments);
  EXPECT_EQ(finished.exit_code, mistake.exit_code) << finished.err;
  for (const std::string& part : parts(mistake.says)) {
    EXPECT_NE(finished.err.find(part), std::string::npos)
        << "not said: " << part << "\nwas said: " << finished.err;
  }
  EXPECT_TRUE(finished.out.empty()) << finished.out;
  EXPECT_LE(std::count(finished.err.begin(), finished.err.end(), '\n'), 4) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "results"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "w.json"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{"NoSubcommand", "", 1, "subcommand"},
        Mistake{"UnknownOption", "run --nonsense", 1, "--nonsense"},
        Mistake{"SpecNotThere", "run nowhere.json", 1, "nowhere.json|no such spec"},
        Mistake{"SpecEmpty", "run empty.json", 1, "empty.json|empty"},
        Mistake{"SpecCut", "plan cut.json", 1, "cut.json:3|not valid JSON"},
        Mistake{"SpecBinary", "plan binary.json", 1, "binary.json|binary"},
        Mistake{"SpecUnknownKey", "plan key.json", 1, "key.json:3|sizess|did you mean 'sizes'?"},
        Mistake{"SpecUnknownKnob", "plan knob.json", 1,
                "HOST_STREAMS_PER_CONECTION|did you mean 'HOST_STREAMS_PER_CONNECTION'?"},
        Mistake{"SpecIsAFolder", "plan .", 1, "a folder"},
        Mistake{"NothingToVary", "run", 1, "nothing to vary|--vary"},
        Mistake{"GroupsOfOne", "plan good.json --workers 2 --group rail", 1, "rail|one rank"},
        Mistake{"CollectiveThatHostCannotRun", "plan --backend host --collective alltoall", 1,
                "alltoall|host"},
        Mistake{"HabitOfNcclTests", "bench -g 8", 1, "-g|--workers"},
        Mistake{"WorkloadMissing", "plan workload.json --workers 2", 1,
                "workload|--workload"},
        Mistake{"UnknownCollective", "plan --backend host --collective all_gater", 1,
                "all_gater|did you mean 'all_gather'?"},
        Mistake{"UnknownType", "plan --backend host -d bfloat61", 1, "bfloat61|bfloat16"},
        Mistake{"UnknownUnit", "plan --backend host -b 64KB", 1, "64KB|binary"},
        Mistake{"UnknownBackend", "plan --backend nvcl", 1, "nvcl|did you mean 'nccl'?"},
        Mistake{"UnknownCandidate",
                "plan --backend host --vary HOST_STREAMS_PER_CONNECTION=2 --only HOST_STREAMS=2", 1,
                "no candidate"},
        Mistake{"ValueNcclWouldMisread", "plan --backend nccl --workers 2 --vary "
                "NCCL_MIN_CTAS=4k", 1, "4k"},
        Mistake{"WordForANumber", "plan --backend host --vary HOST_STREAMS_PER_CONNECTION=four", 1,
                "four"},
        Mistake{"OutOfRange", "plan --backend host --vary HOST_STREAMS_PER_CONNECTION=0", 1, "0"},
        Mistake{"OneRank", "run --backend host --workers 1 --rounds 1", 1, "one rank|--workers 2"},
        Mistake{"OutputNotWritable", "run good.json --workers 2 --output /proc/none/run", 2,
                "/proc/none/run"},
        Mistake{"TraceNotThere", "workload nowhere.json.gz -o w.json", 1, "nowhere.json.gz"},
        Mistake{"TraceEmpty", "workload empty.json -o w.json", 1, "empty.json|empty"},
        Mistake{"TraceBinary", "workload binary.json -o w.json", 1, "binary.json"},
        Mistake{"TraceCut", "workload cut-trace.json -o w.json", 1, "cut-trace.json"},
        Mistake{"ReportWithoutRuns", "report", 1, "no run"},
        Mistake{"ReportNotARun", "report empty.json", 1, "empty.json"},
        Mistake{"ResumeNotThere", "run --resume nowhere", 1, "nowhere|no run here"},
        Mistake{"ResumeWithOtherOptions", "run --resume nowhere --seed 3", 1, "--seed|--resume"},
        Mistake{"BadTimeout", "run good.json --workers 2 --timeout abc", 1, "--timeout|abc"},
        Mistake{"ZeroTimeout", "run good.json --workers 2 --timeout 0", 1, "--timeout"},
        Mistake{"NegativeWorkers", "plan good.json --workers=-4", 1, "--workers"},
        Mistake{"GroupThatOverflows", "plan good.json --workers 2 --group 65536/65536", 1,
                "65536/65536"},
        Mistake{"GroupThatDoesNotDivide", "plan good.json --workers 4 --group 1/3", 1, "1/3"},
        Mistake{"VariedTwice",
                "plan --backend host --vary HOST_STREAMS_PER_CONNECTION=1 --vary "
                "HOST_STREAMS_PER_CONNECTION=2",
                1, "varied twice"},
        Mistake{"RanksWithoutAModel", "plan good.json --workers 2 --ranks 8", 1, "--ranks"},
        Mistake{"SizesTwice", "plan good.json --workers 2 --workload w -b 1M", 1, "not from both"}),
    [](const auto& mistake) { return std::string(mistake.param.name); });

TEST(Limits, ThatAreTooLowForTheWorkersAreSaidBeforeTheFirstTrial) {
  const TemporaryFolder folder;
  const Finished planned = run_shell(folder.path(), "ulimit -n 300 && " + program() +
                                                        " plan --backend host --workers 2"
                                                        " --collective all_gather -b 64K -e 64K");
  EXPECT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_NE(planned.out.find("limits  open files 300"), std::string::npos) << planned.out;
  EXPECT_NE(planned.out.find("warning too low: open files 300, about 514 are needed"),
            std::string::npos)
      << planned.out;
}

TEST(Pinned, ASweepOfAPinnedVariableStopsAndNamesTheWayOut) {
  const TemporaryFolder folder;
  const Finished finished =
      run_shell(folder.path(), "HOST_STREAMS_PER_CONNECTION=4 " + program() +
                                   " plan --backend host --vary HOST_STREAMS_PER_CONNECTION=1,2");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.err.find("--override-pinned HOST_STREAMS_PER_CONNECTION"), std::string::npos)
      << finished.err;
  const Finished overridden = run_shell(
      folder.path(), "HOST_STREAMS_PER_CONNECTION=4 " + program() +
                         " plan --backend host --vary HOST_STREAMS_PER_CONNECTION=1,2"
                         " --override-pinned HOST_STREAMS_PER_CONNECTION");
  EXPECT_EQ(overridden.exit_code, 0) << overridden.err;
  EXPECT_NE(overridden.out.find("pinned: HOST_STREAMS_PER_CONNECTION=4"), std::string::npos);
}

// An administrator who switches multicast off knows why; no GPU is needed to refuse.
TEST(Pinned, ASiteThatSwitchedMulticastOffIsObeyedBeforeAnyWorkerStarts) {
  const TemporaryFolder folder;
  for (const std::string verb : {"plan", "run --output run"}) {
    const Finished finished =
        run_shell(folder.path(), "NCCL_SWEEP_WORKER=/bin/false NCCL_NVLS_ENABLE=0 " + program() +
                                     " " + verb +
                                     " --backend nccl --workers 2 --vary NCCL_NVLS_ENABLE=0,2"
                                     " --collective all_gather -b 1M -e 1M");
    EXPECT_EQ(finished.exit_code, 1) << verb;
    EXPECT_NE(finished.err.find("NCCL_NVLS_ENABLE is pinned to '0'"), std::string::npos) << verb;
    EXPECT_NE(finished.err.find("--override-pinned NCCL_NVLS_ENABLE"), std::string::npos) << verb;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST(Pinned, AConfFilePinsToo) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "site.conf") << "NCCL_NVLS_ENABLE=0\n";
  const std::string plan = "NCCL_CONF_FILE=./site.conf " + program() +
                           " plan --backend nccl --workers 2 --collective all_gather -b 1M -e 1M"
                           " --vary ";
  const Finished finished = run_shell(folder.path(), plan + "NCCL_NVLS_ENABLE=0,2");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.err.find("NCCL_NVLS_ENABLE is pinned to '0' by a conf file"),
            std::string::npos)
      << finished.err;
  const Finished other =
      run_shell(folder.path(), plan + "buffer=plain,symmetric --vary NCCL_SYM_CTAS=8,16");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(other.out.find("from conf files: NCCL_NVLS_ENABLE=0"), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("A/A: buffer=plain NCCL_SYM_CTAS=8"), std::string::npos) << other.out;
}

TEST(Resolve, SaysWhatAGainCostsAtAPilotsNoise) {
  const TemporaryFolder folder;
  const std::string plan = program() +
                           " plan --backend nccl --workers 2 --vary NCCL_MAX_CTAS=8,16"
                           " --collective all_gather -b 24M -e 24M ";
  const Finished known = run_shell(
      folder.path(), plan + "--resolve 1% --budget 2m --pilot " TEST_DATA "/runs/h200-fsdp2");
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_NE(known.out.find("by 22 launches of sweep on h200-2-nvlink"), std::string::npos)
      << known.out;
  EXPECT_NE(known.out.find("decided at"), std::string::npos) << known.out;
  EXPECT_NE(known.out.find("the budget of 2 min 0 s pays for"), std::string::npos) << known.out;
  const Finished unknown = run_shell(folder.path(), plan + "--resolve 0.5%");
  EXPECT_NE(unknown.out.find("noise unknown"), std::string::npos) << unknown.out;
  const Finished wrong = run_shell(folder.path(), plan + "--resolve 3");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("'3' is no gain"), std::string::npos) << wrong.err;
}

TEST(Preflight, ATopologyFileThatIsNotThereIsAWarning) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(), "NCCL_TOPO_FILE=/nowhere.xml " + program() +
                         " plan --backend host --vary HOST_STREAMS_PER_CONNECTION=1,2 --workers 2"
                         " --collective all_gather -b 1M -e 1M 2>&1");
  EXPECT_EQ(finished.exit_code, 0) << finished.out;
  EXPECT_NE(finished.out.find("warning NCCL_TOPO_FILE=/nowhere.xml NOT READABLE on all ranks"),
            std::string::npos)
      << finished.out;
}

TEST(Preflight, CpusThatTheJobMayNotUseAreAUsageError) {
  const TemporaryFolder folder;
  const Finished finished =
      run_shell(folder.path(), program() +
                                   " plan --backend host --vary cpu_bind=1023 --workers 2"
                                   " --collective all_gather -b 1M -e 1M");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.err.find("cpu_bind=1023: none of these CPUs may be used"), std::string::npos)
      << finished.err;
}

TEST(Dangerous, AKnobThatIsFabricPolicyNeedsTheUsersWord) {
  const TemporaryFolder folder;
  const std::string plan =
      program() + " plan --backend nccl --workers 2 --vary NCCL_IB_TC=0,106 -b 1M";
  const Finished refused = run_shell(folder.path(), plan);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--allow NCCL_IB_TC"), std::string::npos) << refused.err;
}

TEST(Records, AFullDiskStopsTheRunWithWholeRecords) {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      folder.path(),
      "mkdir small && mount -t tmpfs -o size=16k none small 2>/dev/null || exit 77\n"
      "trap 'cp small/run/records.jsonl kept.jsonl; umount small' EXIT\n" +
          program() +
          " run --backend host --workers 2 --collective all_gather -b 64K -e 64K --rounds 200"
          " --vary HOST_STREAMS_PER_CONNECTION=2 --output small/run");
  if (finished.exit_code == 77) GTEST_SKIP() << "cannot mount a small file system here";
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  EXPECT_NE(finished.err.find("No space left"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("--resume"), std::string::npos);
  const RunData data = read_run(folder.path() / "kept.jsonl");
  EXPECT_FALSE(data.torn_tail);
  EXPECT_FALSE(data.trials.empty());
}

TEST(Warnings, MoreWorkersThanCoresAreSaid) {
  const TemporaryFolder folder;
  const Finished finished =
      run_shell(folder.path(), program() + " plan --backend host --workers 999 -b 1M");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_NE(finished.out.find("999 workers on the"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace nccl_sweep::test
