// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is printed per operation: the path that it took (TUNING, by the first rank of each
// communicator) and whether its buffers were registered (REG).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/launched_path.hpp"
#include "evidence/rank_facts.hpp"
#include "evidence/text_scan.hpp"

namespace nccl_sweep::evidence {
namespace {

constexpr int kMostChannels = 1024;  // NCCL has 64: more is a garbled number

void add_path(std::string_view function, std::int64_t bytes, const LaunchedPath& path,
              RankFacts& facts) {
  facts.add(FactKind::path, path_subject(function, bytes), to_string(path));
}

// "AllReduce: opCount 1f ... [nranks=16] stream ...": in COLL, before the path of the call.
bool read_call(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  std::string_view function;
  int ranks = 0;
  if (!scan.until(": opCount ", function)) return false;
  if (!scan.skip_past("[nranks=") || !scan.number(ranks)) return false;
  facts.last_call = {std::string(function), ranks};
  return true;
}

// From 2.24: "Algo RING proto SIMPLE channel{Lo..Hi}={0..23}".
bool read_named_path(TextScan scan, std::string_view function, std::int64_t bytes,
                     RankFacts& facts) {
  LaunchedPath path;
  int low = 0;
  int high = 0;
  path.algorithm = scan.word();
  if (!scan.skip(" proto ")) return false;
  path.protocol = scan.word();
  if (!scan.skip(" channel{Lo..Hi}={") || !scan.number(low)) return false;
  if (!scan.skip("..") || !scan.number(high) || !scan.skip("}")) return false;
  if (low < 0 || high < low || high >= kMostChannels) return false;
  path.channels = high - low + 1;
  add_path(function, bytes, path, facts);
  return true;
}

// To 2.23: "Algo 1 proto 2 time 27.3", in numbers and for the bytes of all ranks.
bool read_numbered_path(TextScan scan, std::string_view function, std::int64_t bytes,
                        RankFacts& facts) {
  constexpr std::array<std::string_view, 7> kAlgorithms{
      "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
  constexpr std::array<std::string_view, 3> kProtocols{"LL", "LL128", "SIMPLE"};
  std::size_t algorithm = 0;
  std::size_t protocol = 0;
  if (!scan.number(algorithm) || !scan.skip(" proto ") || !scan.number(protocol)) return false;
  if (!scan.skip(" time ")) return false;
  if (algorithm >= kAlgorithms.size() || protocol >= kProtocols.size()) return false;
  const RankFacts::Call& call = facts.last_call;
  if (function.empty()) function = call.function;
  if (function.empty()) return false;  // NCCL 2.22 and older without COLL in the log
  if (function == "AllGather" || function == "ReduceScatter") {
    const int ranks = function == call.function ? call.ranks : facts.communicator_ranks;
    if (ranks < 1) return false;
    bytes /= ranks;
  }
  LaunchedPath path;
  path.algorithm = kAlgorithms[algorithm];
  path.protocol = kProtocols[protocol];
  add_path(function, bytes, path, facts);
  return true;
}

// "Kernel AllGather_ST nchannels 32 nthreads 512 nWorks 1"
bool read_symmetric_path(TextScan scan, std::string_view function, std::int64_t bytes,
                         RankFacts& facts) {
  LaunchedPath path;
  path.kind = PathKind::symmetric;
  if (!scan.skip("Kernel ")) return false;
  path.algorithm = scan.word();
  if (!scan.skip(" nchannels ") || !scan.number(path.channels)) return false;
  if (!scan.skip(" ") || path.channels < 1 || path.channels >= kMostChannels) return false;
  add_path(function, bytes, path, facts);
  return true;
}

// "[function[ [kind]]: ]N Bytes -> ..."
bool read_path(std::string_view text, RankFacts& facts) {
  constexpr std::string_view kBytes = " Bytes -> ";
  const std::size_t at = text.find(kBytes);
  if (at == text.npos) return false;
  std::string_view function = text.substr(0, at);
  const std::size_t digits = function.find_last_not_of("0123456789");
  std::int64_t bytes = 0;
  if (!TextScan(function.substr(digits + 1)).number(bytes)) return false;
  function = function.substr(0, digits + 1);
  if (function.ends_with(": ")) function.remove_suffix(2);
  std::string_view kind;
  if (const std::size_t bracket = function.find(" ["); bracket != function.npos) {
    kind = function.substr(bracket + 1);
    function = function.substr(0, bracket);
  }
  TextScan scan(text.substr(at + kBytes.size()));
  if (kind == "[Symmetric]") return read_symmetric_path(scan, function, bytes, facts);
  if (kind == "[Copy Engine]" || kind == "[Hierarchical CE]") {
    add_path(function, bytes, LaunchedPath{PathKind::copy_engine, {}, {}, 0}, facts);
    return true;
  }
  if (!scan.skip("Algo ")) return false;
  return read_named_path(scan, function, bytes, facts) ||
         read_numbered_path(scan, function, bytes, facts);
}

// "rank 0 - IPC register buffer ...", "... NET reuse buffer ...", "rank 0 successfully registered
// NVLS sendbuff ...", "rank 0 failed to NET register userbuff ...".
bool read_registration(std::string_view text, RankFacts& facts) {
  constexpr std::array<std::string_view, 4> kWays{"IPC", "NET", "NVLS", "COLLNET"};
  TextScan scan(text);
  int rank = 0;
  if (!scan.skip("rank ") || !scan.number(rank)) return false;
  if (text.find("deregister") != text.npos) return false;
  const bool failed = text.find(" failed to ") != text.npos;
  for (const std::string_view way : kWays) {
    const bool used = text.find(fmt::format(" {} register", way)) != text.npos ||
                      text.find(fmt::format(" {} reuse", way)) != text.npos ||
                      text.find(fmt::format("registered {} ", way)) != text.npos;
    if (!used && !(failed && text.find(fmt::format(" {} failed", way)) != text.npos)) continue;
    facts.add(FactKind::note, "registered buffers",
              fmt::format("{}{}", way, failed ? " failed" : ""));
    return true;
  }
  return false;
}

constexpr std::array<LineReader, 3> kReaders{read_path, read_call, read_registration};

}  // namespace

bool read_operation_line(std::string_view text, RankFacts& facts) {
  return std::ranges::any_of(kReaders, [&](LineReader read) { return read(text, facts); });
}

}  // namespace nccl_sweep::evidence
