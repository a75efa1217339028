// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "small_traces.hpp"

namespace nccl_sweep::test {
namespace {

const Lines kFsdp2 = {"all_gather bfloat16 25192448 x2/1 12", "all_reduce float32 4 x2/1 1",
                      "reduce_scatter bfloat16 25192448 x2/1 6"};

// From the raw record_param_comms events, counted by hand.
const Lines kMoeRank0 = {
    "all_gather bfloat16 8388608 x2/1 6",  // 3 each in two groups of the same ranks
    "all_gather uint8 4194304 x2/1 3",     // fp8 as bytes
    "all_reduce float32 16000 x2/1 1",     // coalesced: 4 x 1000 elements
    "all_reduce float32 4 x2/1 1",
    "alltoall bfloat16 4194304 x2/1 6",  // 3 even, 3 uneven with in 2097152 > out 1662976
    "broadcast bfloat16 8388608 x2/1 1",
    "reduce_scatter bfloat16 8388608 x2/1 3",
    "reduce_scatter float32 16777216 x2/1 3",
    "sendrecv bfloat16 4194304 x2/1 1",
};

Workload import_shipped(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names) files.push_back(kData / "traces" / name);
  return read_traces(files, {});
}

TEST(Kineto, TheFsdp2TraceHasItsKnownCallsPerStep) {
  const Workload workload = import_shipped({"fsdp2_kineto_rank0.json.gz"});
  EXPECT_EQ(lines_of(workload), kFsdp2);
  EXPECT_EQ(workload.iterations, 2);
  EXPECT_EQ(workload.world_size, 2);
  EXPECT_EQ(workload.cases.front().count, 12596224);
  ASSERT_EQ(workload.sources.size(), 1U);
  EXPECT_EQ(workload.sources[0].format, "kineto");
  EXPECT_EQ(workload.sources[0].producer, "PyTorch profiler, NCCL 2.28.9");
  EXPECT_EQ(workload.sources[0].rank, 0);
}

TEST(Kineto, EachRankOfTheMoeTraceHasItsOwnCalls) {
  EXPECT_EQ(lines_of(import_shipped({"moe_kineto_rank0.json.gz"})), kMoeRank0);
  Lines rank1 = kMoeRank0;  // but its uneven all-to-all receives 2531328 elements
  *std::ranges::find(rank1, "alltoall bfloat16 4194304 x2/1 6") =
      "alltoall bfloat16 4194304 x2/1 3";
  rank1.emplace_back("alltoall bfloat16 5062656 x2/1 3");
  std::ranges::sort(rank1);
  EXPECT_EQ(lines_of(import_shipped({"moe_kineto_rank1.json.gz"})), rank1);
}

TEST(Kineto, TwoRanksOfAGroupAreNotAddedUp) {
  const Workload both = import_shipped({"moe_kineto_rank0.json.gz", "moe_kineto_rank1.json.gz"});
  // Where ranks differ, in the uneven all-to-all, the busier one counts.
  EXPECT_EQ(lines_of(both), lines_of(import_shipped({"moe_kineto_rank1.json.gz"})));
  EXPECT_TRUE(has_note(both, "ranks differ"));
  EXPECT_EQ(both.sources.size(), 2U);
}

TEST(Kineto, TheOrderOfTheFilesDoesNotMatter) {
  const Workload one = import_shipped({"moe_kineto_rank0.json.gz", "moe_kineto_rank1.json.gz"});
  const Workload other = import_shipped({"moe_kineto_rank1.json.gz", "moe_kineto_rank0.json.gz"});
  EXPECT_EQ(to_json_text(one), to_json_text(other));
}

TEST(Kineto, GroupsOfTheSameShapeAreNotAddedUp) {
  const Folder folder;
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 4; ++rank) {  // two pairs of neighbours, two pairs two apart
    const std::string near = rank < 2 ? "[0, 1]" : "[2, 3]";
    const std::string far = rank % 2 == 0 ? "[0, 2]" : "[1, 3]";
    files.push_back(folder.write(
        fmt::format("rank{}", rank),
        trace({step(1, 0, 100), event({.ranks = near}), event({.in = 512, .ranks = far})}, rank,
              4)));
  }
  EXPECT_EQ(lines_of(read_traces(files, {})),
            (Lines{"all_reduce float32 1024 x2/1 1", "all_reduce float32 2048 x2/2 1"}));
}

