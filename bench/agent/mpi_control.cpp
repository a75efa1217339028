// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Only this file and mpi_post.cpp call MPI. Point to point only: so every message is counted, and nothing
// depends on how an MPI library arranges its collectives.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

#include "agent/agent_tree.hpp"
#include "agent/control.hpp"
#include "agent/mpi_post.hpp"
#include "agent/packing.hpp"
#include "agent/roll_call.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr int kFailureTag = 17;
constexpr int kUpTag = 18;
constexpr int kDownTag = 19;
constexpr int kParcelTag = 20;

// News that are no failed trial's number: to the parent, and that agent n is silent (kSilent - n), to
// rank 0.
constexpr int kHere = -2;
constexpr int kSilent = -10;

// The first letter of what goes up: a report, or that an agent is lost.
constexpr char kReport = 'R';
constexpr char kLost = 'L';

constexpr double kLevelSeconds = 5;  // of more patience, a level higher in the tree

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
    post_.wait_for_all();
    MPI_Comm_free(&failures_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Traffic traffic() const override { return post_.traffic(); }

  std::string broadcast(std::string text) override {
    if (rank_ != 0) text = receive(tree_.parent, kDownTag, kForever);
    for (const int child : tree_.children) post_.send(child, kDownTag, text, MPI_COMM_WORLD);
    return text;
  }

  std::string exchange(const Combine& combine, Patience patience) override {
    std::vector<std::string> children;
    try {
      for (const int child : tree_.children) children.push_back(report_of(child, patience));
    } catch (const NodeLost& lost) {
      report_lost(lost);
    }
    std::string text = combine(children);
    if (rank_ != 0) {
      post_.send(tree_.parent, kUpTag, kReport + text, MPI_COMM_WORLD);
      text = receive(tree_.parent, kDownTag, above(patience));
    }
    for (const int child : tree_.children) post_.send(child, kDownTag, text, MPI_COMM_WORLD);
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
    for (; missing > 0; --missing) take_parcel(parcels, patience_seconds);
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
      post_.count(sizeof(received_));
      take_news(received_, status.MPI_SOURCE);
      listen();
    }
    if (pending_ && !held()) pass_on(*std::exchange(pending_, std::nullopt));
    if (signals_ != nullptr && signals_->ended && !roll_.begun()) answer_roll();
    if (const auto silent = roll_.silent(steady_seconds())) close_roll(*silent);
    post_.forget_sent();
    return announced_ == trial;
  }

  [[noreturn]] void report_lost(const NodeLost& lost) override {
    if (rank_ == 0) throw lost;
    Packer packed;
    packed.put(kLost);
    packed.put(lost.agent());
    packed.text(lost.message());
    post_.send(tree_.parent, kUpTag, packed.take(), MPI_COMM_WORLD);
    receive(tree_.parent, kDownTag, above({kEndPatience}));
    throw NodeLost(lost.agent(), lost.message());  // not reached: rank 0 answers by ending the run
  }

  void heed(const LauncherSignals& signals,
            std::function<void(const std::vector<int>& silent)> ends) override {
    signals_ = &signals;
    ends_ = std::move(ends);
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  static constexpr Patience kForever{-1};
  static constexpr double kEndPatience = 60;  // seconds in which rank 0 hears of it and ends the run

  struct FailedTrial {
    int trial;
    int from;  // the neighbour that said it, -1: found here
  };

  void listen() {
    MPI_Irecv(&received_, sizeof(received_), MPI_BYTE, MPI_ANY_SOURCE, kFailureTag, failures_,
              &incoming_);
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
      post_.send(parcel.agents[static_cast<std::size_t>(child)], kParcelTag, text, MPI_COMM_WORLD);
    }
  }

  void tell(int agent, int news) {
    Packer packed;
    packed.put(news);
    post_.send(agent, kFailureTag, packed.take(), failures_);
  }

  void take_news(int news, int from) {
    if (signals_ != nullptr && signals_->may_end_run()) roll_.answered(from);
    if (news <= kSilent) {
      roll_.reported(kSilent - news);
    } else if (news > announced_) {
      spread_failure(news, from);
    }
  }

  void answer_roll() {
    // Agents look for messages each 50 ms while workers measure, and SIGKILL comes after a second.
    constexpr double kAnswerSeconds = 0.4;
    constexpr double kReportSeconds = 0.2;
    roll_.begin(steady_seconds(), kAnswerSeconds + (rank_ == 0 ? kReportSeconds : 0), tree_.children);
    if (tree_.parent >= 0) tell(tree_.parent, kHere);
  }

  void close_roll(const std::vector<int>& silent) {
    if (rank_ == 0 && ends_) ends_(silent);
    for (const int agent : silent) {
      if (rank_ != 0) tell(0, kSilent - agent);
    }
  }

  // A launcher has begun to end the run, as far as can be told.
  bool held() const { return signals_ != nullptr && signals_->may_end_run(); }

  void spread_failure(int trial, int from) {
    announced_ = trial;
    announced_at_ = steady_seconds();
    pending_ = {trial, from};
    if (!held()) pass_on(*std::exchange(pending_, std::nullopt));
  }

  // To the neighbours in the tree but for the one that said it: each edge carries it at most twice.
  void pass_on(const FailedTrial& failed) {
    if (tree_.parent >= 0 && tree_.parent != failed.from) tell(tree_.parent, failed.trial);
    for (const int child : tree_.children) {
      if (child != failed.from) tell(child, failed.trial);
    }
  }

  // A silent neighbour is found by those next to it first, and rank 0 hears of it before those
  // below give rank 0 itself up.
  Patience below(int child, Patience patience) const {
    return longer(patience, height_in_tree(child, size_));
  }
  Patience above(const Patience& patience) const {
    return longer({patience.seconds}, height_in_tree(0, size_) + 2);
  }
  static Patience longer(Patience patience, int levels) {
    patience.seconds += kLevelSeconds * levels;
    if (patience.after_failure >= 0) patience.after_failure += kLevelSeconds * levels;
    return patience;
  }

  bool ended(const Patience& patience, double start) const {
    if (patience.seconds < 0) return false;
    if (steady_seconds() > start + patience.seconds) return true;
    if (patience.after_failure < 0 || !(patience.failed || announced_at_ > start)) return false;
    return steady_seconds() > std::max(start, announced_at_) + patience.after_failure;
  }

  // Calls `arrived` until it is true; meanwhile passes on news. Throws NodeLost.
  template <class Arrived>
  void wait(int agent, const Patience& patience, Arrived arrived) {
    const double start = steady_seconds();
    for (int tries = 0; !arrived(); ++tries) {
      failure_announced(-1);
      // Answers within the tree arrive in microseconds: look a few times before sleeping.
      constexpr int kQuickTries = 20;
      if (tries < kQuickTries) {
        std::this_thread::yield();
        continue;
      }
      const double waited = steady_seconds() - start;
      if (ended(patience, start)) {
        throw NodeLost(agent, fmt::format("its agent has been silent for {:.0f} s", waited));
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(poll_seconds(waited)));
    }
  }

  std::string report_of(int child, const Patience& patience) {
    const std::string text = receive(child, kUpTag, below(child, patience));
    if (text.front() == kReport) return text.substr(1);
    Unpacker packed(std::string_view(text).substr(1));
    const int agent = packed.get<int>();
    throw NodeLost(agent, std::string(packed.text()));
  }

  // The agent that is to hand on the first parcel that has not come.
  int sender_of(const std::vector<Parcel>& parcels) const {
    const auto missing = std::find_if(parcels.begin(), parcels.end(), [&](const Parcel& p) {
      return p.agents.front() != rank_ && p.text.empty();
    });
    const auto me = std::find(missing->agents.begin(), missing->agents.end(), rank_);
    const TreePlace place = place_in_tree(static_cast<int>(me - missing->agents.begin()),
                                          static_cast<int>(missing->agents.size()));
    return missing->agents[static_cast<std::size_t>(place.parent)];
  }

  // Who hands on waits less than who is handed to.
  Patience deeper(double seconds, const std::vector<Parcel>& parcels) const {
    int deepest = 0;
    for (const Parcel& parcel : parcels) {
      const auto me = std::find(parcel.agents.begin(), parcel.agents.end(), rank_);
      int depth = 0;
      for (int at = static_cast<int>(me - parcel.agents.begin()); at > 0; ++depth) {
        at = place_in_tree(at, static_cast<int>(parcel.agents.size())).parent;
      }
      deepest = std::max(deepest, depth);
    }
    return {seconds + kLevelSeconds * deepest};
  }

  void take_parcel(std::vector<Parcel>& parcels, double patience_seconds) {
    const std::string packed =
        receive(MPI_ANY_SOURCE, kParcelTag, deeper(patience_seconds, parcels), sender_of(parcels));
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

  // `expected` is whose silence it would be, where any may send.
  std::string receive(int source, int tag, const Patience& patience, int expected = -1) {
    const int agent = source == MPI_ANY_SOURCE ? expected : source;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    wait(agent, patience, [&] {
      int found = 0;
      MPI_Improbe(source, tag, MPI_COMM_WORLD, &found, &message, &status);
      return found != 0;
    });
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Request request;
    MPI_Imrecv(text.data(), length, MPI_BYTE, &message, &request);
    wait(agent, patience, [&] {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    post_.count(text.size());
    return text;
  }

  int rank_ = 0;
  int size_ = 1;
  TreePlace tree_;
  MpiPost post_;
  int announced_ = -1;  // the newest trial known to have failed
  double announced_at_ = 0;
  int received_ = -1;
  RollCall roll_;
  std::optional<FailedTrial> pending_;  // not yet passed on
  const LauncherSignals* signals_ = nullptr;
  std::function<void(const std::vector<int>& silent)> ends_;
  MPI_Comm failures_ = MPI_COMM_NULL;
  MPI_Request incoming_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<ControlPlane> make_mpi_control() { return std::make_unique<MpiControl>(); }
bool built_with_mpi() { return true; }

}  // namespace nccl_sweep::agent
