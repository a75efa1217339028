// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch profiler traces. The CPU event record_param_comms is the one record of a collective: the
// GPU kernel carries a copy of its arguments, and counting both would double everything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "workload/event_scanner.hpp"
#include "workload/kineto_event.hpp"
#include "workload/kineto_group.hpp"
#include "workload/kineto_names.hpp"
#include "workload/step_counts.hpp"
#include "workload/trace_format.hpp"

namespace nccl_sweep {
namespace {

// A kind of call; what the many records of a trace are counted by.
struct Kind {
  std::uint32_t group = 0;
  Collective collective{};
  DataType dtype{};
  std::int64_t bytes = 0;
  auto operator<=>(const Kind&) const = default;
};

struct Interval {
  std::string thread;
  double begin = 0;
  double end = 0;
};

// `value` as a number from 0, the same for equal values.
template <class Value>
std::uint32_t intern(std::map<Value, std::uint32_t>& known, const Value& value) {
  return known.try_emplace(value, static_cast<std::uint32_t>(known.size())).first->second;
}

template <class Value>
std::vector<Value> by_number(const std::map<Value, std::uint32_t>& known) {
  std::vector<Value> values(known.size());
  for (const auto& [value, number] : known) values[number] = value;
  return values;
}

class KinetoReader : public TraceSink {
 public:
  explicit KinetoReader(Reading& reading) : reading_(reading) {}

  void event(std::string_view text, unsigned words) override;
  void member(std::string_view key, std::string_view value) override;
  void finish(const ReadOptions& options);
  bool saw_records() const { return !records_.kinds.empty(); }
  std::int64_t kernels() const { return kernels_; }

 private:
  void note_kernel(std::string_view text);
  void add(const CommsRecord& record);
  void drop_barrier_bodies();
  void take_info();
  StepCounts count_calls(const std::vector<Kind>& kinds, const ReadOptions& options);
  bool counts_as_nccl(KinetoGroup& group, std::int64_t calls);
  void note(const std::string& text) { ++reading_.notes[text]; }
  void left_out(const std::string& text) { note("left out: " + text); }

