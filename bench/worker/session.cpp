// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/session.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "worker/backend.hpp"
#include "worker/measure.hpp"

namespace nccl_sweep::worker {
namespace {

constexpr auto kAbortPatience = std::chrono::seconds(5);
constexpr double kSendTimeout = 60;  // an agent that does not read for so long is lost

// What the reader thread and the main thread share.
class Inbox {
 public:
  explicit Inbox(wire::Channel& channel) : channel_(channel) {}

  // Of the reader thread; does not return.
  void read_forever() {
    for (;;) {
      try {
        wire::Message message = channel_.receive();
        const bool abort = std::holds_alternative<wire::Abort>(message);
        {
          const std::lock_guard lock(mutex_);
          messages_.push_back(std::move(message));
          arrived_.notify_one();  // a main thread that waits for the agent ends of an Abort, too
        }
        if (abort) abort_and_exit();
      } catch (const wire::GarbageError& error) {
        // Nobody is left to tell but the log, of which the agent keeps the tail.
        std::fprintf(stderr, "nccl-sweep-worker: the agent sent nonsense: %s\n", error.what());
        ::_exit(1);
      } catch (const std::exception&) {
        ::_exit(1);  // the agent is gone
      }
    }
  }

  // Of the main thread: the next message, which must be a T.
  template <class T>
  T wait_for() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !messages_.empty(); });
    wire::Message message = std::move(messages_.front());
    messages_.pop_front();
    if (T* wanted = std::get_if<T>(&message)) return std::move(*wanted);
    throw std::runtime_error(fmt::format("the agent sent '{}' when '{}' was due",
                                         wire::name_of(message), wire::name_of(T{})));
  }

  void set_backend(Backend* backend) {
    const std::lock_guard lock(mutex_);
    backend_ = backend;
  }

 private:
  void abort_and_exit() {
    {
      const std::lock_guard lock(mutex_);
      if (backend_ != nullptr) backend_->abort();
    }
    std::this_thread::sleep_for(kAbortPatience);
    ::_exit(1);
  }

  wire::Channel& channel_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<wire::Message> messages_;
  Backend* backend_ = nullptr;
};

std::unique_ptr<Backend> make_backend(const std::string& name) {
  std::unique_ptr<Backend> backend;
  if (name == "host") backend = make_host_backend();
  if (name == "model") backend = make_model_backend();
  if (name == "nccl") backend = make_nccl_backend();
  if (backend == nullptr) {
    throw Unsupported(fmt::format("this nccl-sweep-worker was built without the {} backend", name));
  }
  return backend;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

// What is set now and was not before: NCCL puts there what it reads from its conf files.
Variables added_to(const Variables& before) {
  Variables added = process_environment();
  std::erase_if(added, [&](const auto& entry) { return before.contains(entry.first); });
  return added;
}

class Session {
 public:
  explicit Session(wire::Channel channel) : channel_(std::move(channel)), inbox_(channel_) {}

  int run() {
    std::thread([this] { inbox_.read_forever(); }).detach();
    try {
      converse();
      return 0;
    } catch (const Unsupported& error) {
      return fail("unsupported", error.what());
    } catch (const PeerLost& error) {
      return fail("peer_lost", error.what());
    } catch (const std::exception& error) {
      return fail("error", error.what());
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  void converse() {
    send(wire::Hello{wire::kProtocolVersion, ::getpid(), NCCL_SWEEP_VERSION});
    request_ = inbox_.wait_for<wire::Request>();
    backend_ = make_backend(request_.backend);
    inbox_.set_backend(backend_.get());
    const Variables before = process_environment();
    step(-1, "open");
    const auto start = clock::now();
    backend_->open(request_);
    const double device_seconds = std::chrono::duration<double>(clock::now() - start).count();
    send(wire::Ready{lead_groups(), backend_->device(), backend_->versions(), backend_->locks(),
                     backend_->identity()});

    const auto connect = inbox_.wait_for<wire::Connect>();
    step(-1, "connect");
    const auto connecting = clock::now();
    connect_groups(connect);
    const double seconds = std::chrono::duration<double>(clock::now() - connecting).count();
    std::map<std::string, double> parts = backend_->open_seconds();
    if (parts.empty()) parts["device"] = device_seconds;
    parts["connect"] = seconds;
    send(wire::Connected{std::move(parts), added_to(before)});

    inbox_.wait_for<wire::Measure>();
    wire::Result result;
    result.cases = measure(request_, *backend_, [this](int case_index, const std::string& name) {
      step(case_index, name);
    });
    result.peak_rss_bytes = peak_rss_bytes();
    result.device_bytes = backend_->device_bytes();
    send(result);
    step_ = "disconnect";
    inbox_.wait_for<wire::Bye>();
    backend_->disconnect();
  }

  std::vector<wire::Rendezvous> lead_groups() {
    std::vector<wire::Rendezvous> led;
    for (std::size_t p = 0; p < request_.partitions.size(); ++p) {
      for (std::size_t g = 0; g < request_.partitions[p].size(); ++g) {
        if (request_.partitions[p][g].front() != request_.rank) continue;
        const int partition = static_cast<int>(p);
        const int group = static_cast<int>(g);
        led.push_back({partition, group, backend_->create_rendezvous(partition, group)});
      }
    }
    return led;
  }

  // In the order of the partitions on every rank: each connect() is collective.
  void connect_groups(const wire::Connect& connect) {
    for (std::size_t p = 0; p < request_.partitions.size(); ++p) {
      for (std::size_t g = 0; g < request_.partitions[p].size(); ++g) {
        const std::vector<int>& ranks = request_.partitions[p][g];
        const auto me = std::find(ranks.begin(), ranks.end(), request_.rank);
        if (me == ranks.end()) continue;
        const int partition = static_cast<int>(p);
        backend_->connect(partition, ranks, static_cast<int>(me - ranks.begin()),
                          blob_of(connect, partition, static_cast<int>(g)));
      }
    }
  }

  static std::string blob_of(const wire::Connect& connect, int partition, int group) {
    for (const wire::Rendezvous& item : connect.rendezvous) {
      if (item.partition == partition && item.group == group) return item.blob;
    }
    throw std::runtime_error(
        fmt::format("no rendezvous for group {} of partition {}", group, partition));
  }

  void step(int case_index, const std::string& name) {
    case_index_ = case_index;
    step_ = name;
    send(wire::Progress{case_index, name, order_++});
  }

  void send(const wire::Message& message) {
    try {
      channel_.send(message, kSendTimeout);
    } catch (const std::exception&) {
      ::_exit(1);  // the agent is gone
    }
  }

  int fail(const std::string& kind, const std::string& message) {
    send(wire::Failed{kind, case_index_, step_, one_line(message)});
    return 1;
  }

  wire::Channel channel_;
  Inbox inbox_;
  wire::Request request_;
  std::unique_ptr<Backend> backend_;
  int case_index_ = -1;
  std::string step_ = "hello";
  int order_ = 0;
};

}  // namespace

int run_session(wire::Channel channel) {
  // Never destroyed: the reader thread uses it until the process ends.
  auto* session = new Session(std::move(channel));
  return session->run();
}

}  // namespace nccl_sweep::worker
