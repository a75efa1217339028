// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const std::filesystem::path kShipped = kLaunches / "all_gather_nccl2.28.9_launch1.json.gz";

ordered_json shipped() { return ordered_json::parse(gunzip(kShipped)); }

ImportedLaunch read_document(const ordered_json& document) {
  return read_as("x.json", document.dump()).launches.front();
}

// Half of the last digit that the text shows: seven characters of time.
double printed_half(double value) { return value < 1e4 ? 0.0051 : 0.051; }

TEST(ImportJson, TextAndJsonOfALaunchAgreeToThePrintedDigit) {
  for (const std::string operation : {"all_gather", "reduce_scatter"}) {
    for (const std::string name : {"_nccl2.28.3_launch1", "_nccl2.28.3_launch2",
                                   "_nccl2.28.9_launch1", "_nccl2.28.9_launch2"}) {
      const auto text = read_launches({kLaunches / (operation + name + ".log.gz")}).launches;
      const auto document = read_launches({kLaunches / (operation + name + ".json.gz")}).launches;
      ASSERT_EQ(text.size(), 1U);
      ASSERT_EQ(document.size(), 1U);
      EXPECT_EQ(text[0].nccl, document[0].nccl);
      EXPECT_EQ(text[0].collective, document[0].collective);
      EXPECT_EQ(text[0].group_size, document[0].group_size);
      EXPECT_EQ(text[0].operations, document[0].operations);
      EXPECT_EQ(text[0].recipe, document[0].recipe);
      ASSERT_EQ(text[0].timings.size(), 20U);
      ASSERT_EQ(document[0].timings.size(), 20U);
      for (std::size_t i = 0; i < 20; ++i) {
        const ImportedTiming& printed = text[0].timings[i];
        const ImportedTiming& exact = document[0].timings[i];
        EXPECT_EQ(printed.size, exact.size);
        EXPECT_EQ(printed.count, exact.count);
        EXPECT_EQ(printed.placement, exact.placement);
        EXPECT_EQ(printed.wrong, exact.wrong);
        EXPECT_NEAR(microseconds(printed), microseconds(exact), printed_half(microseconds(exact)));
        EXPECT_NEAR(printed.busbw, exact.busbw, 0.0051);
      }
    }
  }
}

TEST(ImportJson, ALaunchGivenAsTextAndAsJsonIsOne) {
  const ImportedFiles files = read_launches({kLaunches});
  EXPECT_EQ(files.launches.size(), 11U);
  EXPECT_EQ(files.repeated, 8U);
  EXPECT_TRUE(files.left_out.empty());
  for (const ImportedLaunch& found : files.launches) EXPECT_EQ(found.program, "nccl-tests 2.19.6");
}

TEST(ImportJson, EveryRealLaunchIsUsable) {
  const ImportedFiles files = read_launches({kData / "launches"});
  EXPECT_EQ(files.launches.size(), 60U);
  EXPECT_EQ(files.repeated, 0U);
  ASSERT_EQ(files.left_out.size(), 1U);
  EXPECT_TRUE(files.left_out[0].where.ends_with("launches.csv")) << files.left_out[0].where;
  EXPECT_TRUE(std::is_sorted(files.launches.begin(), files.launches.end(),
                             [](const auto& a, const auto& b) { return a.file < b.file; }))
      << "in the order of the files, however many threads read them";
  for (const ImportedLaunch& found : files.launches) {
    EXPECT_EQ(found.world, 2);
    EXPECT_EQ(found.nccl, "2.28.9");
    EXPECT_TRUE(found.finished);
    EXPECT_GE(found.timings.size(), 8U) << found.where();
    EXPECT_EQ(found.timings.front().wrong, -1) << "-c 0";
  }
}

TEST(ImportJson, OnlyVariablesOfTheLibrariesAreKept) {
  ordered_json document = shipped();
  document["env"] = {"NCCL_ALGO=Ring=x",    "UCX_TLS=rc", "CUDA_VERSION=13.0.2", "NCCL_EMPTY=",
                     "AWS_SECRET=password", "nonsense",   "MY_NCCL_TOKEN=x",     "FI_PROVIDER=efa"};
  const ImportedLaunch found = read_document(document);
  const std::map<std::string, std::string> kept{{"NCCL_ALGO", "Ring=x"},
                                                {"UCX_TLS", "rc"},
                                                {"CUDA_VERSION", "13.0.2"},
                                                {"NCCL_EMPTY", ""},
                                                {"FI_PROVIDER", "efa"}};
  EXPECT_EQ(found.environment, kept);
}

