// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/knob.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

std::string value_error(const Knob& knob, std::string_view value) {
  return error_of([&] { KnobCatalogue().check_value(knob, value, "spec.json:3"); });
}

Knob integer_knob(std::optional<std::int64_t> low = {}, std::optional<std::int64_t> high = {}) {
  Knob knob;
  knob.name = "NCCL_IB_QPS_PER_CONNECTION";
  knob.backend = "nccl";
  knob.minimum = low;
  knob.maximum = high;
  return knob;
}

Knob text_knob(std::string name) {
  Knob knob;
  knob.name = std::move(name);
  knob.type = KnobType::text;
  return knob;
}

// A folder with one catalogue file, removed at the end.
class KnobFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("knob_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  KnobCatalogue load(const std::string& text) {
    std::ofstream(folder_ / "k.json") << text;
    return KnobCatalogue::load(folder_);
  }
  fs::path folder_;
};

TEST(KnobValue, APlainNumberInRangeIsAccepted) {
  for (const char* value : {"1", "4", "128", "0x10"}) {
    EXPECT_EQ(value_error(integer_knob(1, 128), value), "") << value;
  }
  EXPECT_EQ(value_error(integer_knob(-2), "-2"), "");
}

TEST(KnobValue, ANumberThatWouldBeReadAsAnotherIsRefusedAndSaysAsWhich) {
  EXPECT_THAT(value_error(integer_knob(), "4k"), HasSubstr("silently be read as 4"));
  EXPECT_THAT(value_error(integer_knob(), "four"), HasSubstr("silently be read as 0"));
  EXPECT_THAT(value_error(integer_knob(), "010"), HasSubstr("silently be read as 8"));
  EXPECT_THAT(value_error(integer_knob(), "0x"), HasSubstr("silently be read as 0"));
  EXPECT_THAT(value_error(integer_knob(), "1.5"), HasSubstr("silently be read as 1"));
  EXPECT_THAT(value_error(integer_knob(), "4,8"), HasSubstr("silently be read as 4"));
  EXPECT_NE(value_error(integer_knob(), "99999999999999999999"), "");
}

TEST(KnobValue, BlanksAndQuotesAroundAValueAreRefused) {
  for (const char* value : {" 4", "4 ", "\t4", "4\n", "\"4\"", "'4'", ""}) {
    EXPECT_NE(value_error(integer_knob(), value), "") << '[' << value << ']';
    EXPECT_NE(value_error(text_knob("NCCL_IB_HCA"), value), "") << '[' << value << ']';
  }
}

TEST(KnobValue, TheErrorNamesPlaceKnobAndRange) {
  const std::string error = value_error(integer_knob(1, 32), "64");
  EXPECT_THAT(error, HasSubstr("spec.json:3"));
  EXPECT_THAT(error, HasSubstr("NCCL_IB_QPS_PER_CONNECTION: '64' is outside 1 to 32"));
  EXPECT_NE(value_error(integer_knob(1, 32), "0"), "");
}

TEST(KnobValue, BooleansAreZeroOrOne) {
  Knob knob = integer_knob();
  knob.type = KnobType::boolean;
  EXPECT_EQ(value_error(knob, "0"), "");
  EXPECT_EQ(value_error(knob, "1"), "");
  for (const char* value : {"2", "true", "01", "-1"}) EXPECT_NE(value_error(knob, value), "");
}

TEST(KnobValue, SizesTakeUnitsAndBecomePlainBytes) {
  Knob knob = integer_knob(4096, 1 << 26);
  knob.type = KnobType::size;
  EXPECT_EQ(value_error(knob, "512K"), "");
  EXPECT_EQ(normalise_value(knob, "512K"), "524288");
  EXPECT_EQ(normalise_value(knob, "524288"), "524288");
  EXPECT_THAT(value_error(knob, "1K"), HasSubstr("outside 4K to 64M"));
  EXPECT_NE(value_error(knob, "512KB"), "");
  EXPECT_NE(value_error(knob, "many"), "");
}

