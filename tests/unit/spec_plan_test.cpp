// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/plan.hpp"

namespace nccl_sweep {
namespace {

constexpr const char* kSpec = R"({
  // sizes of our job
  "name": "streams",
  "backend": "host",
  "collectives": ["all_gather", "all_reduce"],
  "sizes": {"from": "64K", "to": "1M", "factor": 4},
  "dtypes": ["bfloat16"],
  "axes": {"HOST_STREAMS_PER_CONNECTION": [1, 2, "4"]},
  "exclude": [{"HOST_STREAMS_PER_CONNECTION": 2}]
})";

KnobCatalogue catalogue() {
  KnobCatalogue c;
  Knob streams;
  streams.name = "HOST_STREAMS_PER_CONNECTION";
  streams.backend = "host";
  streams.minimum = 1;
  streams.maximum = 64;
  c.add(streams);
  return c;
}

Error error_of(const std::string& text) {
  try {
    parse_spec(text, "s.json");
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text;
  return usage_error("");
}

TEST(Spec, IsReadAndReadBack) {
  const SweepSpec spec = parse_spec(kSpec, "s.json");
  EXPECT_EQ(spec.sizes.size(), 3U);
  EXPECT_EQ(spec.axes.at(0).values, (std::vector<std::string>{"1", "2", "4"}));
  EXPECT_EQ(to_json_text(parse_spec(to_json_text(spec), "again")), to_json_text(spec));
}

TEST(Spec, AnUnknownKeyIsNamedWithItsLineAndANearWord) {
  const Error error = error_of("{\n  \"backend\": \"host\",\n  \"colectives\": [\"all_gather\"]\n}");
  EXPECT_EQ(error.where(), "s.json:3");
  EXPECT_EQ(error.hint(), "did you mean 'collectives'?");
}

TEST(Spec, BrokenJsonIsNamedWithItsLine) {
  EXPECT_EQ(error_of("{\n\"backend\": \"host\",\n\"sizes\": [\n").where(), "s.json:4");
  EXPECT_NE(error_of("  \n").message().find("empty"), std::string::npos);
}

TEST(Spec, WrongValuesAreNamed) {
  EXPECT_NE(error_of(R"({"backend": "hots", "collectives": ["all_gather"], "sizes": ["1M"]})")
                .hint()
                .find("host"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1MB"]})")
                .message()
                .find("1MB"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"backend": "host", "collectives": ["all_gather"]})").message().find(
                "sizes"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1M"],
                         "axes": {"A": [1, 1]}})")
                .message()
                .find("twice"),
            std::string::npos);
  error_of(R"({"backend": "model", "collectives": ["all_gather"], "sizes": ["1M"]})");
  error_of(R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1M"], "rounds": -1})");
  error_of(R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1M"],
               "exclude": [{"B": 1}]})");
}

TEST(Plan, ExpandsCandidatesAndCasesAndHonoursExclude) {
  const SweepPlan plan = expand(parse_spec(kSpec, "s.json"), catalogue(), {}, {0, 0, 0, 0});
  ASSERT_EQ(plan.candidates.size(), 3U);
  EXPECT_EQ(name_of(plan.candidates[0]), "default");
  EXPECT_EQ(name_of(plan.candidates[2]), "HOST_STREAMS_PER_CONNECTION=4");
  EXPECT_EQ(plan.cases.size(), 6U);
  EXPECT_EQ(plan.cases.front().group_size, 4);
  EXPECT_GE(plan.arena.value, 64 << 20);
}

TEST(Plan, ExcludeMatchesASizeHoweverItIsWritten) {
  KnobCatalogue knobs = catalogue();
  Knob chunk;
  chunk.name = "HOST_CHUNK_BYTES";
  chunk.backend = "host";
  chunk.type = KnobType::size;
  knobs.add(chunk);
  const SweepSpec spec = parse_spec(R"({"backend": "host", "collectives": ["all_gather"],
      "sizes": ["1M"], "axes": {"HOST_CHUNK_BYTES": ["128K", "512K"]},
      "exclude": [{"HOST_CHUNK_BYTES": "512K"}]})", "s.json");
  const SweepPlan plan = expand(spec, knobs, {}, {0, 0});
  ASSERT_EQ(plan.candidates.size(), 2U);
  EXPECT_EQ(name_of(plan.candidates[1]), "HOST_CHUNK_BYTES=131072");
}

