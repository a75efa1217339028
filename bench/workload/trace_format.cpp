// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/trace_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

bool contains(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

char first_solid(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const auto found = std::ranges::find_if(
      head, [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
  return found == head.end() ? '\0' : *found;
}

bool is_json_object(std::string_view head) { return first_solid(head) == '{'; }

// A job's log may begin with a configuration that it prints.
bool is_kineto(std::string_view head) {
  return is_json_object(head) && !contains(head, "NCCL INFO ");
}
bool is_workload(std::string_view head) {
  return is_json_object(head) && contains(head, "\"nccl_sweep_workload\"");
}
bool is_flight_recorder_json(std::string_view head) {
  return is_json_object(head) && contains(head, "\"entries\"") && !contains(head, "traceEvents") &&
         (contains(head, "\"pg_config\"") || contains(head, "collective_seq_id"));
}
bool is_execution_trace(std::string_view head) {
  return is_json_object(head) && contains(head, "\"schema\"") && contains(head, "\"nodes\"") &&
         !contains(head, "traceEvents");
}
bool is_inspector(std::string_view head) {
  return is_json_object(head) && contains(head, "\"inspector_output_format_version\"");
}
bool is_chrome_array(std::string_view head) {
  return first_solid(head) == '[' && contains(head, "\"ph\"");
}
bool is_sqlite(std::string_view head) { return head.starts_with("SQLite format 3"); }
bool is_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}
bool is_binary(std::string_view head) { return contains(head, {"\0", 1}); }
bool is_nsys_report(std::string_view head) {
  if (!is_binary(head)) return false;  // a log may talk of it
  const std::string_view start = head.substr(0, 4096);
  return head.starts_with("QDSTRM") || contains(start, "NVIDIA Tegra Profiler") ||
         contains(start, "Nsight Systems");
}
bool is_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }
bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04"); }
bool is_xz(std::string_view head) {
  return head.starts_with(
      "\xfd"
      "7zXZ");
}
bool is_bzip2(std::string_view head) { return head.starts_with("BZh"); }

// Logs are read as text whatever comes before the first NCCL line: a job's own output may.
bool is_text(std::string_view head) {
  if (contains(head, "NCCL INFO ")) return true;
  const auto odd = std::ranges::count_if(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b';
  });
  return odd * 100 <= static_cast<std::ptrdiff_t>(head.size()) && !is_binary(head);
}

// Order matters: the first that fits is taken.
constexpr std::array kFormats = {
    TraceFormat{"nccl-sweep workload", is_workload, nullptr,
                "it needs no import: use it with run --workload"},
    TraceFormat{"flight recorder (JSON)", is_flight_recorder_json, nullptr, ""},
    TraceFormat{"PyTorch execution trace", is_execution_trace, nullptr, ""},
    TraceFormat{"NCCL Inspector", is_inspector, nullptr, ""},
    TraceFormat{"NCCL profiler plugin", is_chrome_array, nullptr, ""},
    TraceFormat{"kineto", is_kineto, read_kineto, ""},
    TraceFormat{"Nsight Systems SQLite", is_sqlite, nullptr, ""},
    TraceFormat{"flight recorder (pickle)", is_pickle, nullptr, ""},
    TraceFormat{"Nsight Systems report (.nsys-rep)", is_nsys_report, nullptr, ""},
    TraceFormat{"zstd", is_zstd, nullptr, "unpack it first: zstd -d"},
    TraceFormat{"zip", is_zip, nullptr, "unpack it first: unzip"},
    TraceFormat{"xz", is_xz, nullptr, "unpack it first: xz -d"},
    TraceFormat{"bzip2", is_bzip2, nullptr, "unpack it first: bunzip2"},
    TraceFormat{"nccl-log", is_text, read_nccl_log, ""},
};

constexpr std::string_view kReadable =
    "read are PyTorch profiler (Kineto) JSON and logs of NCCL_DEBUG=INFO "
    "NCCL_DEBUG_SUBSYS=INIT,COLL, each plain or gzip";

}  // namespace

std::span<const TraceFormat> trace_formats() { return kFormats; }

const TraceFormat& recognise(ByteSource& source) {
  const std::string_view head = source.head();
  const std::string where = source.file().string();
  if (head.empty()) {
    throw usage_error(source.damage().empty() ? "is empty once unpacked" : source.damage(), where,
                      "copy the file again");
  }
  for (const TraceFormat& format : kFormats) {
    if (!format.sniff(head)) continue;
    if (format.read != nullptr) return format;
    throw usage_error(fmt::format("{}: recognised, not read yet", format.name), where,
                      std::string(format.advice.empty() ? kReadable : format.advice));
  }
  throw usage_error("is in no known trace format", where, std::string(kReadable));
}

void refuse_or_remark(const ByteSource& source, const ReadOptions& options,
                      const std::string& problem, Reading& reading) {
  const std::string text =
      source.damage().empty() ? problem : fmt::format("{}; {}", problem, source.damage());
  if (!options.keep_partial) {
    throw usage_error(text, source.file().string(),
                      "copy or export the file again, or use --keep-partial to read what is there");
  }
  reading.remarks.push_back(text + ": calls are of the part before that");
}

std::string shown(std::string_view text) {
  std::string result(text.substr(0, 60));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

std::string listed(const NoteCounts& notes) {
  std::string result;
  for (const auto& [text, count] : notes) result += fmt::format("; {}: {}", text, count);
  return result;
}

int rank_in_name(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t word = name.rfind("rank");
  if (word == std::string::npos) return -1;
  std::size_t at = word + 4;
  while (at < name.size() && (name[at] == '_' || name[at] == '-' || name[at] == '.')) ++at;
  int rank = -1;
  for (int digits = 0; at < name.size() && name[at] >= '0' && name[at] <= '9' && digits < 8;
       ++at, ++digits) {
    rank = std::max(rank, 0) * 10 + (name[at] - '0');
  }
  return rank;
}

}  // namespace nccl_sweep