TEST(KnobValue, PowersOfTwoAreAskedForWhereOddValuesMisbehave) {
  Knob knob = integer_knob(1, 64);
  knob.power_of_two = true;
  EXPECT_EQ(value_error(knob, "8"), "");
  EXPECT_THAT(value_error(knob, "6"), HasSubstr("not a power of two"));
}

TEST(KnobValue, AChoiceIsTakenLiterallyAndAMisspeltOneIsExplained) {
  Knob knob = text_knob("NCCL_NET_GDR_LEVEL");
  knob.type = KnobType::choice;
  knob.choices = {"LOC", "PIX", "PXB", "PHB", "SYS"};
  EXPECT_EQ(value_error(knob, "PHB"), "");
  EXPECT_THAT(value_error(knob, "phb"), HasSubstr("did you mean 'PHB'?"));
}

TEST(KnobValue, TheAlgorithmGrammarIsChecked) {
  const Knob knob = text_knob("NCCL_ALGO");
  for (const char* value : {"Ring", "ring,tree", "^NVLS", "ring;allgather:pat,ring",
                            "allreduce:nvls", "ring,tree;allreduce:^tree"}) {
    EXPECT_EQ(value_error(knob, value), "") << value;
  }
  EXPECT_THAT(value_error(knob, "rings"), HasSubstr("did you mean 'ring'?"));
  EXPECT_THAT(value_error(knob, "all_gather:ring"), HasSubstr("did you mean 'allgather'?"));
  EXPECT_THAT(value_error(knob, "ring;tree"), HasSubstr("names no collective"));
  EXPECT_NE(value_error(knob, "ring,"), "");
  EXPECT_EQ(value_error(text_knob("NCCL_PROTO"), "^LL128"), "");
  EXPECT_NE(value_error(text_knob("NCCL_PROTO"), "LL64"), "");
}

TEST(KnobValue, CpuListsAreRangesAndSingleCpus) {
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_TRUE(parse_cpu_list("all").empty());
  for (const char* text : {"", "0-", "3-1", "a", "0,,1", "-1", "0-4096"}) {
    EXPECT_THROW(parse_cpu_list(text), Error) << text;
  }
}

TEST(KnobCatalogue, AnUnknownNameGetsADidYouMean) {
  KnobCatalogue catalogue;
  catalogue.add(integer_knob());
  const auto error = error_of([&] { catalogue.require("nccl", "NCCL_IB_QPS_PER_CONECTION"); });
  EXPECT_THAT(error, HasSubstr("did you mean 'NCCL_IB_QPS_PER_CONNECTION'?"));
  EXPECT_EQ(catalogue.require("nccl", "NCCL_IB_QPS_PER_CONNECTION").backend, "nccl");
}

TEST(KnobCatalogue, AKnobOfAnotherBackendIsNamedAsSuch) {
  KnobCatalogue catalogue;
  catalogue.add(integer_knob());
  const auto error = error_of([&] { catalogue.require("host", "NCCL_IB_QPS_PER_CONNECTION"); });
  EXPECT_THAT(error, HasSubstr("is a knob of backend nccl, not of host"));
}

TEST(KnobCatalogue, ALaterKnobOfTheSameNameReplacesTheEarlier) {
  KnobCatalogue catalogue;
  catalogue.add(integer_knob(1, 2));
  catalogue.add(integer_knob(1, 8));
  ASSERT_EQ(catalogue.knobs().size(), 1U);
  EXPECT_EQ(catalogue.knobs()[0].maximum, 8);
}

