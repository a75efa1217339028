// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast files of nccl-tests are imported: NCCL_SWEEP_IMPORT_FILES (default 10000) of 1000 rows.
// One file of each format is read that often, so the reader is measured and not the disk.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "importing/imported_launch.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kRows = 1000;

int files_to_read() {
  const char* files = std::getenv("NCCL_SWEEP_IMPORT_FILES");
  return files == nullptr ? 10000 : std::atoi(files);
}

std::string text_file() {
  std::string text =
      "# nccl-tests version 2.19.6 nccl-headers=22807 nccl-library=22807\n"
      "# Collective test starting: all_reduce_perf\n"
      "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576000 step: 1048576(bytes) warmup iters: "
      "1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0\n# Using devices\n";
  for (int rank = 0; rank < 8; ++rank) {
    text += fmt::format("#  Rank {:2} Group  0 Pid {:6} on node1 device {:2} [0000:1b:00] GPU\n",
                        rank, 100 + rank, rank);
  }
  const std::string columns = "time   algbw   busbw  #wrong";
  text += fmt::format("#  out-of-place  in-place\n# size count type redop root {} {}\n", columns,
                      columns);
  for (int row = 1; row <= kRows; ++row) {
    const double algbw = 1048576.0 / 112.04 / 1e3;
    const std::string half =
        fmt::format("  {:7.2f}  {:6.2f}  {:6.2f}  {:6}", row * 112.04, algbw, 1.75 * algbw, 0);
    text += fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}\n", row * 1048576L, row * 262144L,
                        "float", "sum", -1, half, half);
  }
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 16.38 \n#\n";
}

std::string json_file() {
  std::string devices;
  for (int rank = 0; rank < 8; ++rank) {
    devices += fmt::format(R"({}{{"rank":{},"group":0,"pid":{},"hostname":"node1","device":{},)"
                           R"("device_hex":"0000:1b:00","device_info":"GPU"}})",
                           rank > 0 ? "," : "", rank, 100 + rank, rank);
  }
  std::string text = fmt::format(
      R"({{"version":3,"start_time":"2026-07-10 09:15:02","args":["all_reduce_perf"],"env":[],)"
      R"("nccl_version":22807,"config":{{"nthreads":1,"ngpus":1,"minimum_bytes":1048576,)"
      R"("maximum_bytes":1048576000,"step_bytes":1048576,"iterations":20,"devices":[{}]}},)"
      R"("results":[)",
      devices);
  for (int row = 1; row <= kRows; ++row) {
    const double algbw = 1048576.0 / 112.04 / 1e3;
    const std::string half =
        fmt::format(R"({{"time":{:.6f},"alg_bw":{:.6f},"bus_bw":{:.6f},"nwrong":0.0}})",
                    row * 112.04, algbw, 1.75 * algbw);
    text += fmt::format(R"({}{{"size":{},"count":{},"type":"float","redop":"sum","root":"    -1",)"
                        R"("out_of_place":{},"in_place":{},"actual_iterations":20}})",
                        row > 1 ? "," : "", row * 1048576L, row * 262144L, half, half);
  }
  return text + R"(],"out_of_bounds":{"count":0,"okay":"true"},"end_time":"2026-07-10 09:16:02"})";
}

void import(benchmark::State& state, const std::string& name, const std::string& text) {
  const fs::path file = fs::temp_directory_path() / fmt::format("nccl-sweep-import-{}", name);
  std::ofstream(file, std::ios::binary) << text;
  const int files = files_to_read();
  std::int64_t rows = 0;
  for (auto _ : state) {
    for (int i = 0; i < files; ++i) {
      const nccl_sweep::ImportedFiles read = nccl_sweep::read_launches({file});
      rows += static_cast<std::int64_t>(read.launches.front().timings.size()) / 2;
    }
  }
  fs::remove(file);
  if (rows != static_cast<std::int64_t>(state.iterations()) * files * kRows) {
    state.SkipWithError("rows were lost");
  }
  state.SetItemsProcessed(rows);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * files *
                          static_cast<std::int64_t>(text.size()));
}

void text_files(benchmark::State& state) { import(state, "all_reduce.log", text_file()); }
void json_files(benchmark::State& state) { import(state, "all_reduce.json", json_file()); }

BENCHMARK(text_files)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(json_files)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
