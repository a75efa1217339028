// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nccl_sweep::worker {
namespace {

constexpr double kLongOp = 1e-3;
constexpr double kShortOp = 50e-6;
constexpr double kBlockSeconds = 10e-3;
constexpr int kMostOps = 1'000'000;

int ops_for(double seconds, double per_op, int least) {
  const double ops = per_op > 0 ? std::ceil(seconds / per_op) : kMostOps;
  return static_cast<int>(
      std::clamp(ops, static_cast<double>(least), static_cast<double>(kMostOps)));
}

int round_up(int n, int whole) { return (n + whole - 1) / whole * whole; }

class CaseLoop {
 public:
  CaseLoop(const wire::Request& request, Backend& backend, const StepReport& report, int index)
      : request_(request),
        backend_(backend),
        report_(report),
        index_(index),
        item_(request.cases[static_cast<std::size_t>(index)]),
        whole_(item_.what.graph ? ops_per_graph(item_.what) : 1) {}

  // The first ops of a process, out of place only, each size waited for.
  void warm_up_as_nccl_tests() {
    if (item_.what.placement == Placement::in_place) return;
    step("warm-up");
    backend_.prepare(item_.what, item_.partition);
    run_ops(round_up(item_.warmup_ops, whole_));
  }

  wire::CaseBlocks run() {
    step("fill");
    backend_.prepare(item_.what, item_.partition);
    step("warm-up");
    const Pace pace = warm_up();
    wire::CaseBlocks result;
    result.case_index = index_;
    result.ops_per_block = pace.ops_per_block;
    result.warmup_ops = pace.warmup_ops;
    if (!request_.load.empty()) {
      step("load");
      // Of launched ops only: the same ops from a graph take the same multiprocessors.
      if (!item_.what.graph) time_load(result);
      return result;
    }
    for (int block = 0; block < pace.blocks; ++block) {
      step(fmt::format("block {} of {}", block + 1, pace.blocks));
      if (block + 1 == pace.blocks && request_.verify) {
        backend_.poison(item_.what, item_.partition, pace.ops_per_block);
      }
      time_block(pace.ops_per_block, result);
    }
    if (request_.verify) {
      step("verify");
      Verification seen = backend_.verify(item_.what, item_.partition);
      result.wrong_elements = seen.wrong_elements;
      result.first_wrong = std::move(seen.first_wrong);
    }
    return result;
  }

 private:
  void step(const std::string& name) { report_(index_, name); }

  void time_load(wire::CaseBlocks& result) {
    const Backend::LoadTimes times =
        backend_.time_load(item_.what, item_.partition, request_.load, request_.load_ctas);
    result.load_alone_seconds = times.alone.count();
    result.load_beside_seconds = times.beside.count();
  }

  void run_ops(int n) {
    if (n > 0) backend_.run_ops(item_.what, item_.partition, n);
  }
  // Seconds of the slowest rank, so that all ranks go on with the same number.
  double agreed_seconds(int n) {
    return backend_.align(backend_.run_ops(item_.what, item_.partition, n).count());
  }

  Pace warm_up() {
    if (request_.parity_iters > 0) {  // nccl-tests: one more op that is not timed
      run_ops(whole_);
      return {round_up(request_.parity_iters, whole_), 1, item_.warmup_ops};
    }
    if (item_.ops_per_block > 0) {
      run_ops(round_up(item_.warmup_ops, whole_));
      return {round_up(item_.ops_per_block, whole_), item_.blocks, item_.warmup_ops};
    }
    return find_pace();
  }

  // Burn-in: grows n until the warm-up time is used, then one look at the settled time per op.
  Pace find_pace() {
    const Seconds warmup = index_ == 0 ? kFirstWarmup : kWarmup;
    double total = 0;
    double per_op = 0;
    int ops = 0;
    for (int n = whole_; ops < kWarmupOps || (total < warmup.count() && ops < kMostOps);) {
      const double seconds = agreed_seconds(n);
      per_op = seconds / n;
      total += seconds;
      ops += n;
      n = whole_ *
          std::clamp(ops_for(warmup.count() - total, per_op, 1) / whole_, 1, 4 * n / whole_);
    }
    const int n = round_up(std::min(ops_for(kBlockSeconds / 2, per_op, 1), 300), whole_);
    return pace_for(Seconds{agreed_seconds(n) / n}, warmup, whole_);
  }

  void time_block(int n, wire::CaseBlocks& result) {
    backend_.align(0);
    const double cpu = backend_.cpu_seconds();
    const double seconds = backend_.run_ops(item_.what, item_.partition, n).count();
    result.cpu_seconds += backend_.cpu_seconds() - cpu;
    result.wall_seconds += seconds;
    result.seconds_per_op.push_back(seconds / n);
    if (const auto device = backend_.device_seconds()) {
      result.device_seconds_per_op.push_back(device->count() / n);
    }
  }

  const wire::Request& request_;
  Backend& backend_;
  const StepReport& report_;
  int index_;
  const wire::CaseRequest& item_;
  int whole_;  // n is a multiple of it
};

}  // namespace

Pace pace_for(Seconds per_op, Seconds warmup, int whole) {
  const double t = per_op.count();
  const int warmup_ops = round_up(ops_for(warmup.count(), t, kWarmupOps), whole);
  constexpr int kReplays = 5;
  if (whole > 1)
    return {std::max(kReplays * whole, round_up(ops_for(kBlockSeconds, t, 1), whole)), 5,
            warmup_ops};
  if (t >= kLongOp) return {ops_for(kBlockSeconds, t, 4), 5, warmup_ops};
  if (t >= kShortOp) return {ops_for(kBlockSeconds, t, 1), 5, warmup_ops};
  return {300, 9, warmup_ops};
}

std::vector<wire::CaseBlocks> measure(const wire::Request& request, Backend& backend,
                                      const StepReport& report) {
  std::vector<wire::CaseBlocks> results;
  // nccl-tests warms up over all sizes before it times the first one.
  for (int index = 0; request.parity_iters > 0 && index < static_cast<int>(request.cases.size());
       ++index) {
    CaseLoop(request, backend, report, index).warm_up_as_nccl_tests();
  }
  for (int index = 0; index < static_cast<int>(request.cases.size()); ++index) {
    results.push_back(CaseLoop(request, backend, report, index).run());
  }
  return results;
}

}  // namespace nccl_sweep::worker
