// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "wire/channel.hpp"

namespace nccl_sweep::wire {
namespace {

Request full_request() {
  Request request;
  request.trial = 7;
  request.seed = 0xffffffffffffffffu;
  request.backend = "host";
  request.rank = 1;
  request.world = 4;
  request.simulated_ranks = 512;
  request.local_rank = 1;
  request.local_size = 2;
  request.knobs = {{"HOST_STREAMS_PER_CONNECTION", "4"}, {"QUOTED", "a\"b\\c\n"}};
  request.model = R"({"name": "x"})";
  request.partitions = {{{0, 1, 2, 3}}, {{0, 2}, {1, 3}}};
  Case what;
  what.collective = Collective::reduce_scatter;
  what.dtype = DataType::float8e5m2;
  what.op = ReduceOp::avg;
  what.placement = Placement::in_place;
  what.size = Bytes{std::int64_t{1} << 36};
  what.count = 12345;
  what.requested = Bytes{(std::int64_t{1} << 36) + 3};
  what.group = GroupShape{GroupKind::strided, 2, 2};
  what.group_size = 2;
  what.calls = 1.5;
  what.workload_group_size = 8;
  request.cases = {{what, 1, 300, 9, 20}};
  request.arena = Bytes{1 << 30};
  request.parity_iters = 20;
  request.verify = false;
  return request;
}

struct Pair {
  Pair() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("");
    raw = ends[0];
    channel = Channel(ends[1]);
  }
  ~Pair() { close_raw(); }
  void close_raw() {
    if (raw >= 0) ::close(raw);
    raw = -1;
  }
  void write(const std::string& bytes) const {
    ASSERT_EQ(::send(raw, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  int raw = -1;
  Channel channel{-1};
};

std::string frame(const std::string& payload, std::uint32_t length) {
  std::string bytes = "NSW1";
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>((length >> shift) & 0xff));
  }
  return bytes + payload;
}
std::string frame(const std::string& payload) {
  return frame(payload, static_cast<std::uint32_t>(payload.size()));
}

TEST(Wire, ARequestComesBackAsItWas) {
  const Request sent = full_request();
  const auto got = std::get<Request>(parse(serialize(sent)));
  EXPECT_EQ(got.trial, sent.trial);
  EXPECT_EQ(got.seed, sent.seed);
  EXPECT_EQ(got.backend, sent.backend);
  EXPECT_EQ(got.rank, sent.rank);
  EXPECT_EQ(got.world, sent.world);
  EXPECT_EQ(got.simulated_ranks, sent.simulated_ranks);
  EXPECT_EQ(got.local_rank, sent.local_rank);
  EXPECT_EQ(got.local_size, sent.local_size);
  EXPECT_EQ(got.knobs, sent.knobs);
  EXPECT_EQ(got.model, sent.model);
  EXPECT_EQ(got.partitions, sent.partitions);
  ASSERT_EQ(got.cases.size(), 1u);
  EXPECT_EQ(got.cases[0].what, sent.cases[0].what);
  EXPECT_EQ(got.cases[0].partition, 1);
  EXPECT_EQ(got.cases[0].ops_per_block, 300);
  EXPECT_EQ(got.cases[0].blocks, 9);
  EXPECT_EQ(got.cases[0].warmup_ops, 20);
  EXPECT_EQ(got.arena, sent.arena);
  EXPECT_EQ(got.parity_iters, 20);
  EXPECT_FALSE(got.verify);
}

TEST(Wire, EveryOtherMessageComesBackAsItWas) {
  const auto hello = std::get<Hello>(parse(serialize(Hello{kProtocolVersion, 42, "0.1.0"})));
  EXPECT_EQ(hello.pid, 42);
  const auto ready = std::get<Ready>(parse(serialize(
      Ready{{{1, 2, "beef"}}, "EPYC", {{"nccl", "2.28"}}, {"GPU-a", "GPU-b"}, {{"nccl_library", "x"}}})));
  EXPECT_EQ(ready.locks, (std::vector<std::string>{"GPU-a", "GPU-b"}));
  EXPECT_EQ(ready.rendezvous.at(0).group, 2);
  EXPECT_EQ(ready.rendezvous.at(0).blob, "beef");
  EXPECT_EQ(ready.versions.at("nccl"), "2.28");
  EXPECT_EQ(std::get<Connect>(parse(serialize(Connect{{{0, 0, "x"}}}))).rendezvous.size(), 1u);
  EXPECT_EQ(
      std::get<Connected>(parse(serialize(Connected{{{"connect", 0.25}}, {}}))).seconds.at("connect"),
      0.25);
  EXPECT_EQ(std::get<Progress>(parse(serialize(Progress{3, "verify", 9}))).order, 9);
  const Result sent{{{2, 300, 20, {1e-5, 0.1 + 0.2}, 3, "rank 1", 0.5, 0.25, {9e-6, 0.3}, 0.1, 0.2}},
                    1 << 20,
                    2 << 20};
  const auto result = std::get<Result>(parse(serialize(sent)));
  EXPECT_EQ(result.cases.at(0).seconds_per_op, sent.cases[0].seconds_per_op);  // to the last bit
  EXPECT_EQ(result.cases.at(0).wrong_elements, 3);
  EXPECT_EQ(result.cases.at(0).device_seconds_per_op, sent.cases[0].device_seconds_per_op);
  EXPECT_EQ(result.cases.at(0).load_beside_seconds, 0.2);
  EXPECT_EQ(result.peak_rss_bytes, 1 << 20);
  EXPECT_EQ(result.device_bytes, 2 << 20);
  EXPECT_EQ(std::get<Failed>(parse(serialize(Failed{"error", 1, "block 2", "no"}))).step,
            "block 2");
  EXPECT_TRUE(std::holds_alternative<Measure>(parse(serialize(Measure{}))));
  EXPECT_TRUE(std::holds_alternative<Bye>(parse(serialize(Bye{}))));
  EXPECT_TRUE(std::holds_alternative<Abort>(parse(serialize(Abort{}))));
}

TEST(Wire, TextThatIsNotUtf8IsSentWithReplacements) {
  const auto failed = std::get<Failed>(parse(serialize(Failed{"error", 0, "", "bad \xff byte"})));
  EXPECT_NE(failed.message.find("bad "), std::string::npos);
}

TEST(Wire, MissingOrMistypedFieldsAreGarbage) {
  for (const char* payload :
       {"", "nonsense", "[]", "{}", R"({"type": 1})", R"({"type": "unheard"})",
        R"({"type": "progress", "step": "x", "order": 1})",
        R"({"type": "progress", "case_index": "1", "step": "x", "order": 1})",
        R"({"type": "progress", "case_index": 1.5, "step": "x", "order": 1})",
        R"({"type": "progress", "case_index": 1, "step": 5, "order": 1})",
        R"({"type": "progress", "case_index": 1, "step": "x", "order": 99999999999})",
        R"({"type": "progress", "case_index": 18446744073709551615, "step": "x", "order": 1})",
        R"({"type": "result", "cases": {}, "peak_rss_bytes": 1})",
        R"({"type": "connected", "seconds": {"a": "b"}})",
        R"({"type": "hello", "protocol": 9, "pid": 1, "version": "", "locks": []})"}) {
    EXPECT_THROW(parse(payload), GarbageError) << payload;
  }
}

TEST(Wire, ARequestThatPointsBeyondItsOwnTablesIsGarbage) {
  Request request = full_request();
  request.cases[0].partition = 2;
  EXPECT_THROW(parse(serialize(request)), GarbageError);
  request = full_request();  // groups are of the simulated ranks where there are any
  request.partitions[1][0][0] = 511;
  EXPECT_NO_THROW(parse(serialize(request)));
  request.partitions[1][0][0] = 512;
  EXPECT_THROW(parse(serialize(request)), GarbageError);
  request.simulated_ranks = 0;
  request.partitions[1][0][0] = 4;
  EXPECT_THROW(parse(serialize(request)), GarbageError);
  request = full_request();
  request.rank = 4;
  EXPECT_THROW(parse(serialize(request)), GarbageError);
  request = full_request();
  request.partitions.clear();
  request.cases.clear();
  EXPECT_THROW(parse(serialize(request)), GarbageError);
}

TEST(Channel, FramesArriveWholeAndInOrderHoweverTheyAreCut) {
  Pair pair;
  const std::string bytes =
      frame(serialize(Progress{0, "a", 1})) + frame(serialize(Progress{0, "b", 2}));
  for (char byte : bytes) {
    EXPECT_EQ(::send(pair.raw, &byte, 1, 0), 1);
    if (auto message = pair.channel.poll()) {
      EXPECT_EQ(std::get<Progress>(*message).order,
                static_cast<int>(pair.channel.frames_received()));
    }
  }
  EXPECT_EQ(pair.channel.frames_received(), 2u);
}

TEST(Channel, PollDoesNotBlock) {
  Pair pair;
  EXPECT_FALSE(pair.channel.poll());
  pair.write("NSW");
  EXPECT_FALSE(pair.channel.poll());
}

TEST(Channel, AnythingButTheMagicIsGarbageFromTheFirstByte) {
  Pair pair;
  pair.write("H");
  EXPECT_THROW(pair.channel.poll(), GarbageError);
}

TEST(Channel, AFrameOverTheLimitIsGarbageBeforeItsPayloadIsRead) {
  Pair pair;
  pair.write(frame("", static_cast<std::uint32_t>(kLargestFrame + 1)));
  EXPECT_THROW(pair.channel.poll(), GarbageError);
}

TEST(Channel, ATruncatedFrameIsAClosedPeer) {
  Pair pair;
  pair.write(frame("abc", 100));
  pair.close_raw();
  EXPECT_THROW(pair.channel.receive(), ClosedError);
}

TEST(Channel, WritingToADeadPeerThrowsAndDoesNotKill) {
  Pair pair;
  pair.close_raw();
  EXPECT_THROW(pair.channel.send(Bye{}), ClosedError);
}

TEST(Channel, SendingToAPeerThatDoesNotReadTimesOut) {
  Pair pair;
  const Failed large{"error", 0, "", std::string(std::size_t{8} << 20, 'x')};
  try {
    pair.channel.send(large, 0.05);
    FAIL() << "nobody read it";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("failed message in time"), std::string::npos);
  }
}

TEST(Channel, AMessageLargerThanTheSocketBufferPasses) {
  Pair pair;
  Channel other(std::exchange(pair.raw, -1));
  const Failed large{"error", 0, "", std::string(std::size_t{8} << 20, 'x')};
  std::thread sender([&] { other.send(large, 20); });
  const Message got = pair.channel.receive();
  sender.join();
  EXPECT_TRUE(std::get<Failed>(got).message == large.message);
}

TEST(Channel, AMessageThatNoPeerWouldAcceptIsNotSent) {
  Pair pair;
  EXPECT_THROW(pair.channel.send(Failed{"error", 0, "", std::string(kLargestFrame + 1, 'x')}),
               std::runtime_error);
  char byte = 0;
  EXPECT_EQ(::recv(pair.raw, &byte, 1, MSG_DONTWAIT), -1) << "nothing may have been written";
}

}  // namespace
}  // namespace nccl_sweep::wire
