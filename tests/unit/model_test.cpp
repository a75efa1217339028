// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Model files and the arithmetic of simulated fabrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/error.hpp"
#include "worker/model/model_fabric.hpp"

namespace nccl_sweep::worker {
namespace {

using ::testing::HasSubstr;

ModelFile shipped(const std::string& name) {
  return load_model(std::filesystem::path(SOURCE_FOLDER) / "sweeps/models" / (name + ".json"));
}

Case make_case(Collective collective, std::int64_t bytes, int ranks) {
  Case what;
  what.collective = collective;
  what.dtype = DataType::bfloat16;
  what.size = Bytes{bytes};
  what.group_size = ranks;
  return what;
}

double busbw(const KnobValues& values, std::int64_t bytes) {
  const ModelFabric fabric(shipped("gb300-512"), values, 512);
  const Case what = make_case(Collective::all_gather, bytes, 512);
  return bus_bandwidth(what.collective, what.size, 512, fabric.true_time(what)).bytes_per_second /
         1e9;
}

const std::string kQps = "NCCL_IB_QPS_PER_CONNECTION";
const std::string kSplit = "NCCL_IB_SPLIT_DATA_ON_QPS";

std::string error_of(const std::string& text) {
  try {
    parse_model(text, "m.json");
  } catch (const Error& error) {
    return error.where() + ": " + error.message() + " | " + error.hint();
  }
  return "no error";
}

std::string model_with(const std::string& more) {
  return R"({"name": "m", "description": "SIMULATED", "ranks": 2,
            "knobs": [{"name": "K", "type": "integer", "default": "1", "summary": "s"}],
            "rates": {"common": {"link_gb_per_s": 1}})" +
         more + "}";
}

TEST(ModelFile, EveryShippedModelIsValidAndSaysThatItIsSimulated) {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SOURCE_FOLDER) + "/sweeps/models")) {
    const ModelFile model = load_model(entry.path());
    EXPECT_EQ(model.name, entry.path().stem());
    EXPECT_THAT(model.description, HasSubstr("SIMULATED"));
    EXPECT_EQ(parse_model(model.text, "again").ranks, model.ranks);
    names.insert(model.name);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"equal", "faulty", "gb300-512"}));
}

TEST(ModelFile, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(error_of(model_with("")), "no error");
  EXPECT_THAT(error_of(model_with(R"(, "rate": 1)")), HasSubstr("did you mean 'rates'"));
  EXPECT_THAT(error_of(model_with(R"(, "noise": {"block": "big"})")), HasSubstr("#/noise/block"));
  EXPECT_THAT(error_of(model_with(R"(, "faults": [{"when": "any", "kind": "hung"}])")),
              HasSubstr("#/faults/0/kind: 'hung'"));
  EXPECT_THAT(error_of(model_with(R"(, "faults": [{"when": {"L": 1}, "kind": "hang"}])")),
              HasSubstr("'L' is not a knob"));
  EXPECT_THAT(error_of(model_with(R"(, "streams": {"knob": "L"})")), HasSubstr("#/streams/knob"));
  EXPECT_THAT(error_of("{"), HasSubstr("m.json"));
  EXPECT_THAT(error_of(R"({"name": "m", "description": "real", "ranks": 2})"),
              HasSubstr("must say SIMULATED"));
}

TEST(ModelFabric, Gb300GainsFromFourQueuePairsAndNotFromEight) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  EXPECT_NEAR(busbw({}, kGiB), 28, 0.5);
  EXPECT_NEAR(busbw({{kQps, "1"}}, kGiB), 28, 0.5);
  EXPECT_NEAR(busbw({{kQps, "4"}}, kGiB), 61, 1);
  EXPECT_GT(busbw({{kQps, "2"}}, kGiB), 40);
  EXPECT_LT(busbw({{kQps, "2"}}, kGiB), 58);
  EXPECT_LE(busbw({{kQps, "8"}}, kGiB), busbw({{kQps, "4"}}, kGiB));
  EXPECT_LT(busbw({{kQps, "8"}}, 1 << 20), busbw({{kQps, "4"}}, 1 << 20));
}

