// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts real nccl-sweep-worker processes on socketpairs and plays the agent's side of a trial.
// Every wait has a limit and throws, so a broken worker fails a test instead of hanging it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wire/channel.hpp"

namespace nccl_sweep::testing {

inline wire::CaseRequest make_case(Collective collective, DataType type, ReduceOp op,
                                   std::int64_t bytes, int ranks,
                                   Placement placement = Placement::out_of_place) {
  Case what;
  what.collective = collective;
  what.dtype = type;
  what.op = op;
  what.placement = placement;
  const CaseSize size = nccl_tests_size(collective, type, Bytes{bytes}, ranks);
  what.size = size.size;
  what.count = size.count_column;
  what.requested = Bytes{bytes};
  what.group_size = ranks;
  return {what, 0, 3, 2, 2};
}

inline wire::Request make_request(const std::string& backend) {
  wire::Request request;
  request.backend = backend;
  request.seed = 42;
  request.arena = Bytes{1 << 20};
  return request;
}

class WorkerGroup {
 public:
  explicit WorkerGroup(int count, const std::map<std::string, std::string>& environment = {}) {
    for (int i = 0; i < count; ++i) workers_.push_back(spawn(environment));
  }
  ~WorkerGroup() {
    for (Worker& worker : workers_) {
      if (worker.pid <= 0) continue;
      ::kill(worker.pid, SIGKILL);
      ::waitpid(worker.pid, nullptr, 0);
    }
  }
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  int size() const { return static_cast<int>(workers_.size()); }
  pid_t pid(int worker) const { return workers_.at(index(worker)).pid; }
  wire::Channel& channel(int worker) { return workers_.at(index(worker)).channel; }

  // The next message of `worker` that is no Progress (the last one is kept for progress()). Reads
  // from all workers meanwhile: one whose socket buffer is full would hold up its peers.
  wire::Message next(int worker, double seconds = 30) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    auto& messages = workers_.at(index(worker)).messages;
    while (messages.empty() && std::chrono::steady_clock::now() < end) {
      for (int other = 0; other < size(); ++other) {
        if (other != worker) read_waiting(other);
      }
      read_waiting(worker);
      if (!messages.empty()) break;
      if (auto broken = workers_[index(worker)].broken) std::rethrow_exception(broken);
      pollfd item{channel(worker).descriptor(), POLLIN, 0};
      ::poll(&item, 1, 2);
    }
    if (messages.empty()) {
      const wire::Progress& last = progress(worker);
      throw std::runtime_error("worker " + std::to_string(worker) + " said nothing in time, last: case " +
                               std::to_string(last.case_index) + ", " + last.step);
    }
    wire::Message message = std::move(messages.front());
    messages.pop_front();
    return message;
  }
  const wire::Progress& progress(int worker) const { return workers_[index(worker)].progress; }

  template <class T>
  T expect(int worker, double seconds = 30) {
    wire::Message message = next(worker, seconds);
    if (T* wanted = std::get_if<T>(&message)) return std::move(*wanted);
    std::string text(wire::name_of(message));
    if (auto* failed = std::get_if<wire::Failed>(&message)) {
      text += " (" + failed->kind + "): " + failed->message;
    }
    throw std::runtime_error("worker " + std::to_string(worker) + " sent " + text);
  }

  void send_request(wire::Request request) {
    request.world = size();
    request.local_size = size();
    if (request.partitions.empty()) request.partitions.push_back(world());
    for (int i = 0; i < size(); ++i) {
      expect<wire::Hello>(i);
      request.rank = request.local_rank = i;
      channel(i).send(request);
    }
  }
  // Ready of all, then Connect to all.
  void exchange_rendezvous() {
    wire::Connect connect;
    for (int i = 0; i < size(); ++i) {
      for (auto& item : expect<wire::Ready>(i).rendezvous) connect.rendezvous.push_back(item);
    }
    for (int i = 0; i < size(); ++i) channel(i).send(connect);
  }
  void connect(const wire::Request& request) {
    send_request(request);
    exchange_rendezvous();
    for (int i = 0; i < size(); ++i) expect<wire::Connected>(i);
  }
  void start_measuring() {
    for (int i = 0; i < size(); ++i) channel(i).send(wire::Measure{});
  }
  std::vector<wire::Result> measure(double seconds = 60) {
    start_measuring();
    std::vector<wire::Result> results;
    for (int i = 0; i < size(); ++i) results.push_back(expect<wire::Result>(i, seconds));
    return results;
  }
  // Whole trial; the workers must all exit with 0.
  std::vector<wire::Result> run(const wire::Request& request, double seconds = 60) {
    connect(request);
    auto results = measure(seconds);
    for (int i = 0; i < size(); ++i) channel(i).send(wire::Bye{});
    for (int i = 0; i < size(); ++i) {
      const int status = wait_exit(i);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw std::runtime_error("worker " + std::to_string(i) + " did not exit with 0");
      }
    }
    return results;
  }

  // waitpid()'s status.
  int wait_exit(int worker, double seconds = 10) {
    Worker& child = workers_.at(index(worker));
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (::waitpid(child.pid, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("worker " + std::to_string(worker) + " did not end in time");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    child.pid = -1;
    return status;
  }

 private:
  struct Worker {
    pid_t pid = -1;
    wire::Channel channel{-1};
    wire::Progress progress;
    std::deque<wire::Message> messages;
    std::exception_ptr broken;
  };

  // A closed or garbled channel is thrown only when nothing that came before is left to read.
  void read_waiting(int worker) {
    Worker& from = workers_.at(index(worker));
    try {
      while (auto message = from.channel.poll()) {
        if (auto* progress = std::get_if<wire::Progress>(&*message)) {
          from.progress = *progress;
        } else {
          from.messages.push_back(std::move(*message));
        }
      }
    } catch (const std::exception&) {
      from.broken = std::current_exception();
    }
  }

  static std::size_t index(int worker) { return static_cast<std::size_t>(worker); }

  Partition world() const {
    std::vector<int> ranks;
    for (int i = 0; i < size(); ++i) ranks.push_back(i);
    return {ranks};
  }

  static Worker spawn(const std::map<std::string, std::string>& environment) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::runtime_error("no socketpair");
    }
    const std::string parent = std::to_string(::getpid());
    const std::string program = std::string(BINARY_FOLDER) + "/nccl-sweep-worker";
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      // dup2 onto itself would leave close-on-exec set.
      if (ends[1] == wire::kWorkerSocket) {
        ::fcntl(ends[1], F_SETFD, 0);
      } else {
        ::dup2(ends[1], wire::kWorkerSocket);
      }
      ::execl(program.c_str(), program.c_str(), "--parent", parent.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    return {pid, wire::Channel(ends[0]), {}, {}, {}};
  }

  std::vector<Worker> workers_;
};

}  // namespace nccl_sweep::testing