  Reading& reading_;
  std::optional<DistributedInfo> info_;
  std::map<KinetoGroup, std::uint32_t> groups_;
  std::map<Kind, std::uint32_t> kinds_;
  TimedRecords records_;
  std::vector<StepMark> steps_;
  std::vector<Interval> barriers_;
  std::vector<std::pair<Interval, std::size_t>> barrier_suspects_;  // with the record's index
  std::int64_t kernels_ = 0;
};

void KinetoReader::event(std::string_view text, unsigned words) {
  if ((words & (kHasCommsRecord | kHasStep)) != 0) {
    const std::optional<KinetoEvent> event = parse_kineto_event(text);
    if (!event) left_out("unreadable events");
    if (event && event->step) steps_.push_back(*event->step);
    if (event && event->comms) add(*event->comms);
  }
  if ((words & kHasNccl) != 0) note_kernel(text);
}

void KinetoReader::member(std::string_view key, std::string_view value) {
  if (key == "distributedInfo") info_ = parse_distributed_info(value);
}

// Looks only whether a record explains the kernel; not worth a parse.
void KinetoReader::note_kernel(std::string_view text) {
  const auto has = [text](std::string_view word) { return text.find(word) != text.npos; };
  if (!has("\"kernel\"") && !has("\"Kernel\"")) return;
  if (!has("\"ncclDev") && !has("\"ncclKernel") && !has("\"ncclSym")) return;
  ++kernels_;
  if (has("\"Collective name\"") || has("xternal id\"")) return;
  note(has("\"graph node id\"") ? "NCCL kernels launched by a CUDA graph, sizes unknown"
                                : "NCCL kernels without a record of their own (coalesced, or "
                                  "launched before the trace began)");
}

void KinetoReader::add(const CommsRecord& record) {
  if (record.collective.empty()) return left_out("records without sizes (PyTorch before 2.2)");
  if (is_torch_bookkeeping(record.collective)) {
    if (record.collective == "barrier") {
      barriers_.push_back({record.thread, record.time, record.time + record.duration});
    }
    return left_out(record.collective + " records");
  }
  const auto collective = torch_collective(record.collective);
  if (!collective) {
    return left_out(fmt::format("unknown collective '{}'", shown(record.collective)));
  }
  const auto type = torch_type(record.dtype);
  if (!type) return left_out(fmt::format("unknown dtype '{}'", shown(record.dtype)));
  // nccl-tests' size is the larger side: what all_gather puts out, what reduce_scatter takes in.
  const std::int64_t elements = std::max(record.in_elements, record.out_elements);
  const bool overflowed = record.in_elements < -1 || record.out_elements < -1;  // 32-bit recorders
  if (elements < 0 || overflowed ||
      elements > std::numeric_limits<std::int64_t>::max() / type->bytes) {
    return left_out("records with a corrupt size");
  }
  if (elements == 0) return left_out("calls that send nothing (0 elements)");
  if (*collective == Collective::alltoall &&
      (record.uneven_split || record.in_elements != record.out_elements)) {
    note("uneven alltoall, counted as even of the larger of in and out");
  }
  if (record.collective.find("coalesced") != std::string::npos) {
    // NCCL launches the members of a group as one; its time is that of the sum.
    note("coalesced calls, counted as one call of their tensors' sum");
  }
  const KinetoGroup group{record.group_name, record.group_ranks, record.group_size,
                          record.rank_start, record.rank_stride};
  const Kind kind{intern(groups_, group), *collective, type->dtype, elements * type->bytes};
  if (*collective == Collective::all_reduce && elements == 1 && record.dtype == "Byte") {
    const Interval here{record.thread, record.time, record.time};
    barrier_suspects_.emplace_back(here, records_.kinds.size());
  }
  records_.times.push_back(record.time);
  records_.kinds.push_back(intern(kinds_, kind));
}

// Older PyTorch records a barrier's own all-reduce of one byte inside the barrier's record.
void KinetoReader::drop_barrier_bodies() {
  const auto order = [](const Interval& it) { return std::tie(it.thread, it.begin); };
  std::ranges::sort(barriers_, {}, order);
  const TimedRecords all = std::exchange(records_, {});
  auto suspect = barrier_suspects_.begin();
  for (std::size_t i = 0; i < all.kinds.size(); ++i) {
    if (suspect != barrier_suspects_.end() && suspect->second == i) {
      const Interval& body = (suspect++)->first;
      const auto after = std::ranges::upper_bound(barriers_, order(body), {}, order);
      const bool inside = after != barriers_.begin() && std::prev(after)->thread == body.thread &&
                          body.begin < std::prev(after)->end;
      if (inside) {
        left_out("all-reduces inside a barrier");
        continue;
      }
    }
    records_.times.push_back(all.times[i]);
    records_.kinds.push_back(all.kinds[i]);
  }
}

void KinetoReader::take_info() {
  if (info_) {
    reading_.source.rank = info_->rank;
    reading_.world_size = info_->world_size;
    if (!info_->nccl_version.empty()) {
      reading_.source.producer = "PyTorch profiler, NCCL " + shown(info_->nccl_version);
    }
  }
  if (reading_.source.rank < 0) reading_.source.rank = rank_in_name(reading_.source.file);
}

StepCounts KinetoReader::count_calls(const std::vector<Kind>& kinds, const ReadOptions& options) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    names.push_back(
        fmt::format("{} {} {} B", to_string(kind.collective), to_string(kind.dtype), kind.bytes));
  }
  StepCounts counts = count_by_step(steps_, records_, names);
  std::ranges::copy(counts.remarks, std::back_inserter(reading_.remarks));
  if (counts.outside > 0) reading_.notes["left out: records outside of the marked steps"] += counts.outside;
  if (counts.iterations > 0) {
    if (options.iterations > 0) {
      reading_.remarks.emplace_back("--iters is not used: the trace marks its steps");
    }
  } else if (options.iterations > 0) {
    counts.iterations = options.iterations;
    for (double& calls : counts.calls) calls /= options.iterations;
  } else if (!kinds.empty()) {
    reading_.remarks.emplace_back(
        "no ProfilerStep marks: calls are of the whole trace; give --iters N for calls per step");
  }
  return counts;
}

