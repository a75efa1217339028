// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/host/sockets.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace nccl_sweep::worker {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

template <class T>
void set_option(const Socket& socket, int level, int name, const T& value, const char* what) {
  if (::setsockopt(socket.fd(), level, name, &value, sizeof value) != 0) fail(what);
}

Socket make_socket(std::int64_t buffer_bytes) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) fail("cannot make a TCP socket");
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (buffer_bytes > 0) {
    const int size =
        static_cast<int>(std::min<std::int64_t>(buffer_bytes, std::numeric_limits<int>::max() / 2));
    set_option(socket, SOL_SOCKET, SO_SNDBUF, size, "SO_SNDBUF");
    set_option(socket, SOL_SOCKET, SO_RCVBUF, size, "SO_RCVBUF");
  }
  return socket;
}

sockaddr_in make_address(in_addr_t host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = host;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

[[noreturn]] void lost(const char* what) {
  throw PeerLost(fmt::format("a neighbour in the ring went away ({})", what));
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.open()) fail("cannot make an eventfd");
}
void Interrupt::raise() noexcept {
  raised_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.fd(), &one, sizeof one);
}
void Interrupt::check() const {
  if (raised_) throw PeerLost("aborted by the agent");
}
void Interrupt::wait(std::span<pollfd> items) const {
  items.back() = pollfd{event_.fd(), POLLIN, 0};
  if (::poll(items.data(), static_cast<nfds_t>(items.size()), -1) < 0 && errno != EINTR) {
    fail("cannot wait for sockets");
  }
  check();
}
void Interrupt::wait_for(int descriptor, short events) const {
  std::array<pollfd, 2> items{pollfd{descriptor, events, 0}, pollfd{}};
  wait(items);
}

std::string to_text(const Endpoint& endpoint) {
  return fmt::format("{}:{}@{}", endpoint.host, endpoint.port, endpoint.machine);
}

Endpoint parse_endpoint(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t at = text.find('@');
  if (colon == std::string::npos || at == std::string::npos || at < colon) {
    throw std::runtime_error(fmt::format("'{}' is not an endpoint host:port@machine", text));
  }
  Endpoint endpoint{text.substr(0, colon), 0, text.substr(at + 1)};
  const auto [end, error] = std::from_chars(&text[colon + 1], &text[at], endpoint.port);
  if (error != std::errc{} || end != &text[at] || endpoint.port < 1 || endpoint.port > 65535) {
    throw std::runtime_error(fmt::format("'{}' has no valid port", text));
  }
  return endpoint;
}

// Bridges to containers and virtual machines have the same address on every host, where nobody else
// can be reached; NCCL passes them over too.
bool leads_to_other_hosts(const ifaddrs& item) {
  const std::string_view name = item.ifa_name;
  const bool local = name.starts_with("docker") || name.starts_with("virbr") ||
                     name.starts_with("podman") || name.starts_with("cni");
  return (item.ifa_flags & IFF_UP) != 0 && (item.ifa_flags & IFF_LOOPBACK) == 0 && !local;
}

std::string own_address(const std::string& interface) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) fail("cannot list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::string names;
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    if (item->ifa_addr == nullptr || item->ifa_addr->sa_family != AF_INET) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", item->ifa_name);
    const bool wanted =
        interface.empty() ? leads_to_other_hosts(*item) : interface == item->ifa_name;
    if (!wanted) continue;
    sockaddr_in address{};
    std::memcpy(&address, item->ifa_addr, sizeof address);
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    return text.data();
  }
  if (interface.empty()) return kLoopback;
  throw std::runtime_error(
      fmt::format("HOST_INTERFACE={}: no such interface with an IPv4 address "
                  "(there are: {})",
                  interface, names));
}

std::string machine_identity() {
  // Containers share the kernel's boot id; only the same network namespace shares loopback.
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> space{};
  if (::readlink("/proc/self/ns/net", space.data(), space.size() - 1) < 0) space[0] = '-';
  return fmt::format("{}/{}", boot, space.data());
}

Socket listen_on_any_port(std::int64_t buffer_bytes, int& port) {
  Socket socket = make_socket(buffer_bytes);
  sockaddr_in address = make_address(htonl(INADDR_ANY), 0);
  socklen_t length = sizeof address;
  auto* generic = static_cast<sockaddr*>(static_cast<void*>(&address));
  if (::bind(socket.fd(), generic, length) != 0) fail("cannot bind a TCP port");
  if (::listen(socket.fd(), SOMAXCONN) != 0) fail("cannot listen");
  if (::getsockname(socket.fd(), generic, &length) != 0) fail("cannot read the own port");
  port = ntohs(address.sin_port);
  return socket;
}

Socket connect_to(const Endpoint& endpoint, std::int64_t buffer_bytes, const Interrupt& interrupt) {
  Socket socket = make_socket(buffer_bytes);
  in_addr host{};
  const std::string name = endpoint.machine == machine_identity() ? kLoopback : endpoint.host;
  if (::inet_pton(AF_INET, name.c_str(), &host) != 1) {
    throw std::runtime_error(fmt::format("'{}' is not an IPv4 address", name));
  }
  sockaddr_in address = make_address(host.s_addr, endpoint.port);
  const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
  if (::connect(socket.fd(), generic, sizeof address) == 0) return socket;
  if (errno == EINPROGRESS) {
    interrupt.wait_for(socket.fd(), POLLOUT);
    socklen_t length = sizeof errno;
    ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &errno, &length);
    if (errno == 0) return socket;
  }
  if (errno == ECONNREFUSED || errno == ECONNRESET) lost("connection refused");
  fail(fmt::format("cannot connect to {}:{} (wrong interface? see HOST_INTERFACE)", name,
                   endpoint.port));
}

Socket accept_from(const Socket& listener, const Interrupt& interrupt) {
  for (;;) {
    interrupt.wait_for(listener.fd(), POLLIN);
    Socket socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.open()) {
      set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
      return socket;
    }
    if (!would_block() && errno != ECONNABORTED) fail("cannot accept a connection");
  }
}

std::size_t send_some(int descriptor, const std::byte* data, std::size_t bytes) {
  const ssize_t n = ::send(descriptor, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n >= 0) return static_cast<std::size_t>(n);
  if (would_block()) return 0;
  lost(std::strerror(errno));
}

std::size_t receive_some(int descriptor, std::byte* data, std::size_t bytes) {
  const ssize_t n = ::recv(descriptor, data, bytes, MSG_DONTWAIT);
  if (n > 0) return static_cast<std::size_t>(n);
  if (n == 0) lost("connection closed");
  if (would_block()) return 0;
  lost(std::strerror(errno));
}

void send_all(const Socket& socket, const void* data, std::size_t bytes,
              const Interrupt& interrupt) {
  const auto* at = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const std::size_t n = send_some(socket.fd(), at, bytes);
    if (n == 0) interrupt.wait_for(socket.fd(), POLLOUT);
    at += n;
    bytes -= n;
  }
}

void receive_all(const Socket& socket, void* data, std::size_t bytes, const Interrupt& interrupt) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const std::size_t n = receive_some(socket.fd(), at, bytes);
    if (n == 0) interrupt.wait_for(socket.fd(), POLLIN);
    at += n;
    bytes -= n;
  }
}

}  // namespace nccl_sweep::worker
