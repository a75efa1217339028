// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that calls MPI.
#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdio>
#include <list>
#include <thread>

#include <mpi.h>

#include "agent/control.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr int kFailureTag = 17;
constexpr double kPatience = 120;  // seconds for what follows a passed vote at once

int length_of(std::size_t bytes) {
  if (bytes > INT_MAX) throw environment_error("a control message is larger than 2 GiB");
  return static_cast<int>(bytes);
}

class MpiControl final : public ControlPlane {
 public:
  MpiControl() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
    listen();
  }
  MpiControl(const MpiControl&) = delete;
  MpiControl& operator=(const MpiControl&) = delete;
  ~MpiControl() override {
    MPI_Cancel(&incoming_);
    MPI_Wait(&incoming_, MPI_STATUS_IGNORE);
    for (Outgoing& message : outgoing_) MPI_Wait(&message.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&failures_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::string broadcast(std::string text) override {
    std::uint64_t length = text.size();
    MPI_Request request;
    MPI_Ibcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    wait(request);
    text.resize(length);
    MPI_Ibcast(text.data(), length_of(length), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait(request);
    return text;
  }

  std::vector<std::string> gather(const std::string& text) override {
    const auto agents = static_cast<std::size_t>(size_);
    const int mine = length_of(text.size());
    std::vector<int> lengths(agents);
    MPI_Request request;
    MPI_Iallgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait_or_abort(request, kPatience);
    std::vector<int> offsets(agents);
    std::size_t total = 0;
    for (std::size_t i = 0; i < agents; ++i) {
      offsets[i] = length_of(total);
      total += static_cast<std::size_t>(lengths[i]);
    }
    std::string all(total, '\0');
    MPI_Iallgatherv(text.data(), mine, MPI_BYTE, all.data(), lengths.data(), offsets.data(),
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_or_abort(request, kPatience);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < agents; ++i) {
      texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]),
                                 static_cast<std::size_t>(lengths[i])));
    }
    return texts;
  }

  void sum(std::vector<double>& values) override {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), length_of(values.size()), MPI_DOUBLE, MPI_SUM,
                   MPI_COMM_WORLD, &request);
    wait_or_abort(request, kPatience);
  }

  void max_with_rank(std::vector<double>& values, std::vector<int>& ranks) override {
    struct Pair {
      double value;
      int rank;
    };
    std::vector<Pair> pairs(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) pairs[i] = {values[i], ranks[i]};
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, pairs.data(), length_of(pairs.size()), MPI_DOUBLE_INT, MPI_MAXLOC,
                   MPI_COMM_WORLD, &request);
    wait_or_abort(request, kPatience);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = pairs[i].value;
      ranks[i] = pairs[i].rank;
    }
  }

  VoteResult vote(const Ballot& ballot, double patience_seconds) override {
    // One maximum serves all: equality is max(x) == -max(-x).
    std::array<int, 6> values{ballot.trial, -ballot.trial, ballot.status,
                              ballot.stop ? 1 : 0, ballot.shape, -ballot.shape};
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_MAX,
                   MPI_COMM_WORLD, &request);
    wait_or_abort(request, patience_seconds);
    if (values[0] != -values[1]) {
      std::fprintf(stderr, "nccl-sweep: agents vote on different trials (%d and %d)\n", values[0],
                   -values[1]);
      abort(static_cast<int>(ExitCode::environment));
    }
    return {values[2], values[3] != 0, values[4] == -values[5]};
  }

  void announce_failure(int trial) override {
    if (trial <= announced_) return;
    if (rank_ == 0) {
      announced_ = trial;
      fan_out(trial);
    } else {
      send(0, trial);
    }
  }

  bool failure_announced(int trial) override {
    int arrived = 1;
    while (arrived != 0) {
      MPI_Test(&incoming_, &arrived, MPI_STATUS_IGNORE);
      if (arrived == 0) break;
      if (received_ > announced_) {
        announced_ = received_;
        fan_out(announced_);
      }
      listen();
    }
    std::erase_if(outgoing_, [](Outgoing& message) {
      int done = 0;
      MPI_Test(&message.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    return announced_ == trial;
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  struct Outgoing {
    int trial;
    MPI_Request request;
  };

  void listen() {
    MPI_Irecv(&received_, 1, MPI_INT, MPI_ANY_SOURCE, kFailureTag, failures_, &incoming_);
  }

  void send(int to, int trial) {
    outgoing_.push_back({trial, MPI_REQUEST_NULL});
    Outgoing& message = outgoing_.back();
    MPI_Isend(&message.trial, 1, MPI_INT, to, kFailureTag, failures_, &message.request);
  }

  // Binomial tree rooted at 0: the children of r are r + 2^k for every 2^k above r's highest bit.
  void fan_out(int trial) {
    int step = 1;
    while (step <= rank_) step *= 2;
    for (; rank_ + step < size_; step *= 2) send(rank_ + step, trial);
  }

  void wait_or_abort(MPI_Request& request, double patience_seconds) {
    if (wait(request, patience_seconds)) return;
    std::fprintf(stderr,
                 "nccl-sweep: agent %d waited %.0f s for the other agents: one is lost; the run "
                 "stops, --resume goes on from its records\n",
                 rank_, patience_seconds);
    abort(static_cast<int>(ExitCode::environment));
  }

  bool wait(MPI_Request& request, double patience_seconds = -1) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (int tries = 0;; ++tries) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      failure_announced(-1);  // keeps forwarding while this agent waits
      // Answers within the tree arrive in microseconds: look a few times before sleeping.
      constexpr int kQuickTries = 20;
      if (tries < kQuickTries) {
        std::this_thread::yield();
        continue;
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(kPollSeconds));
      const std::chrono::duration<double> waited = Clock::now() - start;
      if (patience_seconds >= 0 && waited.count() > patience_seconds) return false;
    }
  }

  int rank_ = 0;
  int size_ = 1;
  int announced_ = -1;  // the newest trial known to have failed
  int received_ = -1;
  MPI_Comm failures_ = MPI_COMM_NULL;
  MPI_Request incoming_ = MPI_REQUEST_NULL;
  std::list<Outgoing> outgoing_;  // addresses must not move while MPI reads them
};

}  // namespace

std::unique_ptr<ControlPlane> make_mpi_control() { return std::make_unique<MpiControl>(); }
bool built_with_mpi() { return true; }

}  // namespace nccl_sweep::agent
