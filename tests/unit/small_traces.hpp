// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces and logs of a few lines for the workload tests, and files to keep them in.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep::test {

inline const std::filesystem::path kData = TEST_DATA;

// A folder that is gone at the end of the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "nccl-sweep-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary).write(text.data(), std::ssize(text));
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string gunzip(const std::filesystem::path& file) {
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

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

struct Record {
  std::string collective = "allreduce";
  std::string dtype = "Float";
  std::int64_t in = 256;
  std::int64_t out = 256;
  int size = 2;
  double time = 10;
  std::string ranks = "[0, 1]";
  std::string extra = {};  // more members of args
  double duration = 1;
};

inline std::string event(const Record& it) {
  return fmt::format(
      R"({{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": {}, )"
      R"("dur": {}, "args": {{"Collective name": "{}", "dtype": "{}", "In msg nelems": {}, )"
      R"("Out msg nelems": {}, "Group size": {}, "Process Group Name": "0", )"
      R"("Process Group Ranks": "{}"{}}}}})",
      it.time, it.duration, it.collective, it.dtype, it.in, it.out, it.size, it.ranks, it.extra);
}

inline std::string step(int number, double begin, double end,
                        std::string_view category = "user_annotation") {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "ProfilerStep#{}", "pid": 1, "tid": 1, "ts": {}, )"
      R"("dur": {}, "args": {{}}}})",
      category, number, begin, end - begin);
}

inline std::string trace(const std::vector<std::string>& events, int rank = 0, int world = 2) {
  return fmt::format(
      "{{\"schemaVersion\": 1, \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, "
      "\"world_size\": {}}},\n\"traceEvents\": [\n{}\n]}}\n",
      rank, world, fmt::join(events, ",\n"));
}

inline Workload import_text(std::string_view text, const ReadOptions& options = {}) {
  const Folder folder;
  return read_traces({folder.write("trace", text)}, options);
}

// The error of an import, "" where there is none.
inline std::string import_error(const std::filesystem::path& file,
                                const ReadOptions& options = {}) {
  try {
    read_traces({file}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

// "all_gather bfloat16 25192448 x2/1 12", sorted: what a workload counts, in a form to compare.
inline std::vector<std::string> lines_of(const Workload& workload) {
  std::vector<std::string> lines;
  for (const WorkloadCase& it : workload.cases) {
    EXPECT_EQ(it.count * element_bytes(it.dtype), it.bytes.value);
    lines.push_back(fmt::format("{} {} {} x{}/{} {:g}", to_string(it.collective),
                                to_string(it.dtype), it.bytes.value, it.group_size, it.group_stride,
                                it.calls));
  }
  std::ranges::sort(lines);
  return lines;
}

inline bool has_note(const Workload& workload, std::string_view text) {
  return std::ranges::any_of(workload.notes, [text](const std::string& note) {
    return note.find(text) != std::string::npos;
  });
}

using Lines = std::vector<std::string>;

}  // namespace nccl_sweep::test
