// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that calls MPI. Point to point only: so every message is counted, and nothing
// depends on how an MPI library arranges its collectives.
#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <list>
#include <string>
#include <thread>

#include <mpi.h>

#include "agent/agent_tree.hpp"
#include "agent/control.hpp"
#include "agent/packing.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr int kFailureTag = 17;
constexpr int kUpTag = 18;
constexpr int kDownTag = 19;
constexpr int kParcelTag = 20;

int length_of(std::size_t bytes) {
  if (bytes > INT_MAX) throw environment_error("a control message is larger than 2 GiB");
  return static_cast<int>(bytes);
}

// The same on all agents of a parcel, whose lists are equal.
std::uint64_t number_of(const Parcel& parcel) {
  Packer packed;
  for (const int agent : parcel.agents) packed.put(agent);
  return fnv1a(packed.take());
}

class MpiControl final : public ControlPlane {
 public:
  MpiControl() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
    tree_ = place_in_tree(rank_, size_);
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
  Traffic traffic() const override { return traffic_; }

  std::string broadcast(std::string text) override {
    if (rank_ != 0) text = receive(tree_.parent, kDownTag, kForever);
    for (const int child : tree_.children) send(child, kDownTag, text, MPI_COMM_WORLD);
    return text;
  }

  std::string exchange(const Combine& combine, double patience_seconds) override {
    std::vector<std::string> children;
    for (const int child : tree_.children) {
      children.push_back(receive(child, kUpTag, patience_seconds));
    }
    std::string text = combine(children);
    if (rank_ != 0) {
      send(tree_.parent, kUpTag, std::move(text), MPI_COMM_WORLD);
      text = receive(tree_.parent, kDownTag, patience_seconds);
    }
    for (const int child : tree_.children) send(child, kDownTag, text, MPI_COMM_WORLD);
    return text;
  }

  void deliver(std::vector<Parcel>& parcels, double patience_seconds) override {
    std::size_t missing = 0;
    for (const Parcel& parcel : parcels) {
      if (parcel.agents.front() == rank_) {
        pass_on(parcel);
      } else {
        ++missing;
      }
    }
    for (; missing > 0; --missing) {
      const std::string packed = receive(MPI_ANY_SOURCE, kParcelTag, patience_seconds);
      Unpacker unpacker(packed);
      const auto number = unpacker.get<std::uint64_t>();
      const auto parcel = std::find_if(parcels.begin(), parcels.end(), [&](const Parcel& p) {
        return number_of(p) == number;
      });
      if (parcel == parcels.end()) {
        throw environment_error("a message came for a group that this agent is not in");
      }
      parcel->text = unpacker.text();
      pass_on(*parcel);
    }
  }

  void announce_failure(int trial) override {
    if (trial > announced_) spread_failure(trial, -1);
  }

  bool failure_announced(int trial) override {
    int arrived = 1;
    while (arrived != 0) {
      MPI_Status status;
      MPI_Test(&incoming_, &arrived, &status);
      if (arrived == 0) break;
      count(sizeof(received_));
      if (received_ > announced_) spread_failure(received_, status.MPI_SOURCE);
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
  static constexpr double kForever = -1;

  struct Outgoing {
    std::string text;
    MPI_Request request;
  };

  void listen() {
    MPI_Irecv(&received_, sizeof(received_), MPI_BYTE, MPI_ANY_SOURCE, kFailureTag, failures_,
              &incoming_);
  }

  void count(std::size_t bytes) {
    ++traffic_.messages;
    traffic_.bytes += static_cast<std::int64_t>(bytes);
  }

  void send(int to, int tag, std::string text, MPI_Comm comm) {
    count(text.size());
    outgoing_.push_back({std::move(text), MPI_REQUEST_NULL});
    Outgoing& message = outgoing_.back();
    MPI_Isend(message.text.data(), length_of(message.text.size()), MPI_BYTE, to, tag, comm,
              &message.request);
  }

  void pass_on(const Parcel& parcel) {
    const auto me = std::find(parcel.agents.begin(), parcel.agents.end(), rank_);
    const TreePlace place = place_in_tree(static_cast<int>(me - parcel.agents.begin()),
                                          static_cast<int>(parcel.agents.size()));
    Packer packed;
    packed.put(number_of(parcel));
    packed.text(parcel.text);
    const std::string text = packed.take();
    for (const int child : place.children) {
      send(parcel.agents[static_cast<std::size_t>(child)], kParcelTag, text, MPI_COMM_WORLD);
    }
  }

  // To the neighbours in the tree but for the one that said it: each edge carries it at most twice.
  void spread_failure(int trial, int from) {
    announced_ = trial;
    Packer packed;
    packed.put(trial);
    const std::string text = packed.take();
    if (tree_.parent >= 0 && tree_.parent != from) send(tree_.parent, kFailureTag, text, failures_);
    for (const int child : tree_.children) {
      if (child != from) send(child, kFailureTag, text, failures_);
    }
  }

  // Calls `arrived` until it is true; meanwhile passes on failures. Ends the run where it takes
  // longer than `patience_seconds` (kForever: never).
  template <class Arrived>
  void wait(int source, double patience_seconds, Arrived arrived) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (int tries = 0; !arrived(); ++tries) {
      failure_announced(-1);
      // Answers within the tree arrive in microseconds: look a few times before sleeping.
      constexpr int kQuickTries = 20;
      if (tries < kQuickTries) {
        std::this_thread::yield();
        continue;
      }
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (patience_seconds >= 0 && waited > patience_seconds) lost(source, waited);
      std::this_thread::sleep_for(std::chrono::duration<double>(poll_seconds(waited)));
    }
  }

  [[noreturn]] void lost(int source, double waited) {
    const std::string whom = source == MPI_ANY_SOURCE ? "the others of its group"
                                                      : "agent " + std::to_string(source);
    std::fprintf(stderr,
                 "nccl-sweep: agent %d waited %.0f s for %s: an agent is lost; the run stops, "
                 "--resume goes on from its records\n",
                 rank_, waited, whom.c_str());
    abort(static_cast<int>(ExitCode::environment));
  }

  std::string receive(int source, int tag, double patience_seconds) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    wait(source, patience_seconds, [&] {
      int found = 0;
      MPI_Improbe(source, tag, MPI_COMM_WORLD, &found, &message, &status);
      return found != 0;
    });
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Request request;
    MPI_Imrecv(text.data(), length, MPI_BYTE, &message, &request);
    wait(source, patience_seconds, [&] {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    count(text.size());
    return text;
  }

  int rank_ = 0;
  int size_ = 1;
  TreePlace tree_;
  Traffic traffic_;
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
