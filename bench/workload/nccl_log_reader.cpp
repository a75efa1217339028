// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL, of one or of several ranks interleaved. A
// communicator is known by (process, pointer); the INIT lines tell which of them are one
// communicator seen by several ranks. Without INIT lines each process is a rank of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "core/error.hpp"
#include "workload/nccl_log_line.hpp"
#include "workload/p2p_fusion.hpp"
#include "workload/trace_format.hpp"

namespace nccl_sweep {
namespace {

struct Communicator {
  std::string identity;
  std::pair<std::int64_t, int> owner;  // process and device: one rank
  int rank = -1;
  int ranks = 0;
  std::map<std::tuple<Collective, DataType, ReduceOp, std::int64_t>, std::int64_t> calls;
};

struct LoggedFunction {
  std::string_view name;
  Collective collective;
};

constexpr std::array kFunctions = {
    LoggedFunction{"AllReduce", Collective::all_reduce},
    LoggedFunction{"AllGather", Collective::all_gather},
    LoggedFunction{"ReduceScatter", Collective::reduce_scatter},
    LoggedFunction{"Broadcast", Collective::broadcast},
    LoggedFunction{"Reduce", Collective::reduce},
    LoggedFunction{"AlltoAll", Collective::alltoall},
    LoggedFunction{"AllToAll", Collective::alltoall},
    LoggedFunction{"Gather", Collective::gather},
    LoggedFunction{"Scatter", Collective::scatter},
    LoggedFunction{"Send", Collective::sendrecv},
    LoggedFunction{"Recv", Collective::sendrecv},
};

class LogReader {
 public:
  explicit LogReader(Reading& reading) : reading_(reading) {}
  void line(std::string_view text);
  void finish(const ReadOptions& options);
  std::int64_t nccl_lines() const { return nccl_lines_; }

 private:
  using Key = std::pair<std::int64_t, std::uint64_t>;  // process, pointer

  Communicator& communicator(const LoggedCall& call);
  void init(const LoggedInit& init);
  void call(const LoggedCall& call);
  void count(std::size_t communicator, Collective, DataType, ReduceOp, std::int64_t bytes);
  void take_fused(const P2pRun& run);
  void note(const std::string& text) { ++reading_.notes[text]; }
  void left_out(const std::string& text) { note("left out: " + text); }

