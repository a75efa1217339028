// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Output of nccl-tests of a few rows, in the layouts of its versions, for tests of the import.
#pragma once

#include <cmath>

#include "importing/imported_launch.hpp"
#include "unit/small_traces.hpp"

namespace nccl_sweep::test {

inline const std::filesystem::path kLaunches = kData / "nccl-tests";

inline std::string rank_lines(int ranks, std::string_view host = "node1", int first_pid = 100) {
  std::string text = "# Using devices\n";
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [0000:1b:00] {}\n",
                        rank, 0, first_pid + rank, host, rank, "NVIDIA H100 80GB HBM3");
  }
  return text + "#\n";
}

inline const std::string kParameters =
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 1 iters: "
    "20 agg iters: 1 validation: 1 graph: 0 unalign: 0\n#\n";

inline const std::string kColumns =
    "#                                                              out-of-place                  "
    "     in-place          \n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time "
    "  algbw   busbw  #wrong \n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
    "(us) "
    " (GB/s)  (GB/s)         \n";

inline const std::string kFooter =
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 16.38 \n#\n";

inline std::string opening(std::string_view program = "all_reduce_perf",
                           std::string_view version = "2.19.6") {
  return fmt::format(
      "# nccl-tests version {} nccl-headers=22807 nccl-library=22807\n"
      "# Collective test starting: {}\n",
      version, program);
}

// Of 8 ranks: busbw is 1.75 x algbw. One size, `microseconds` out of place and in place.
inline std::string reduce_row(double microseconds = 112.04, std::int64_t size = 1048576) {
  const double algbw = static_cast<double>(size) / microseconds / 1e3;
  const std::string half =
      fmt::format("  {:7.2f}  {:6.2f}  {:6.2f}  {:6}", microseconds, algbw, 1.75 * algbw, 0);
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}\n", size, size / 4, "float", "sum", -1,
                     half, half);
}

inline std::string launch(double microseconds = 112.04, int first_pid = 100) {
  return opening() + kParameters + rank_lines(8, "node1", first_pid) + kColumns +
         reduce_row(microseconds) + reduce_row(2 * microseconds, 2097152) + kFooter +
         "# Collective test concluded: all_reduce_perf\n#\n\n";
}

inline ImportedFiles read_as(const std::string& name, std::string_view text,
                             const ImportOptions& options = {}) {
  const Folder folder;
  return read_launches({folder.write(name, text)}, options);
}

inline ImportedFiles read_text(std::string_view text, const ImportOptions& options = {}) {
  return read_as("log.txt", text, options);
}

// The message of the usage Error that reading ends with; empty where it does not.
inline std::string refusal(const std::string& name, std::string_view text,
                           const ImportOptions& options = {}) {
  try {
    read_as(name, text, options);
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

inline double microseconds(const ImportedTiming& timing) { return timing.time.count() * 1e6; }

// "1048576 262144 float32 sum out_of_place 112.04 9.36 16.38 0"
inline std::string described(const ImportedTiming& t) {
  return fmt::format("{} {} {} {} {} {:.6g} {:g} {:g} {}", t.size.value, t.count,
                     to_string(t.dtype), to_string(t.op), to_string(t.placement), microseconds(t),
                     t.algbw, t.busbw, t.wrong);
}

}  // namespace nccl_sweep::test