TEST(Kineto, AMiddlePipelineRankCountsForItsGroup) {
  const Folder folder;
  const std::string pipeline = "[0, 1, 2]";
  const Record send{.collective = "send", .size = 3, .ranks = pipeline};
  const Record receive{.collective = "recv", .size = 3, .ranks = pipeline};
  const auto first = folder.write("a", trace({step(1, 0, 100), event(send)}, 0, 3));
  const auto middle =
      folder.write("b", trace({step(1, 0, 100), event(send), event(receive)}, 1, 3));
  EXPECT_EQ(lines_of(read_traces({first, middle}, {})), Lines{"sendrecv float32 1024 x3/1 2"});
}

TEST(Kineto, SizeIsTheLargerSide) {
  const Workload workload = import_text(
      trace({step(1, 0, 100), event({.collective = "_allgather_base", .in = 8, .out = 16}),
             event({.collective = "_reduce_scatter_base", .in = 64, .out = 32})}));
  EXPECT_EQ(lines_of(workload),
            (Lines{"all_gather float32 64 x2/1 1", "reduce_scatter float32 256 x2/1 1"}));
}

TEST(Kineto, TheKernelTwinIsNotCounted) {
  std::string kernel = event({});
  replace_all(kernel, "\"cpu_op\"", "\"kernel\"");
  replace_all(kernel, "record_param_comms", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  std::string twin = event({});
  replace_all(twin, "\"cpu_op\"", "\"gpu_user_annotation\"");
  EXPECT_EQ(lines_of(import_text(trace({step(1, 0, 100), event({}), kernel, twin}))),
            Lines{"all_reduce float32 1024 x2/1 1"});
}

TEST(Kineto, AWaitRecordIsLeftOutAndSaid) {
  const Record wait{.collective = "wait", .dtype = "Byte", .in = 0, .out = 0, .size = 1};
  const Workload workload = import_text(trace({step(1, 0, 100), event({}), event(wait)}));
  EXPECT_EQ(workload.cases.size(), 1U);
  EXPECT_TRUE(has_note(workload, "wait records: 1"));
}

TEST(Kineto, TheAllReduceInsideABarrierIsLeftOut) {
  const Record barrier{.collective = "barrier", .in = 0, .out = 0, .time = 20, .duration = 5};
  const Record body{.dtype = "Byte", .in = 1, .out = 1, .time = 22};
  const Record other{.dtype = "Byte", .in = 1, .out = 1, .time = 30};
  const Workload workload =
      import_text(trace({step(1, 0, 100), event(body), event(barrier), event(other)}));
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce uint8 1 x2/1 1"});
  EXPECT_TRUE(has_note(workload, "all-reduces inside a barrier: 1"));
}

TEST(Kineto, GroupsOfOneRankAndOfGlooAreLeftOutAndSaid) {
  std::string text = trace({step(1, 0, 100), event({}), event({.size = 1, .ranks = "[0]"}),
                            event({.extra = R"(, "Process Group Name": "7")"})});
  replace_all(text, "\"world_size\": 2",
              R"("world_size": 2, "pg_config": [{"pg_name": "7",)"
              R"( "backend_config": "cpu:gloo,cuda:gloo", "ranks": [0, 1]}])");
  const Workload workload = import_text(text);
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 1"});
  EXPECT_TRUE(has_note(workload, "calls in groups of one rank: 1"));
  EXPECT_TRUE(has_note(workload, "another backend than NCCL: 1"));
}

TEST(Kineto, AnUnknownCollectiveIsCountedAndSaid) {
  const Workload workload =
      import_text(trace({step(1, 0, 100), event({}), event({.collective = "all_frobnicate"})}));
  EXPECT_EQ(workload.cases.size(), 1U);
  EXPECT_TRUE(has_note(workload, "unknown collective 'all_frobnicate': 1"));
}

TEST(Kineto, ARecordBelongsToTheStepOfItsHostTime) {
  const Workload workload = import_text(
      trace({event({.time = 5}), event({.time = 15}), event({.time = 15}), event({.time = 25}),
             event({.time = 25}), event({.time = 99}), step(2, 20, 30), step(1, 10, 20)}));
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 2"});
  EXPECT_EQ(workload.iterations, 2);
  EXPECT_TRUE(has_note(workload, "records outside of the marked steps: 2"));
}

TEST(Kineto, AStepOnTheDeviceIsNoStep) {
  const Workload workload = import_text(
      trace({step(1, 0, 20), step(1, 50, 90, "gpu_user_annotation"), event({.time = 10})}));
  EXPECT_EQ(workload.iterations, 1);
}

TEST(Kineto, PartialFirstAndLastStepsAreDropped) {
  std::vector<std::string> events;
  const std::vector<int> calls = {1, 3, 3, 3, 2};
  for (int number = 0; number < 5; ++number) {
    events.push_back(step(number, number * 10, number * 10 + 10));
    for (int i = 0; i < calls[static_cast<std::size_t>(number)]; ++i) {
      events.push_back(event({.time = number * 10.0 + 1}));
    }
  }
  const Workload workload = import_text(trace(events));
  EXPECT_EQ(workload.iterations, 3);
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 3"});
  EXPECT_TRUE(has_note(workload, "partial steps left out: 2 of 5"));
}

TEST(Kineto, StepsThatDisagreeGiveTheMeanAndANote) {
  const Workload workload = import_text(trace({step(1, 0, 10), step(2, 10, 20), event({.time = 1}),
                                               event({.time = 11}), event({.time = 12})}));
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 1.5"});
  EXPECT_TRUE(has_note(workload, "steps disagree in 1 of 1 cases"));
}

TEST(Kineto, WithoutStepsTheWholeTraceCountsUnlessItersIsGiven) {
  const std::string text = trace({event({.time = 1}), event({.time = 2})});
  const Workload whole = import_text(text);
  EXPECT_EQ(lines_of(whole), Lines{"all_reduce float32 1024 x2/1 2"});
  EXPECT_EQ(whole.iterations, 0);
  EXPECT_TRUE(has_note(whole, "no ProfilerStep marks"));
  const Workload divided = import_text(text, {.iterations = 2});
  EXPECT_EQ(lines_of(divided), Lines{"all_reduce float32 1024 x2/1 1"});
  EXPECT_EQ(divided.iterations, 2);
}

TEST(Kineto, DtypesAreNcclsWords) {
  const auto dtype_of = [](const std::string& name) {
    return std::string(
        to_string(import_text(trace({step(1, 0, 100), event({.dtype = name})})).cases.at(0).dtype));
  };
  EXPECT_EQ(dtype_of("BFloat16"), "bfloat16");
  EXPECT_EQ(dtype_of("Half"), "float16");
  EXPECT_EQ(dtype_of("Float8_e4m3fn"), "float8e4m3");
  EXPECT_EQ(dtype_of("Float8_e5m2"), "float8e5m2");
  EXPECT_EQ(dtype_of("Bool"), "uint8");
  EXPECT_EQ(dtype_of("Long"), "int64");
  EXPECT_EQ(dtype_of("ComplexFloat"), "float32");
}

TEST(Kineto, ShortenedRankListsFallBackToStartAndStride) {
  const Record wide{.size = 64,
                    .ranks = "[0, 8, 16, ..., ...]",
                    .extra = R"(, "Global rank start": 0, "Global rank stride": 8)"};
  EXPECT_EQ(lines_of(import_text(trace({step(1, 0, 100), event(wide)}, 0, 512))),
            Lines{"all_reduce float32 1024 x64/8 1"});
}

TEST(Kineto, OldKeyNamesAndNumbersAsTextAreRead) {
  std::string old = event({});
  replace_all(old, "msg nelems\": 256", "msg size\": \"256\"");
  replace_all(old, "\"Group size\": 2, ", "");
  const Workload workload = import_text(trace({step(1, 0, 100), old}));
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 1"});
  EXPECT_TRUE(has_note(workload, "without a group size, taken as of all ranks: 1"));
}

TEST(Kineto, CorruptSizesAreLeftOutAndSaid) {
  const Workload workload =
      import_text(trace({step(1, 0, 100), event({}), event({.in = -2147483648, .out = -2147483648}),
                         event({.in = 0, .out = 0})}));
  EXPECT_EQ(workload.cases.size(), 1U);
  EXPECT_TRUE(has_note(workload, "records with a corrupt size: 1"));
  EXPECT_TRUE(has_note(workload, "send nothing (0 elements): 1"));
}

}  // namespace
}  // namespace nccl_sweep::test