  Reading& reading_;
  std::vector<Communicator> communicators_;
  std::map<Key, std::size_t> current_;  // a freed pointer may come back as another communicator
  std::map<std::pair<Key, std::int64_t>, P2pRun> runs_;  // open, by communicator and thread
  std::map<std::string, int> splits_;  // how many communicators of this origin a process has
  std::int64_t nccl_lines_ = 0;
};

Communicator& LogReader::communicator(const LoggedCall& call) {
  const Key key{call.process, call.comm};
  const auto [entry, is_new] = current_.try_emplace(key, communicators_.size());
  if (is_new) {
    Communicator& made = communicators_.emplace_back();
    made.identity =
        fmt::format("{} pid {} comm {:x}", reading_.source.file, call.process, call.comm);
    made.owner = {call.process, call.device};
    made.ranks = call.ranks;
  }
  return communicators_[entry->second];
}

void LogReader::init(const LoggedInit& init) {
  const Key key{init.process, init.comm};
  for (auto run = runs_.begin(); run != runs_.end();) {  // of a former owner of the pointer
    if (run->first.first != key) {
      ++run;
      continue;
    }
    take_fused(run->second);
    run = runs_.erase(run);
  }
  const auto parent = current_.find({init.process, init.parent});
  std::string origin = "commId " + init.id;
  if (init.id.empty() && parent != current_.end() && init.parent != 0) {
    origin = fmt::format("{} color {}", communicators_[parent->second].identity, init.color);
  } else if (init.id.empty()) {
    origin = fmt::format("{} pid {}", reading_.source.file, init.process);
  }
  // The same split made twice is two communicators, in the same order on every rank.
  const int number = splits_[fmt::format("{} pid {} rank {}", origin, init.process, init.rank)]++;
  current_[key] = communicators_.size();
  Communicator& made = communicators_.emplace_back();
  made.identity = fmt::format("{} #{} of {}", origin, number, init.ranks);
  made.owner = {init.process, init.device};
  made.rank = init.rank;
  made.ranks = init.ranks;
  if (!init.id.empty()) reading_.world_size = std::max(reading_.world_size, init.ranks);
}

void LogReader::line(std::string_view text) {
  const LogLine line = parse_log_line(text);
  if (line.garbled > 0) reading_.notes["left out: garbled COLL lines"] += line.garbled;
  if (!line.version.empty()) reading_.source.producer = "NCCL " + shown(line.version);
  if (text.find("NCCL INFO ") != text.npos) ++nccl_lines_;
  if (line.init) init(*line.init);
  for (const LoggedCall& it : line.calls) call(it);
}

void LogReader::call(const LoggedCall& it) {
  const auto function = std::ranges::find(kFunctions, it.function, &LoggedFunction::name);
  if (function == kFunctions.end()) {
    return left_out(fmt::format("unknown operation '{}'", shown(it.function)));
  }
  if (it.datatype < 0 || it.datatype > static_cast<int>(DataType::float8e5m2)) {
    return left_out(fmt::format("unknown datatype {}", it.datatype));
  }
  const auto dtype = static_cast<DataType>(it.datatype);
  const Collective collective = function->collective;
  // The API counts one rank's share, nccl-tests the whole.
  const bool share = size_is_total_over_ranks(collective);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(it.count, element_bytes(dtype), &bytes) ||
      (share && __builtin_mul_overflow(bytes, std::int64_t{it.ranks}, &bytes))) {
    return left_out("calls with a corrupt count");
  }
  if (it.ranks == 1) return left_out("calls in groups of one rank");
  if (bytes == 0) return left_out("calls that send nothing (0 elements)");
  const Communicator& owner = communicator(it);
  const auto index = static_cast<std::size_t>(&owner - communicators_.data());
  const auto run = runs_.find({{it.process, it.comm}, it.thread});
  if (collective == Collective::sendrecv) {
    const P2pCall p2p{it.function == "Send", it.root, bytes, dtype};
    if (run != runs_.end() && run->second.accepts(p2p)) return run->second.add(p2p);
    if (run != runs_.end()) {
      take_fused(run->second);
      runs_.erase(run);
    }
    P2pRun& started = runs_[{{it.process, it.comm}, it.thread}];
    started = P2pRun(index, owner.rank, it.ranks);
    return started.add(p2p);
  }
  if (run != runs_.end()) {
    take_fused(run->second);
    runs_.erase(run);
  }
  ReduceOp op = ReduceOp::sum;
  if (reduces(collective)) {
    if (it.op > static_cast<int>(ReduceOp::avg) || it.op < 0) {
      note("calls with a reduction of the user's own, counted as sum");
    } else {
      op = static_cast<ReduceOp>(it.op);
    }
  }
  count(index, collective, dtype, op, bytes);
}

void LogReader::count(std::size_t communicator, Collective collective, DataType dtype, ReduceOp op,
                      std::int64_t bytes) {
  ++communicators_[communicator].calls[{collective, dtype, op, bytes}];
}

void LogReader::take_fused(const P2pRun& run) {
  const P2pResult result = run.fuse();
  if (result.uneven) note("uneven alltoall, counted as even of the larger of in and out");
  if (result.collective == Collective::alltoall)
    note("alltoall fused from its Send and Recv lines");
  for (const auto& [dtype, bytes] : result.sizes) {
    count(run.communicator(), result.collective, dtype, ReduceOp::sum, bytes);
  }
}

void LogReader::finish(const ReadOptions& options) {
  for (const auto& [key, run] : runs_) take_fused(run);
  runs_.clear();
  std::map<std::pair<std::int64_t, int>, RankView> by_owner;
  std::map<std::pair<std::int64_t, int>, std::pair<int, int>>
      widest;  // ranks and rank of its largest communicator
  const double divisor = options.iterations > 0 ? options.iterations : 1;
  for (const Communicator& it : communicators_) {
    if (it.calls.empty()) continue;
    RankView& view = by_owner[it.owner];
    std::pair<int, int>& wide = widest[it.owner];
    if (it.ranks > wide.first) wide = {it.ranks, it.rank};
    for (const auto& [what, calls] : it.calls) {
      GroupCase& entry = view.cases.emplace_back();
      entry.group = it.identity;
      std::int64_t bytes = 0;
      std::tie(entry.what.collective, entry.what.dtype, entry.what.op, bytes) = what;
      entry.what.bytes = {bytes};
      entry.what.count = bytes / element_bytes(entry.what.dtype);
      entry.what.group_size = it.ranks;
      entry.what.group_stride = it.ranks == reading_.world_size ? 1 : 0;
      entry.what.calls = static_cast<double>(calls) / divisor;
    }
  }
  for (auto& [owner, view] : by_owner) {
    const int rank = widest[owner].second;
    view.rank = rank >= 0 ? fmt::format("rank {}", rank) : fmt::format("pid {}", owner.first);
    reading_.views.push_back(std::move(view));
  }
  if (by_owner.size() == 1) reading_.source.rank = widest.begin()->second.second;
  if (by_owner.size() > 1) {
    reading_.remarks.push_back(fmt::format("{} ranks in one log", by_owner.size()));
  } else if (reading_.source.rank < 0) {
    reading_.source.rank = rank_in_name(reading_.source.file);
  }
  reading_.iterations = options.iterations;
  if (options.iterations <= 0) {
    reading_.remarks.emplace_back(
        "a log has no step marks: calls are of the whole run; give --iters N for calls per step");
  }
}

// Calls take(line) for each line, without its line end. Lines longer than any of NCCL's are cut.
template <class Take>
void for_each_line(ByteSource& source, Take take) {
  std::vector<char> buffer(512 << 10);
  std::size_t filled = 0;
  while (true) {
    const std::size_t got = source.read(buffer.data() + filled, buffer.size() - filled);
    filled += got;
    std::size_t begin = 0;
    while (begin < filled) {
      const void* found = std::memchr(buffer.data() + begin, '\n', filled - begin);
      if (found == nullptr && got > 0 && begin > 0) break;
      const std::size_t end =
          found == nullptr
              ? filled
              : static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data());
      std::string_view line(buffer.data() + begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(line);
      begin = std::min(filled, end + 1);
    }
    std::memmove(buffer.data(), buffer.data() + begin, filled - begin);
    filled -= begin;
    if (got == 0) return;
  }
}

}  // namespace