TEST(ModelFabric, SplittingDataOverOneQueuePairIsTheSameDataPath) {
  EXPECT_EQ(busbw({{kQps, "1"}, {kSplit, "0"}}, 1 << 26),
            busbw({{kQps, "1"}, {kSplit, "1"}}, 1 << 26));
}

TEST(ModelFabric, MoreQueuePairsCostMoreCpu) {
  const Case what = make_case(Collective::all_gather, 1 << 26, 512);
  const ModelFabric four(shipped("gb300-512"), {{kQps, "4"}}, 512);
  const ModelFabric eight(shipped("gb300-512"), {{kQps, "8"}}, 512);
  EXPECT_GT(eight.cpu_per_second(what), four.cpu_per_second(what));
}

TEST(ModelFabric, RefusesKnobsThatTheModelDoesNotDeclare) {
  EXPECT_THROW(ModelFabric(shipped("equal"), {{"NCCL_ALGO", "Ring"}}, 8), Error);
  EXPECT_THROW(ModelFabric(shipped("gb300-512"), {{kQps, "four"}}, 512), Error);
}

TEST(ModelFabric, CalculatesLatencyAndBandwidth) {
  ModelFile model = parse_model(model_with(""), "m");
  model.rates[Collective::all_reduce] = {Seconds{1e-5}, Seconds{1e-6}, Seconds{0}, Bandwidth{2e9},
                                         Bandwidth{0}};
  const ModelFabric fabric(model, {}, 4);
  // 10 us + 4 x 1 us + 1 MB x 1.5 / 2 GB/s
  EXPECT_NEAR(fabric.true_time(make_case(Collective::all_reduce, 1'000'000, 4)).count(), 764e-6,
              1e-9);
}

TEST(ModelFabric, IsTheSameForTheSameSeedAndTrialOnly) {
  const ModelFabric fabric(shipped("equal"), {}, 8);
  const Case what = make_case(Collective::all_gather, 1 << 20, 8);
  const auto seen = [&](std::uint64_t seed, int trial, int block) {
    return fabric.seen_time(what, seed, trial, block, 0).count();
  };
  EXPECT_EQ(seen(1, 2, 3), seen(1, 2, 3));
  EXPECT_NE(seen(1, 2, 3), seen(2, 2, 3));
  EXPECT_NE(seen(1, 2, 3), seen(1, 3, 3));
  EXPECT_NE(seen(1, 2, 3), seen(1, 2, 4));
}

TEST(ModelFabric, HasTheDeclaredNoiseBetweenLaunches) {
  const ModelFabric fabric(shipped("equal"), {}, 8);  // cv 1 % above 256 KiB
  const Case what = make_case(Collective::all_gather, 1 << 24, 8);
  constexpr int kTrials = 4000;
  double sum = 0;
  double squares = 0;
  for (int trial = 1; trial <= kTrials; ++trial) {
    const double x = std::log(fabric.seen_time(what, 5, trial, 0, 0) / fabric.true_time(what));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kTrials;
  const double sd = std::sqrt(squares / kTrials - mean * mean);
  // launch 1 %, block 1 %, rank 0.2 %; the standard error of sd is 0.016 %.
  EXPECT_NEAR(sd, std::sqrt(1e-4 + 1e-4 + 4e-6), 0.0007);
  EXPECT_NEAR(mean, 0, 0.001);
}

TEST(ModelNoise, EveryDistributionHasMeanZeroAndVarianceOne) {
  for (auto distribution :
       {ModelDistribution::gaussian, ModelDistribution::two_humped, ModelDistribution::outliers}) {
    constexpr std::uint64_t kDraws = 200'000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const double x = standard_draw(distribution, i);
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / kDraws, 0, 0.01) << static_cast<int>(distribution);
    EXPECT_NEAR(squares / kDraws, 1, 0.03) << static_cast<int>(distribution);
  }
}

}  // namespace
}  // namespace nccl_sweep::worker