// False, with a note, for what NCCL does not send.
bool KinetoReader::counts_as_nccl(KinetoGroup& group, std::int64_t calls) {
  if (group.size == 0 && reading_.world_size > 0) {
    group.size = reading_.world_size;
    reading_.notes["calls without a group size, taken as of all ranks"] += calls;
  }
  if (group.size == 1) {
    reading_.notes["left out: calls in groups of one rank"] += calls;
  } else if (group.size < 1) {
    reading_.notes["left out: calls without a group size"] += calls;
  } else if (foreign_backend(group, info_)) {
    reading_.notes["left out: calls in groups of another backend than NCCL"] += calls;
  } else {
    return true;
  }
  return false;
}

void KinetoReader::finish(const ReadOptions& options) {
  if (!barriers_.empty() && !barrier_suspects_.empty()) drop_barrier_bodies();
  take_info();
  const std::vector<KinetoGroup> groups = by_number(groups_);
  const std::vector<Kind> kinds = by_number(kinds_);
  const StepCounts counts = count_calls(kinds, options);
  reading_.iterations = counts.iterations;
  RankView view;
  view.rank = reading_.source.rank >= 0 ? fmt::format("rank {}", reading_.source.rank)
                                        : reading_.source.file;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    KinetoGroup group = groups[kinds[i].group];
    const double all_calls = counts.calls[i] * std::max(1.0, counts.iterations);
    if (all_calls <= 0 || !counts_as_nccl(group, std::llround(all_calls))) continue;
    const GroupIdentity identity = identify(group, info_);
    GroupCase entry{identity.text, {}};
    entry.what.collective = kinds[i].collective;
    entry.what.dtype = kinds[i].dtype;
    entry.what.bytes = {kinds[i].bytes};
    entry.what.count = kinds[i].bytes / element_bytes(kinds[i].dtype);
    entry.what.group_size = group.size;
    entry.what.group_stride = identity.stride;
    entry.what.calls = counts.calls[i];
    view.cases.push_back(std::move(entry));
  }
  if (std::ranges::any_of(view.cases,
                          [](const GroupCase& it) { return reduces(it.what.collective); })) {
    reading_.remarks.emplace_back("the trace does not name reduction operations: sum is assumed");
  }
  reading_.views.push_back(std::move(view));
}

std::string no_collectives_hint(const KinetoReader& reader, const Reading& reading) {
  std::string hint =
      "sizes are in the CPU records: profile with ProfilerActivity.CPU as well as CUDA, with "
      "PyTorch 2.2 or newer";
  if (reader.kernels() > 0) {
    hint += fmt::format(
        "; {} NCCL kernels ran all the same: where CUDA graphs or another library than "
        "torch.distributed launch them, use a log of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL",
        reader.kernels());
  }
  if (!reading.notes.empty()) hint += ". Seen and not counted" + listed(reading.notes);
  return hint;
}

void check_end(const ScanResult& scan, const ByteSource& source, const ReadOptions& options,
               Reading& reading) {
  const std::string at =
      fmt::format("at byte {}{}", scan.offset, source.packed() ? " (unpacked)" : "");
  if (scan.end == ScanResult::End::truncated) {
    refuse_or_remark(source, options, "the trace is truncated: it ends inside the JSON " + at,
                     reading);
  } else if (scan.end == ScanResult::End::malformed) {
    refuse_or_remark(source, options, "no valid JSON " + at, reading);
  } else if (!source.damage().empty()) {
    refuse_or_remark(source, options, "the JSON ends " + at, reading);
  }
}

}  // namespace

Reading read_kineto(ByteSource& source, const ReadOptions& options) {
  Reading reading;
  reading.source.file = source.file().filename().string();
  reading.source.format = "kineto";
  reading.source.producer = "PyTorch profiler";
  KinetoReader reader(reading);
  const ScanResult scan = EventScanner(source, reader).scan();
  const std::string where = source.file().string();
  check_end(scan, source, options, reading);
  if (!scan.has_events) {
    throw usage_error("is JSON without traceEvents, so not a profiler trace", where,
                      "known formats: PyTorch profiler (Kineto) JSON, NCCL_DEBUG COLL logs");
  }
  if (scan.broken_events > 0) reading.notes["left out: unreadable events"] += scan.broken_events;
  if (scan.trailing) reading.remarks.emplace_back("data after the end of the JSON was ignored");
  reader.finish(options);
  if (reading.views.front().cases.empty()) {
    throw usage_error(fmt::format("has no NCCL collectives ({} events read)", scan.events), where,
                      no_collectives_hint(reader, reading));
  }
  return reading;
}

}  // namespace nccl_sweep