Reading read_nccl_log(ByteSource& source, const ReadOptions& options) {
  Reading reading;
  reading.source.file = source.file().filename().string();
  reading.source.format = "nccl-log";
  reading.source.producer = "NCCL";
  LogReader reader(reading);
  std::int64_t lines = 0;
  for_each_line(source, [&](std::string_view line) {
    ++lines;
    reader.line(line);
  });
  if (!source.damage().empty()) {
    refuse_or_remark(source, options,
                     fmt::format("the log is truncated: line {}, byte {} is the last one", lines,
                                 source.offset()),
                     reading);
  }
  reader.finish(options);
  if (reading.views.empty()) {
    const std::string seen = listed(reading.notes);
    const std::string where = source.file().string();
    if (reader.nccl_lines() == 0) {
      throw usage_error(fmt::format("is text without NCCL's log lines ({} lines read)", lines),
                        where,
                        "known formats: PyTorch profiler (Kineto) JSON and logs of NCCL_DEBUG=INFO "
                        "NCCL_DEBUG_SUBSYS=INIT,COLL");
    }
    throw usage_error(
        fmt::format("has NCCL's log lines ({}), but no collectives", reader.nccl_lines()), where,
        "log with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL" +
            (seen.empty() ? "" : ". Seen and not counted" + seen));
  }
  return reading;
}

}  // namespace nccl_sweep
