// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/measure.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nccl_sweep::worker {
namespace {

// Writes down what it is asked to do; an op takes `op_seconds`.
class Recorder final : public Backend {
 public:
  explicit Recorder(double op_seconds) : op_seconds_(op_seconds) {}

  std::vector<std::string> calls;

  void open(const wire::Request&) override {}
  std::string device() const override { return "none"; }
  std::map<std::string, std::string> versions() const override { return {}; }
  std::string create_rendezvous(int, int) override { return {}; }
  void connect(int, const std::vector<int>&, int, const std::string&) override {}
  double align(double mine) override {
    if (mine == 0) calls.emplace_back("align");
    return mine;
  }
  void prepare(const Case& what, int) override {
    calls.push_back(fmt::format("prepare {}", what.size.value));
  }
  Seconds run_ops(const Case&, int, int n) override {
    calls.push_back(fmt::format("run {}", n));
    return Seconds{n * op_seconds_};
  }
  std::optional<Seconds> device_seconds() override { return Seconds{0.5}; }
  void poison(const Case&, int, int ahead) override {
    calls.push_back(fmt::format("poison {}", ahead));
  }
  LoadTimes time_load(const Case&, int, const std::string& kind, int) override {
    calls.push_back("load " + kind);
    return {Seconds{1}, Seconds{1.25}};
  }
  Verification verify(const Case&, int) override {
    calls.emplace_back("verify");
    return {};
  }
  void disconnect() override {}
  void abort() noexcept override {}

 private:
  double op_seconds_;
};

wire::CaseRequest item(std::int64_t bytes, int n, int blocks) {
  wire::CaseRequest request;
  request.what.size = Bytes{bytes};
  request.ops_per_block = n;
  request.blocks = blocks;
  request.warmup_ops = 3;
  return request;
}

std::vector<wire::CaseBlocks> run(const wire::Request& request, Recorder& recorder) {
  return measure(request, recorder, [](int, const std::string&) {});
}

using Calls = std::vector<std::string>;

TEST(Measure, AlignsBeforeEachBlockAndPoisonsBeforeTheLast) {
  wire::Request request;
  request.cases = {item(4096, 7, 2)};
  Recorder recorder(1e-3);
  const auto found = run(request, recorder);
  EXPECT_EQ(recorder.calls, (Calls{"prepare 4096", "run 3", "align", "run 7", "poison 7", "align",
                                   "run 7", "verify"}));
  EXPECT_EQ(found[0].seconds_per_op, (std::vector<double>{1e-3, 1e-3}));
  EXPECT_EQ(found[0].device_seconds_per_op, (std::vector<double>{0.5 / 7, 0.5 / 7}));
}

TEST(Measure, WarmsUpOverAllSizesFirstWithTheRecipeOfNcclTests) {
  wire::Request request;
  request.cases = {item(4096, 20, 1), item(8192, 20, 1)};
  request.cases[1].what.placement = Placement::in_place;
  request.parity_iters = 20;
  request.verify = false;
  Recorder recorder(1e-3);
  run(request, recorder);
  EXPECT_EQ(recorder.calls, (Calls{"prepare 4096", "run 3",  // out of place only
                                   "prepare 4096", "run 1", "align", "run 20",  //
                                   "prepare 8192", "run 1", "align", "run 20"}));
}

TEST(Measure, ReplaysWholeGraphs) {
  wire::Request request;
  request.cases = {item(65536, 130, 1)};
  request.cases[0].what.graph = true;
  request.verify = false;
  Recorder recorder(1e-6);
  const auto found = run(request, recorder);
  EXPECT_EQ(recorder.calls, (Calls{"prepare 65536", "run 100", "align", "run 200"}));
  EXPECT_EQ(found[0].ops_per_block, 200);
}

TEST(Measure, TimesALoadInsteadOfBlocks) {
  wire::Request request;
  request.cases = {item(4096, 7, 2), item(65536, 100, 2)};
  request.cases[1].what.graph = true;
  request.load = "fma";
  Recorder recorder(1e-3);
  const auto found = run(request, recorder);
  EXPECT_EQ(recorder.calls,
            (Calls{"prepare 4096", "run 3", "load fma", "prepare 65536", "run 100"}));
  EXPECT_TRUE(found[0].seconds_per_op.empty());
  EXPECT_EQ(found[0].load_beside_seconds, 1.25);
  EXPECT_EQ(found[1].load_alone_seconds, 0);  // a graph's ops take what the launched ones take
}

TEST(Pace, FollowsTheTimeOfAnOp) {
  const Seconds warmup{0.02};
  EXPECT_EQ(pace_for(Seconds{5e-3}, warmup).ops_per_block, 4);
  EXPECT_EQ(pace_for(Seconds{1e-3}, warmup).ops_per_block, 10);
  EXPECT_EQ(pace_for(Seconds{100e-6}, warmup).ops_per_block, 100);
  EXPECT_EQ(pace_for(Seconds{10e-6}, warmup).ops_per_block, 300);
  EXPECT_EQ(pace_for(Seconds{10e-6}, warmup).blocks, 9);
  EXPECT_EQ(pace_for(Seconds{1e-6}, warmup, 100).ops_per_block, 10000);
  EXPECT_EQ(pace_for(Seconds{1e-3}, warmup, 10).ops_per_block, 50);  // five replays at least
  EXPECT_EQ(pace_for(Seconds{1e-3}, warmup, 10).warmup_ops % 10, 0);
}

}  // namespace
}  // namespace nccl_sweep::worker
