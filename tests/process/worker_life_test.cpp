// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How workers live and die: with their agent, when told, and when a peer is lost.
#include <gtest/gtest.h>

#include "process/worker_fixture.hpp"

namespace nccl_sweep::testing {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A measurement that does not end by itself while a test runs.
wire::Request endless(int ranks) {
  wire::Request request = make_request("host");
  auto item = make_case(Collective::all_reduce, DataType::float32, ReduceOp::sum, 1 << 20, ranks);
  item.ops_per_block = item.blocks = 1'000'000;
  request.cases = {item};
  return request;
}

TEST(Worker, APeerThatIsKilledIsReportedAsLostByTheOthers) {
  WorkerGroup group(3);
  group.connect(endless(3));
  group.start_measuring();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ::kill(group.pid(1), SIGKILL);
  for (int survivor : {0, 2}) {
    const auto failed = group.expect<wire::Failed>(survivor, 5);
    EXPECT_EQ(failed.kind, "peer_lost");
    EXPECT_EQ(failed.case_index, 0);
    EXPECT_NE(failed.step.find("block"), std::string::npos) << failed.step;
    EXPECT_EQ(WEXITSTATUS(group.wait_exit(survivor)), 1);
  }
}

TEST(Worker, AbortEndsABlockedWorkerAtOnce) {
  WorkerGroup group(2);
  group.connect(endless(2));
  group.channel(0).send(wire::Measure{});  // rank 1 never starts: rank 0 waits for it
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = Clock::now();
  group.channel(0).send(wire::Abort{});
  EXPECT_EQ(group.expect<wire::Failed>(0, 4).kind, "peer_lost");
  group.wait_exit(0, 4);
  EXPECT_LT(since(start), 4.0);  // the watchdog would end it only after 5 s
}

TEST(Worker, AbortEndsAWorkerThatWaitsForPeersAtTheMeetingPoint) {
  WorkerGroup group(2);
  group.send_request(endless(2));
  const auto ready = group.expect<wire::Ready>(0);
  group.channel(0).send(wire::Connect{ready.rendezvous});  // rank 1 never joins
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  group.channel(0).send(wire::Abort{});
  EXPECT_EQ(group.expect<wire::Failed>(0, 4).kind, "peer_lost");
}

TEST(Worker, DiesWhenItsAgentClosesTheSocket) {
  WorkerGroup group(2);
  group.connect(endless(2));
  group.start_measuring();
  group.channel(0) = wire::Channel(-1);
  EXPECT_EQ(WEXITSTATUS(group.wait_exit(0, 5)), 1);
}

TEST(Worker, DiesWithItsAgent) {
  int report[2] = {-1, -1};
  ASSERT_EQ(::pipe2(report, O_CLOEXEC), 0);
  const pid_t agent = ::fork();
  if (agent == 0) {  // an agent that dies by SIGKILL while its worker measures
    WorkerGroup group(1);
    group.connect(endless(1));
    group.start_measuring();
    const pid_t worker = group.pid(0);
    [[maybe_unused]] const auto written = ::write(report[1], &worker, sizeof worker);
    ::kill(::getpid(), SIGKILL);
  }
  pid_t worker = -1;
  ASSERT_EQ(::read(report[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ::waitpid(agent, nullptr, 0);
  ::close(report[0]);
  ::close(report[1]);
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    // An orphan that nobody reaps stays as a zombie in some containers.
    char state = 'Z';
    if (FILE* stat = std::fopen(("/proc/" + std::to_string(worker) + "/stat").c_str(), "r")) {
      if (std::fscanf(stat, "%*d %*s %c", &state) != 1) state = 'Z';
      std::fclose(stat);
    }
    gone = state == 'Z' || state == 'X';
  }
  EXPECT_TRUE(gone) << "worker " << worker << " outlived its agent";
}

TEST(Worker, DoesNotStartUnderAnotherParent) {
  const std::string command = std::string(BINARY_FOLDER) + "/nccl-sweep-worker --parent 1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
}

TEST(Worker, SaysWhoStartsItWhenRunByHand) {
  const std::string command =
      std::string(BINARY_FOLDER) + "/nccl-sweep-worker 2>&1 3>&- | grep -q 'started by nccl-sweep'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Worker, ReportsAnUnknownBackend) {
  WorkerGroup group(1);
  group.send_request(make_request("abacus"));
  EXPECT_EQ(group.expect<wire::Failed>(0).kind, "unsupported");
}

TEST(Worker, SaysWhyItCannotUseGpusHere) {
  if (::access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "this machine has an NVIDIA driver";
  WorkerGroup group(1);
  group.send_request(make_request("nccl"));
  const auto failed = group.expect<wire::Failed>(0);
  EXPECT_EQ(failed.kind, "unsupported");
  const bool named = failed.message.find("libcuda.so.1 not found") != std::string::npos ||
                     failed.message.find("built without the nccl backend") != std::string::npos;
  EXPECT_TRUE(named) << failed.message;
}

TEST(Worker, EndsWithoutACoreWhenTheAgentTalksNonsense) {
  WorkerGroup group(1);
  group.expect<wire::Hello>(0);
  ASSERT_GT(::send(group.channel(0).descriptor(), "junk", 4, MSG_NOSIGNAL), 0);
  EXPECT_TRUE(WIFEXITED(group.wait_exit(0, 5)));
}

TEST(Worker, TellsWhichMessageWasDue) {
  WorkerGroup group(1);
  group.expect<wire::Hello>(0);
  group.channel(0).send(wire::Measure{});
  const auto failed = group.expect<wire::Failed>(0);
  EXPECT_NE(failed.message.find("'request' was due"), std::string::npos) << failed.message;
}

}  // namespace
}  // namespace nccl_sweep::testing
