// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast and in how much memory a trace is imported. The trace is the shipped one with its events
// repeated up to NCCL_SWEEP_TRACE_SIZE (default 1G); it is made in a temporary folder, or kept in
// NCCL_SWEEP_TRACE_FOLDER, where scripts/compare_python_json can read it too.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "workload/workload.hpp"

namespace {

namespace fs = std::filesystem;

std::string unpacked(const fs::path& file) {
  gzFile stream = gzopen(file.c_str(), "rb");
  std::string text;
  std::vector<char> piece(1 << 16);
  for (int got = 1; got > 0;) {
    got = gzread(stream, piece.data(), static_cast<unsigned>(piece.size()));
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  gzclose(stream);
  return text;
}

std::string packed(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

struct Traces {
  fs::path folder;
  fs::path plain;
  fs::path gz;
  std::int64_t bytes = 0;  // of the plain one
  bool keep = false;
};

Traces make_traces() {
  const char* size = std::getenv("NCCL_SWEEP_TRACE_SIZE");
  const char* folder = std::getenv("NCCL_SWEEP_TRACE_FOLDER");
  const auto wanted = nccl_sweep::parse_size(size != nullptr ? size : "1G").value;
  Traces traces;
  traces.keep = folder != nullptr;
  std::string made = (fs::temp_directory_path() / "nccl-sweep-traces-XXXXXX").string();
  traces.folder = traces.keep ? folder : ::mkdtemp(made.data());
  fs::create_directories(traces.folder);
  traces.plain = traces.folder / "trace.json";
  traces.gz = traces.folder / "trace.json.gz";

  const std::string text = unpacked(TEST_DATA "/traces/fsdp2_kineto_rank0.json.gz");
  constexpr std::string_view kBegin = "\"traceEvents\": [";
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.rfind("],", text.rfind("\"traceName\""));
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("the shipped trace looks different");
  }
  const std::size_t first = begin + kBegin.size();
  const std::string more = "," + text.substr(first, end - first);
  const std::string packed_more = packed(more);
  std::ofstream plain(traces.plain, std::ios::binary);
  std::ofstream gz(traces.gz, std::ios::binary);
  plain << text.substr(0, end);
  gz << packed(text.substr(0, end));
  for (auto bytes = std::ssize(text); bytes < wanted; bytes += std::ssize(more)) {
    plain << more;
    gz << packed_more;  // gzip members may follow one another
  }
  plain << text.substr(end);
  gz << packed(text.substr(end));
  plain.close();
  gz.close();
  if (!plain || !gz)
    throw std::runtime_error("no room for the traces in " + traces.folder.string());
  traces.bytes = static_cast<std::int64_t>(fs::file_size(traces.plain));
  return traces;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_memory_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

void import_trace(benchmark::State& state, const fs::path& file, std::int64_t bytes) {
  reset_peak_memory();
  for (auto unused : state) {
    const nccl_sweep::Workload workload = nccl_sweep::read_traces({file}, {});
    if (workload.cases.size() != 3) state.SkipWithError("the import is wrong");
  }
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["peak_MiB"] = peak_memory_mib();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const Traces traces = make_traces();
  const auto add = [&](const char* name, const fs::path& file) {
    benchmark::RegisterBenchmark(
        name, [&traces, file](benchmark::State& state) { import_trace(state, file, traces.bytes); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  add("kineto_plain", traces.plain);
  add("kineto_gzip", traces.gz);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!traces.keep) fs::remove_all(traces.folder);
  return 0;
}