TEST_F(KnobFile, CommentsAreAllowedAndLimitsMayHaveUnits) {
  const KnobCatalogue catalogue = load(R"(// why
    {"backend": "host", "knobs": [ // one
      {"name": "A", "type": "size", "class": "can-corrupt", "maximum": "64M", "default": "1",
       "summary": "s"}]})");
  const Knob& knob = catalogue.require("host", "A");
  EXPECT_EQ(knob.maximum, 64 << 20);
  EXPECT_EQ(knob.knob_class, KnobClass::can_corrupt);
  EXPECT_EQ(knob.kind, KnobKind::environment);
}

TEST_F(KnobFile, AnUnknownKeyNamesFilePointerAndTheNearestKey) {
  const auto error = error_of([&] {
    load(R"({"backend": "host", "knobs": [{"name": "A", "defualt": "1", "summary": "s"}]})");
  });
  EXPECT_THAT(error, HasSubstr("k.json#/knobs/0"));
  EXPECT_THAT(error, HasSubstr("unknown key 'defualt'"));
  EXPECT_THAT(error, HasSubstr("did you mean 'default'?"));
}

TEST_F(KnobFile, AWordThatIsNotOneOfTheEnumIsRefused) {
  const auto error = error_of([&] {
    load(R"({"backend": "b", "knobs": [{"name": "A", "type": "bool", "default": "1",
                                        "summary": "s"}]})");
  });
  EXPECT_THAT(error, HasSubstr("/knobs/0/type"));
}

TEST_F(KnobFile, TheSameNameTwiceIsAnError) {
  const char* knob = R"({"name": "A", "default": "1", "summary": "s"})";
  const auto error = error_of(
      [&] { load(std::string(R"({"backend": "b", "knobs": [)") + knob + "," + knob + "]}"); });
  EXPECT_THAT(error, HasSubstr("listed twice"));
}

TEST_F(KnobFile, AMisspeltVariableOfTheEnvironmentIsFound) {
  const KnobCatalogue catalogue = load(R"({"backend": "nccl",
    "knobs": [{"name": "NCCL_SOCKET_NTHREADS", "default": "1", "summary": "s"}],
    "known_variables": ["NCCL_DEBUG", "NCCL_SHARP_*"]})");
  EXPECT_EQ(unknown_variables({"NCCL_SOCKET_NTHREAD", "NCCL_SOCKET_NTHREADS", "NCCL_DEBUG",
                               "NCCL_SHARP_DISABLE", "SOCKET_NTHREADS"},
                              catalogue),
            (std::vector<std::string>{
                "NCCL_SOCKET_NTHREAD is no variable that NCCL is known to read: did you mean "
                "'NCCL_SOCKET_NTHREADS'?"}));
}

TEST_F(KnobFile, AFileMayHoldKnownVariablesAlone) {
  const auto catalogue = load(R"({"backend": "nccl", "known_variables": ["NCCL_DEBUG"]})");
  EXPECT_EQ(catalogue.known_variables(), std::vector<std::string>{"NCCL_DEBUG"});
  EXPECT_THAT(error_of([&] { load(R"({"backend": "nccl"})"); }), HasSubstr("'knobs' is missing"));
  EXPECT_THAT(error_of([&] { load(R"({"backend": "nccl", "known_variables": [1]})"); }),
              HasSubstr("#/known_variables"));
}

TEST_F(KnobFile, AMissingFolderIsAnError) {
  EXPECT_NE(error_of([&] { KnobCatalogue::load(folder_ / "nowhere"); }), "");
}

TEST(DataFolder, TheEnvironmentVariableWinsAndAWrongOneIsAnEnvironmentError) {
  unsetenv("NCCL_SWEEP_DATA");
  EXPECT_TRUE(fs::exists(data_folder() / "knobs" / "nccl.json"));
  setenv("NCCL_SWEEP_DATA", "/nonexistent", 1);
  try {
    data_folder();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::environment);
    EXPECT_EQ(error.where(), "/nonexistent");
  }
  unsetenv("NCCL_SWEEP_DATA");
}

}  // namespace
}  // namespace nccl_sweep
