// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a message costs: a request and a result with many cases, as text and over a socketpair.
#include <benchmark/benchmark.h>
#include <sys/socket.h>

#include <thread>

#include "wire/channel.hpp"

namespace nccl_sweep::wire {
namespace {

Result result_with(std::int64_t cases) {
  Result result;
  for (int i = 0; i < cases; ++i) {
    CaseBlocks blocks;
    blocks.case_index = i;
    blocks.ops_per_block = 300;
    for (int block = 1; block <= 9; ++block) blocks.seconds_per_op.push_back(1.234567e-5 / block);
    result.cases.push_back(blocks);
  }
  return result;
}

void serialize_and_parse(benchmark::State& state) {
  const Message message = result_with(state.range(0));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = serialize(message);
    bytes += text.size();
    benchmark::DoNotOptimize(parse(text));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(serialize_and_parse)->Arg(10)->Arg(1000);

// A progress frame there and back between two threads.
void round_trip(benchmark::State& state) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    state.SkipWithError("no socketpair");
    return;
  }
  Channel near(ends[0]);
  std::thread echo([far = Channel(ends[1])]() mutable {
    try {
      for (;;) far.send(far.receive());
    } catch (const ClosedError&) {
    }
  });
  for (auto _ : state) {
    near.send(Progress{3, "block 3 of 5", 17});
    benchmark::DoNotOptimize(near.receive());
  }
  near = Channel(-1);
  echo.join();
}
BENCHMARK(round_trip)->UseRealTime();

}  // namespace
}  // namespace nccl_sweep::wire

BENCHMARK_MAIN();