TEST(Plan, AMisspeltKnobAndABadValueAreErrors) {
  SweepSpec spec = parse_spec(kSpec, "s.json");
  spec.axes[0].knob = "HOST_STREAM_PER_CONNECTION";
  spec.exclude.clear();
  try {
    expand(spec, catalogue(), {}, {0, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("HOST_STREAMS_PER_CONNECTION"), std::string::npos);
  }
  spec = parse_spec(kSpec, "s.json");
  spec.axes[0].values = {"four"};
  EXPECT_THROW(expand(spec, catalogue(), {}, {0, 0}), Error);
}

WorkloadCase sent(Collective collective, std::int64_t bytes, int group, double calls) {
  WorkloadCase c;
  c.collective = collective;
  c.dtype = DataType::bfloat16;
  c.bytes = Bytes{bytes};
  c.count = bytes / 2;
  c.group_size = group;
  c.calls = calls;
  return c;
}

TEST(Plan, AWorkloadsSmallerGroupsRunSideBySide) {
  SweepSpec spec = parse_spec(R"({"backend": "host", "sizes": "workload"})", "s.json");
  const SweepPlan plan = expand(spec, catalogue(), {sent(Collective::all_gather, 1 << 20, 2, 12)},
                                {0, 0, 0, 0});
  ASSERT_EQ(plan.cases.size(), 1U);
  EXPECT_EQ(plan.cases[0].group_size, 2);
  EXPECT_FALSE(plan.cases[0].scaled());
  EXPECT_EQ(plan.cases[0].calls, 12);
  const auto partition = static_cast<std::size_t>(plan.partition_of_case[0]);
  EXPECT_EQ(plan.partitions[partition], (Partition{{0, 1}, {2, 3}}));
}

TEST(Plan, AWorkloadsLargerGroupIsScaledAndSaysSo) {
  SweepSpec spec = parse_spec(R"({"backend": "host", "sizes": "workload"})", "s.json");
  const SweepPlan plan = expand(spec, catalogue(), {sent(Collective::all_gather, 1 << 20, 64, 1)},
                                {0, 0, 0, 0});
  ASSERT_EQ(plan.cases.size(), 1U);
  EXPECT_TRUE(plan.cases[0].scaled());
  EXPECT_EQ(plan.cases[0].group_size, 4);
  EXPECT_EQ(plan.cases[0].size.value, 1 << 20);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_NE(plan.notes[0].find("scaled from 4 ranks"), std::string::npos);
}

TEST(Plan, AWorkloadsGroupThatDoesNotDivideIsScaledToo) {
  SweepSpec spec = parse_spec(R"({"backend": "host", "sizes": "workload"})", "s.json");
  const SweepPlan plan = expand(spec, catalogue(), {sent(Collective::all_gather, 1 << 20, 3, 1)},
                                {0, 0, 0, 0});
  EXPECT_TRUE(plan.cases.at(0).scaled());
  EXPECT_EQ(scaled_note(plan.cases[0]), "scaled from 4 ranks");
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_NE(plan.notes[0].find("of 3 ranks does not divide the 4 ranks here"), std::string::npos);
}

TEST(Plan, AScaledGroupIsSaidOnceForAllPlacementsAndGraphs) {
  SweepSpec spec = parse_spec(
      R"({"backend": "nccl", "sizes": "workload", "placement": ["out_of_place", "in_place"],
          "cuda_graph": ["off", "on"]})",
      "s.json");
  const SweepPlan plan =
      expand(spec, catalogue(), {sent(Collective::all_gather, 1 << 20, 64, 1)}, {0, 0, 0, 0});
  EXPECT_EQ(plan.cases.size(), 4U);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_NE(plan.notes[0].find("of 64 ranks does not fit the 4 ranks here"), std::string::npos);
}

TEST(Plan, LinesOfAWorkloadThatBecomeOneCaseAddTheirCalls) {
  SweepSpec spec = parse_spec(R"({"backend": "host", "sizes": "workload"})", "s.json");
  WorkloadCase near = sent(Collective::all_gather, 1 << 20, 64, 2);
  WorkloadCase far = near;
  near.group_stride = 1;
  far.group_stride = 8;
  const SweepPlan plan = expand(spec, catalogue(), {near, far}, {0, 0, 0, 0});
  ASSERT_EQ(plan.cases.size(), 1U);
  EXPECT_EQ(plan.cases[0].calls, 4);
}

TEST(Plan, AnExcludedValueThatIsNotTriedIsAnError) {
  SweepSpec spec = parse_spec(kSpec, "s.json");
  spec.exclude = {{{"HOST_STREAMS_PER_CONNECTION", "3"}}};
  EXPECT_THROW(expand(spec, catalogue(), {}, {0, 0}), Error);
}

TEST(Plan, RoundedSizesAreSaid) {
  SweepSpec spec = parse_spec(
      R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1000"]})", "s.json");
  const SweepPlan plan = expand(spec, catalogue(), {}, {0, 0, 0});
  EXPECT_EQ(plan.cases[0].size.value, 960);
  ASSERT_FALSE(plan.notes.empty());
}

TEST(Plan, SizesOfACandidateAreFoundHoweverTheyAreWritten) {
  KnobCatalogue knobs = catalogue();
  Knob chunk;
  chunk.name = "HOST_CHUNK_BYTES";
  chunk.backend = "host";
  chunk.type = KnobType::size;
  knobs.add(chunk);
  SweepSpec spec = parse_spec(
      R"({"backend": "host", "collectives": ["all_gather"], "sizes": ["1M"],
          "axes": {"HOST_CHUNK_BYTES": ["512K"]}})",
      "s.json");
  const SweepPlan plan = expand(spec, knobs, {}, {0, 0});
  EXPECT_EQ(name_of(find_candidate(plan, knobs, "host", "HOST_CHUNK_BYTES=512K")),
            "HOST_CHUNK_BYTES=524288");
  spec.axes[0].values = {"512K", "524288"};
  EXPECT_THROW(expand(spec, knobs, {}, {0, 0}), Error);
}

TEST(Plan, ACandidateIsFoundByItsAssignmentsInAnyOrder) {
  const SweepPlan plan = expand(parse_spec(kSpec, "s.json"), catalogue(), {}, {0, 0});
  EXPECT_EQ(name_of(find_candidate(plan, catalogue(), "host", " HOST_STREAMS_PER_CONNECTION=4 ")),
            "HOST_STREAMS_PER_CONNECTION=4");
  EXPECT_THROW(find_candidate(plan, catalogue(), "host", "HOST_STREAMS_PER_CONNECTION=2"), Error);
}

}  // namespace
}  // namespace nccl_sweep
