// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The model backend in real worker processes, and its planted faults: each one must be real.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/model_file.hpp"
#include "process/worker_fixture.hpp"

namespace nccl_sweep::testing {
namespace {

wire::Request model_request(const std::string& model, std::map<std::string, std::string> knobs) {
  wire::Request request = make_request("model");
  const auto folder = std::filesystem::path(SOURCE_FOLDER) / "sweeps/models";
  const ModelFile file = load_model(folder / (model + ".json"));
  request.model = file.text;
  request.simulated_ranks = file.ranks;
  request.knobs = std::move(knobs);
  request.trial = 3;
  for (std::int64_t bytes : {1 << 20, 1 << 26}) {
    request.cases.push_back(
        make_case(Collective::all_gather, DataType::bfloat16, ReduceOp::sum, bytes, file.ranks));
  }
  return request;
}

// A group that is measuring with the given fault planted on rank 0.
struct Faulty {
  explicit Faulty(const std::string& fault) : group(2) {
    group.connect(model_request("faulty", {{"MODEL_FAULT", fault}}));
    group.start_measuring();
  }
  WorkerGroup group;
};

TEST(ModelWorkers, CalculateAndDoNotSleep) {
  WorkerGroup group(2);
  auto request = model_request("gb300-512", {{"NCCL_IB_QPS_PER_CONNECTION", "4"}});
  request.cases[1].ops_per_block = 1'000'000;  // hours on the real fabric
  const auto results = group.run(request, 10);
  EXPECT_GT(results[0].cases[1].wall_seconds, 600);
  EXPECT_GT(results[0].cases[1].cpu_seconds, 600);
  EXPECT_EQ(results[0].cases[1].wrong_elements, 0);
}

TEST(ModelWorkers, GiveTheSameFiguresForTheSameSeedAndTrial) {
  const auto request = model_request("equal", {});
  WorkerGroup first(2);
  WorkerGroup second(2);
  WorkerGroup other(2);
  const auto a = first.run(request);
  const auto b = second.run(request);
  auto next = request;
  next.trial = 4;
  const auto c = other.run(next);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(a[rank].cases[0].seconds_per_op, b[rank].cases[0].seconds_per_op);
    EXPECT_NE(a[rank].cases[0].seconds_per_op, c[rank].cases[0].seconds_per_op);
  }
}

TEST(ModelWorkers, AgreeOnOneNumberOfOpsInTheBurnIn) {
  auto request = model_request("equal", {});
  for (auto& item : request.cases) item.ops_per_block = item.blocks = item.warmup_ops = 0;
  WorkerGroup group(3);
  const auto results = group.run(request);
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    for (std::size_t rank : {1u, 2u}) {
      EXPECT_EQ(results[rank].cases[i].ops_per_block, results[0].cases[i].ops_per_block);
      EXPECT_EQ(results[rank].cases[i].warmup_ops, results[0].cases[i].warmup_ops);
    }
  }
}

TEST(PlantedFault, HangNeverReturnsUntilItIsAborted) {
  Faulty faulty("hang");
  EXPECT_THROW(faulty.group.next(0, 0.3), std::runtime_error);
  EXPECT_EQ(faulty.group.progress(0).step, "block 1 of 2");
  faulty.group.channel(0).send(wire::Abort{});
  EXPECT_EQ(faulty.group.expect<wire::Failed>(0, 4).kind, "peer_lost");
}

TEST(PlantedFault, StuckEndsBySigkillOnly) {
  Faulty faulty("stuck");
  EXPECT_THROW(faulty.group.next(0, 0.3), std::runtime_error);
  ::kill(faulty.group.pid(0), SIGTERM);
  EXPECT_THROW(faulty.group.wait_exit(0, 0.3), std::runtime_error);
  ::kill(faulty.group.pid(0), SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(faulty.group.wait_exit(0)));
}

TEST(PlantedFault, CrashDiesBySignal) {
  Faulty faulty("crash");
  EXPECT_THROW(faulty.group.next(0), wire::ClosedError);
  const int status = faulty.group.wait_exit(0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(PlantedFault, ExitLeavesWithoutAWord) {
  Faulty faulty("exit");
  EXPECT_THROW(faulty.group.next(0), wire::ClosedError);
  EXPECT_EQ(WEXITSTATUS(faulty.group.wait_exit(0)), 3);
}

TEST(PlantedFault, GarbageIsNotTheProtocol) {
  Faulty faulty("garbage");
  EXPECT_THROW(faulty.group.next(0), wire::GarbageError);
}

TEST(PlantedFault, FloodOfFramesDoesNotEnd) {
  Faulty faulty("flood_frames");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (faulty.group.channel(0).frames_received() < 2000) {
    faulty.group.channel(0).poll();
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
}

TEST(PlantedFault, WrongDataIsFoundByVerification) {
  WorkerGroup group(2);
  const auto results = group.run(model_request("faulty", {{"MODEL_FAULT", "wrong_data"}}));
  EXPECT_EQ(results[0].cases[0].wrong_elements, 3);
  EXPECT_FALSE(results[0].cases[0].first_wrong.empty());
  EXPECT_EQ(results[1].cases[0].wrong_elements, 0);
}

TEST(PlantedFault, ErrorAndUnsupportedAreReported) {
  EXPECT_EQ(Faulty("error").group.expect<wire::Failed>(0).kind, "error");
  EXPECT_EQ(Faulty("unsupported").group.expect<wire::Failed>(0).kind, "unsupported");
}

TEST(PlantedFault, SlowTakesItsFactor) {
  WorkerGroup usual(1);
  WorkerGroup slow(1);
  const auto a = usual.run(model_request("faulty", {}));
  const auto b = slow.run(model_request("faulty", {{"MODEL_FAULT", "slow"}}));
  EXPECT_DOUBLE_EQ(b[0].cases[0].seconds_per_op[0], 3 * a[0].cases[0].seconds_per_op[0]);
}

TEST(PlantedFault, HappensInItsPhase) {
  WorkerGroup hello(1);
  hello.send_request(model_request("faulty", {{"MODEL_FAULT", "crash_at_hello"}}));
  EXPECT_THROW(hello.next(0), wire::ClosedError);

  WorkerGroup connect(1);
  connect.send_request(model_request("faulty", {{"MODEL_FAULT", "crash_at_connect"}}));
  connect.exchange_rendezvous();
  EXPECT_THROW(connect.next(0), wire::ClosedError);

  WorkerGroup drain(1);
  drain.connect(model_request("faulty", {{"MODEL_FAULT", "crash_at_drain"}}));
  drain.measure();
  drain.channel(0).send(wire::Bye{});
  EXPECT_TRUE(WIFSIGNALED(drain.wait_exit(0)));
}

TEST(ModelWorkers, RefuseAKnobThatTheModelDoesNotKnow) {
  WorkerGroup group(1);
  group.send_request(model_request("equal", {{"NCCL_ALGO", "Ring"}}));
  EXPECT_NE(group.expect<wire::Failed>(0).message.find("NCCL_ALGO"), std::string::npos);
}

}  // namespace
}  // namespace nccl_sweep::testing
