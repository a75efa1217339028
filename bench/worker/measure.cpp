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

class CaseLoop {
 public:
  CaseLoop(const wire::Request& request, Backend& backend, const StepReport& report, int index)
      : request_(request),
        backend_(backend),
        report_(report),
        index_(index),
        item_(request.cases[static_cast<std::size_t>(index)]) {}

  wire::CaseBlocks run() {
    step("fill");
    backend_.prepare(item_.what, item_.partition);
    step("warm-up");
    const Pace pace = warm_up();
    wire::CaseBlocks result;
    result.case_index = index_;
    result.ops_per_block = pace.ops_per_block;
    result.warmup_ops = pace.warmup_ops;
    for (int block = 0; block < pace.blocks; ++block) {
      step(fmt::format("block {} of {}", block + 1, pace.blocks));
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

  void run_ops(int n) {
    if (n > 0) backend_.run_ops(item_.what, item_.partition, n);
  }
  // Seconds of the slowest rank, so that all ranks go on with the same number.
  double agreed_seconds(int n) {
    return backend_.align(backend_.run_ops(item_.what, item_.partition, n).count());
  }

  Pace warm_up() {
    if (request_.parity_iters > 0) {  // nccl-tests: warm-up, then one more op that is not timed
      run_ops(item_.warmup_ops);
      run_ops(1);
      return {request_.parity_iters, 1, item_.warmup_ops};
    }
    if (item_.ops_per_block > 0) {
      run_ops(item_.warmup_ops);
      return {item_.ops_per_block, item_.blocks, item_.warmup_ops};
    }
    return find_pace();
  }

  // Burn-in: grows n until the warm-up time is used, then one look at the settled time per op.
  Pace find_pace() {
    const Seconds warmup = index_ == 0 ? kFirstWarmup : kWarmup;
    double total = 0;
    double per_op = 0;
    int ops = 0;
    for (int n = 1; ops < kWarmupOps || (total < warmup.count() && ops < kMostOps);) {
      const double seconds = agreed_seconds(n);
      per_op = seconds / n;
      total += seconds;
      ops += n;
      n = std::clamp(ops_for(warmup.count() - total, per_op, 1), 1, 4 * n);
    }
    const int n = std::min(ops_for(kBlockSeconds / 2, per_op, 1), 300);
    return pace_for(Seconds{agreed_seconds(n) / n}, warmup);
  }

  void time_block(int n, wire::CaseBlocks& result) {
    backend_.align(0);
    const double cpu = backend_.cpu_seconds();
    const double seconds = backend_.run_ops(item_.what, item_.partition, n).count();
    result.cpu_seconds += backend_.cpu_seconds() - cpu;
    result.wall_seconds += seconds;
    result.seconds_per_op.push_back(seconds / n);
  }

  const wire::Request& request_;
  Backend& backend_;
  const StepReport& report_;
  int index_;
  const wire::CaseRequest& item_;
};

}  // namespace

Pace pace_for(Seconds per_op, Seconds warmup) {
  const double t = per_op.count();
  const int warmup_ops = ops_for(warmup.count(), t, kWarmupOps);
  if (t >= kLongOp) return {ops_for(kBlockSeconds, t, 4), 5, warmup_ops};
  if (t >= kShortOp) return {ops_for(kBlockSeconds, t, 1), 5, warmup_ops};
  return {300, 9, warmup_ops};
}

std::vector<wire::CaseBlocks> measure(const wire::Request& request, Backend& backend,
                                      const StepReport& report) {
  std::vector<wire::CaseBlocks> results;
  for (int index = 0; index < static_cast<int>(request.cases.size()); ++index) {
    results.push_back(CaseLoop(request, backend, report, index).run());
  }
  return results;
}

}  // namespace nccl_sweep::worker
