// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/worker_link.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

// A trial's honest output is start-up lines and a few hundred progress frames.
constexpr std::int64_t kLargestLog = std::int64_t{64} << 20;
constexpr std::size_t kMostFrames = 200'000;
constexpr int kFramesAtOnce = 1000;  // so that a flooding worker cannot keep its agent busy
constexpr double kSendPatience = 5;  // seconds

// Of a trial with a load: its times instead of blocks.
bool plausible_load(const wire::CaseBlocks& blocks) {
  const auto is_time = [](double s) { return std::isfinite(s) && s > 0; };
  return is_time(blocks.load_alone_seconds) && is_time(blocks.load_beside_seconds);
}

bool plausible(const wire::CaseBlocks& blocks) {
  return !blocks.seconds_per_op.empty() && blocks.ops_per_block > 0 &&
         std::all_of(blocks.seconds_per_op.begin(), blocks.seconds_per_op.end(),
                     [](double s) { return std::isfinite(s) && s > 0; });
}

// n as asked for, which a graph case rounds up to whole graphs.
int whole_graphs(const wire::CaseRequest& asked) {
  const int whole = asked.what.graph ? ops_per_graph(asked.what) : 1;
  return (asked.ops_per_block + whole - 1) / whole * whole;
}

}  // namespace

WorkerLink::WorkerLink(wire::Request request, const ChildCommand& command,
                       std::function<void(wire::Ready&)> admit)
    : request_(std::move(request)), admit_(std::move(admit)), child_(command) {}

void WorkerLink::fail(Outcome outcome, std::string message, bool victim) {
  if (!fault_) fault_ = Fault{outcome, std::move(message), victim};
}

void WorkerLink::tell(const wire::Message& message) {
  if (fault_) return;
  leaving_ = leaving_ || std::holds_alternative<wire::Bye>(message) ||
             std::holds_alternative<wire::Abort>(message);
  try {
    child_.channel().send(message, kSendPatience);
  } catch (const wire::ClosedError&) {
    closed_ = true;  // check_exit() says why
  } catch (const std::exception& error) {
    fail(Outcome::hung, fmt::format("does not read its socket: {}", error.what()));
  }
}

void WorkerLink::service() {
  if (fault_ || progression_ == Progression::gone) return;
  try {
    for (int i = 0; i < kFramesAtOnce && !fault_ && !closed_; ++i) {
      std::optional<wire::Message> message = child_.channel().poll();
      if (!message) break;
      handle(std::move(*message));
    }
  } catch (const wire::ClosedError&) {
    closed_ = true;
  } catch (const wire::GarbageError& error) {
    fail(Outcome::garbage, fmt::format("sent something that is not the protocol: {}", error.what()));
  } catch (const std::exception& error) {
    fail(Outcome::error, error.what());
  }
  if (child_.channel().frames_received() > kMostFrames) {
    fail(Outcome::flooded, fmt::format("sent more than {} frames", kMostFrames));
  }
  if (child_.log_bytes() > kLargestLog) {
    fail(Outcome::flooded, fmt::format("wrote more than {} of output",
                                       format_size(Bytes{kLargestLog})));
  }
  check_exit();
}

void WorkerLink::check_exit() {
  const std::optional<ChildExit> exit = child_.exited();
  if (!exit) return;
  if (!closed_ && !fault_) {  // its last words may still be in the socket
    try {
      while (std::optional<wire::Message> message = child_.channel().poll()) {
        handle(std::move(*message));
      }
    } catch (const std::exception&) {
      closed_ = true;
    }
  }
  const bool clean = !exit->signalled && exit->code == 0;
  if (leaving_ && clean) {
    progression_ = Progression::gone;
    return;
  }
  fail(Outcome::crashed, describe(*exit));
}

void WorkerLink::handle(wire::Message&& message) {
  const auto expect = [&](Progression wanted) {
    if (progression_ == wanted) return true;
    fail(Outcome::garbage, fmt::format("sent '{}' out of order", wire::name_of(message)));
    return false;
  };
  if (std::holds_alternative<wire::Hello>(message)) {
    if (!expect(Progression::started)) return;
    progression_ = Progression::greeted;
    tell(request_);
  } else if (auto* ready = std::get_if<wire::Ready>(&message)) {
    if (!expect(Progression::greeted)) return;
    if (!leads_its_groups(*ready)) {
      fail(Outcome::garbage, "sent the rendezvous of a group that it does not lead");
      return;
    }
    admit_(*ready);
    ready_ = std::move(*ready);
    progression_ = Progression::ready;
  } else if (auto* connected = std::get_if<wire::Connected>(&message)) {
    if (!expect(Progression::ready)) return;
    connected_ = std::move(*connected);
    progression_ = Progression::connected;
  } else if (auto* progress = std::get_if<wire::Progress>(&message)) {
    progress_ = std::move(*progress);
  } else if (auto* result = std::get_if<wire::Result>(&message)) {
    if (expect(Progression::connected)) take_result(std::move(*result));
  } else if (auto* failed = std::get_if<wire::Failed>(&message)) {
    const bool victim = failed->kind == "peer_lost";
    progress_.case_index = std::max(progress_.case_index, failed->case_index);
    if (!failed->step.empty()) progress_.step = failed->step;
    fail(failed->kind == "unsupported" ? Outcome::unsupported : Outcome::error, failed->message,
         victim);
  } else {
    fail(Outcome::garbage, fmt::format("sent '{}', which only agents send", wire::name_of(message)));
  }
}

bool WorkerLink::leads_its_groups(const wire::Ready& ready) const {
  return std::all_of(ready.rendezvous.begin(), ready.rendezvous.end(), [&](const auto& r) {
    const auto partition = static_cast<std::size_t>(r.partition);
    const auto group = static_cast<std::size_t>(r.group);
    return partition < request_.partitions.size() &&
           group < request_.partitions[partition].size() &&
           request_.partitions[partition][group].front() == request_.rank;
  });
}

void WorkerLink::take_result(wire::Result&& result) {
  if (result.cases.size() != request_.cases.size()) {
    fail(Outcome::garbage, fmt::format("returned {} cases of {}", result.cases.size(),
                                       request_.cases.size()));
    return;
  }
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    const wire::CaseBlocks& blocks = result.cases[i];
    const int wanted = request_.cases[i].blocks;
    const int ops = whole_graphs(request_.cases[i]);
    const bool fine = request_.load.empty()
                          ? plausible(blocks) &&
                                (wanted == 0 ||
                                 static_cast<int>(blocks.seconds_per_op.size()) == wanted) &&
                                (ops == 0 || blocks.ops_per_block == ops)
                          : request_.cases[i].what.graph || plausible_load(blocks);
    if (blocks.case_index != static_cast<int>(i) || !fine) {
      fail(Outcome::garbage, fmt::format("returned implausible blocks for case {}", i));
      return;
    }
    if (blocks.wrong_elements > 0) {
      progress_.case_index = static_cast<int>(i);
      progress_.step = "verify";
      fail(Outcome::wrong_data, fmt::format("{} wrong elements, the first: {}",
                                            blocks.wrong_elements, blocks.first_wrong));
      return;
    }
  }
  result_ = std::move(result);
  progression_ = Progression::finished;
}

}  // namespace nccl_sweep::agent
