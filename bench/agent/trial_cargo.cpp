// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What rides up and down with the reports of a trial's phases.
#include <algorithm>
#include <map>
#include <memory>

#include "agent/packing.hpp"
#include "agent/reduction.hpp"
#include "agent/slowest_ranks.hpp"
#include "agent/trial_runner.hpp"

namespace nccl_sweep::agent {
namespace {

// Names of what is largest over all agents; a part of the start-up has kPart before its own name.
constexpr const char* kStartUp = "start-up";
constexpr const char* kPeakRss = "rss";
constexpr const char* kDevice = "device bytes";
constexpr char kPart = '/';

}  // namespace

// The phase fails where ranks differ in what must be the same on all of them: of the baseline that
// ends the run, of a candidate (its library on one node is another one) only the trial. Where nodes
// are known to differ and that is allowed, all records say so and nothing is refused.
Cargo TrialRunner::hello_cargo(const Launch& launch, IdentityComparison& identities) {
  const auto agent = static_cast<std::size_t>(control_.rank());
  rendezvous_->begin_trial();
  for (const auto& worker : workers_) {
    rendezvous_->add(worker->rank(), worker->ready().rendezvous);
    identities.add(
        {worker->rank(), setup_.layout.host_of_agent[agent], worker->ready().identity});
  }
  Cargo cargo;
  cargo.take = [&identities](const std::string& child) { identities.take(child); };
  cargo.up = [&identities] { return identities.text(); };
  cargo.answer = [this, &launch, &identities](PhaseReport& all) {
    const std::string difference = identities.difference();
    if (difference.empty() || setup_.nodes_differ) return rendezvous_->answer();
    if (launch.order.candidate == 0) fatal_error_ = difference;
    all.status = 1;
    Suspect& worst = all.findings.worst;
    worst = {};
    worst.kind = 0;
    worst.outcome = Outcome::error;
    worst.failure.phase = Phase::hello;
    worst.failure.host = setup_.layout.host_of_agent.front();
    worst.failure.message = difference;
    return std::string();
  };
  return cargo;
}

// The blocks of all workers and the largest of what their start cost.
Cargo TrialRunner::measure_cargo(TrialOutcome& outcome) {
  struct Yield {
    BlockReduction blocks;
    std::map<std::string, double> largest;
  };
  auto yield = std::make_shared<Yield>(
      Yield{BlockReduction(setup_, outcome.order.candidate, workers_.front()->result()), {}});
  const auto raise = [yield](const std::string& name, double value) {
    double& largest = yield->largest[name];
    largest = std::max(largest, value);
  };
  raise(kStartUp, outcome.start_up_seconds);
  raise(kPart + std::string("spawn"), spawn_seconds_);
  for (const auto& worker : workers_) {
    yield->blocks.add(worker->rank(), worker->result());
    raise(kPeakRss, static_cast<double>(worker->result().peak_rss_bytes));
    raise(kDevice, static_cast<double>(worker->result().device_bytes));
    for (const auto& [part, seconds] : worker->connected().seconds) raise(kPart + part, seconds);
  }
  Cargo cargo;
  cargo.take = [yield, raise](const std::string& child) {
    Unpacker packed(child);
    yield->blocks.take(std::string(packed.text()));
    while (!packed.at_end()) {
      const std::string name(packed.text());
      raise(name, packed.get<double>());
    }
  };
  cargo.up = [yield] {
    Packer packed;
    packed.text(yield->blocks.text());
    for (const auto& [name, value] : yield->largest) {
      packed.text(name);
      packed.put(value);
    }
    return packed.take();
  };
  cargo.answer = [this, yield, &outcome](PhaseReport&) {
    outcome.cases = yield->blocks.timings();
    outcome.slowest = slowest_ranks(outcome.cases, setup_.layout);
    const RankSpread spread = yield->blocks.seconds_of_ranks();
    outcome.rank_seconds = {spread.smallest(), spread.median(), spread.largest()};
    for (const auto& [name, value] : yield->largest) {
      if (name == kStartUp) outcome.start_up_seconds = value;
      if (name == kPeakRss) outcome.peak_rss_bytes = static_cast<std::int64_t>(value);
      if (name == kDevice) outcome.device_bytes = static_cast<std::int64_t>(value);
      if (name.front() == kPart) outcome.start_up_parts[name.substr(1)] = value;
    }
    outcome.connect_seconds = outcome.start_up_parts["connect"];
    return std::string();
  };
  return cargo;
}

Cargo TrialRunner::drain_cargo(const Launch& launch, TrialOutcome& outcome) {
  if (setup_.backend != "nccl") return {};
  facts_.begin(launch.order);
  facts_.add(workers_);
  Cargo cargo;
  cargo.take = [this](const std::string& child) { facts_.take(child); };
  cargo.up = [this] { return facts_.text(); };
  cargo.answer = [this, &outcome](PhaseReport&) {
    outcome.facts = facts_.merged();
    return std::string();
  };
  return cargo;
}

}  // namespace nccl_sweep::agent