TEST(ImportJson, FlagsThatAreKnobsAndFlagsThatSpoilComparisons) {
  ordered_json document = shipped();
  document["args"] = {"/opt/x/all_gather_perf_mpi", "-R", "2", "-x2", "--average=3", "-D", "1"};
  document["config"]["aggregated_iterations"] = 4;
  document["config"]["graph"] = 2;
  document["config"]["blocking_collectives"] = "true";
  const ImportedLaunch found = read_document(document);
  EXPECT_EQ(found.options,
            (std::map<std::string, std::string>{{"buffer", "symmetric"}, {"cta_policy", "2"}}));
  EXPECT_EQ(found.recipe, (std::vector<std::string>{"4 operations in a group", "blocking",
                                                    "times of single operations", "average 3",
                                                    "kernel 1 of nccl-tests"}));
  EXPECT_TRUE(found.graph);
  EXPECT_EQ(found.operations, 50 * 4 * 2);
  document["args"] = {"all_gather_perf", "-z", "1"};
  EXPECT_EQ(read_document(document).recipe[1], "blocking with a barrier") << "as text says it";
}

TEST(ImportJson, EarlierVersionsMisspeltAndOmittedKeys) {
  ordered_json document = shipped();
  document["version"] = 1;
  document.erase("average_bus_bandwidth");
  document["average_bus_bandwidith"] = {{"bandwidith", 72.3}, {"okay", "unchecked"}};
  document["config"].erase("per_iter_timing");
  document["config"].erase("per_iter_skip");
  for (auto& row : document["results"]) {
    row.erase("out_of_place_per_iter");
    row.erase("in_place_per_iter");
  }
  const ImportedLaunch found = read_document(document);
  EXPECT_EQ(found.timings.size(), 20U);
  EXPECT_TRUE(found.finished);
  EXPECT_EQ(found.program, "nccl-tests (JSON version 1)");
}

TEST(ImportJson, SeveralGpusAProcessAreRanksToo) {
  ordered_json document = shipped();
  document["config"]["ngpus"] = 2;
  document["config"]["devices"].erase(1);
  EXPECT_EQ(read_document(document).world, 2);
}

TEST(ImportJson, ATruncatedFileKeepsItsWholeRows) {
  ordered_json document = shipped();
  const std::string text = document.dump();
  std::size_t last = 0;
  for (std::size_t length = text.size() / 2; length < text.size(); length += 997) {
    const ImportedLaunch found = read_as("x.json", text.substr(0, length)).launches.front();
    EXPECT_FALSE(found.finished);
    EXPECT_GE(found.timings.size(), last);
    last = found.timings.size();
    EXPECT_LE(last, 20U);
  }
  EXPECT_GE(last, 18U);
}

TEST(ImportJson, OddNumbersCostTheirRowOnly) {
  ordered_json document = shipped();
  document["results"][3]["out_of_place"]["time"] = "nan";
  std::string text = document.dump();
  const std::size_t at = text.find("\"time\":", text.rfind("\"in_place\":")) + 7;
  text.replace(at, text.find(',', at) - at, "inf");
  const ImportedLaunch found = read_as("x.json", text).launches.front();
  EXPECT_EQ(found.timings.size(), 18U);
  EXPECT_EQ(found.notes, (std::vector<std::string>{"times that are no number: 2"}));
  EXPECT_TRUE(found.finished);
}

TEST(ImportJson, FailuresAndWrongData) {
  ordered_json document = shipped();
  document["errors"] = {"unhandled system error"};
  EXPECT_EQ(read_document(document).failure, "unhandled system error");
  document = shipped();
  document["out_of_bounds"] = {{"count", 2}, {"okay", "false"}};
  EXPECT_TRUE(read_document(document).wrong_data);
  document = shipped();
  document["results"][9]["in_place"]["nwrong"] = 17.0;
  EXPECT_EQ(read_document(document).timings.back().wrong, 17);
}

TEST(ImportJson, RcclsVariant) {
  ordered_json document = shipped();
  document.erase("nccl_version");
  document["rccl_version"] = 22304;
  for (auto& row : document["results"]) {
    row["in_place"]["hip_event_time"] = 2.5;
    row["out_of_place"] = nullptr;
  }
  const ImportedLaunch found = read_document(document);
  EXPECT_EQ(found.timings.size(), 10U);
  EXPECT_EQ(found.program, "rccl-tests (JSON version 3)");
  EXPECT_EQ(found.nccl, "2.23.4");
}

}  // namespace
}  // namespace nccl_sweep::test
