// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// TCP sockets (IPv4) for the host backend: listen, connect, accept, whole-buffer send and receive.
// Every wait can be interrupted from another thread, so that abort() gets a blocked worker out.
// A peer that goes away is PeerLost. No collectives here.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {

class Socket {  // owns the descriptor
 public:
  explicit Socket(int descriptor = -1) : fd_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Ends waits of this process: raise() is called by the watchdog thread, check() and wait() by the
// main thread, where they throw PeerLost ("aborted") from then on.
class Interrupt {
 public:
  Interrupt();
  void raise() noexcept;
  void check() const;
  // poll() without a time limit on items[0 .. size - 1]; the last element is overwritten with the
  // interrupt's own descriptor.
  void wait(std::span<pollfd> items) const;
  void wait_for(int descriptor, short events) const;

 private:
  std::atomic<bool> raised_ = false;
  Socket event_;
};

// Where a worker can be reached, as text "host:port@machine". Two workers with the same machine
// (kernel boot and network namespace) reach each other over loopback, whatever host says.
struct Endpoint {
  std::string host;
  int port = 0;
  std::string machine;
};
std::string to_text(const Endpoint&);
Endpoint parse_endpoint(const std::string& text);  // throws std::runtime_error

// This machine's address for others: of `interface` where given, else of the first interface that is
// up, neither loopback nor a bridge to containers, else loopback. Throws std::runtime_error that
// lists the interfaces.
std::string own_address(const std::string& interface);
std::string machine_identity();

// `buffer_bytes` > 0 sets SO_SNDBUF and SO_RCVBUF. It must be set before connecting: the kernel
// fixes the window scale then. Accepted sockets inherit it.
Socket listen_on_any_port(std::int64_t buffer_bytes, int& port);
Socket connect_to(const Endpoint&, std::int64_t buffer_bytes, const Interrupt&);
Socket accept_from(const Socket& listener, const Interrupt&);

void send_all(const Socket&, const void* data, std::size_t bytes, const Interrupt&);
void receive_all(const Socket&, void* data, std::size_t bytes, const Interrupt&);

// One step without blocking: bytes moved, 0 where it would block. Throws PeerLost.
std::size_t send_some(int descriptor, const std::byte* data, std::size_t bytes);
std::size_t receive_some(int descriptor, std::byte* data, std::size_t bytes);

}  // namespace nccl_sweep::worker
