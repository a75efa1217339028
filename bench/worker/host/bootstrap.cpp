// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/host/bootstrap.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace nccl_sweep::worker {
namespace {

constexpr std::size_t kTokenLength = 32;  // hex digits of 16 random bytes
constexpr std::size_t kEndpointLength = 192;

// What one worker says to another one when it connects. Fixed size, same binary on both sides.
struct Greeting {
  std::array<char, kTokenLength> token{};
  std::int32_t index = 0;   // rank in the group
  std::int32_t stream = 0;  // data connections; -1: this is the meeting point
  std::array<char, kEndpointLength> endpoint{};
};
static_assert(sizeof(Greeting) == kTokenLength + 8 + kEndpointLength);

using EndpointText = std::array<char, kEndpointLength>;

std::string to_hex(const std::string& text) {
  std::string hex;
  for (char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string from_hex(const std::string& hex) {
  std::string text;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    if (std::from_chars(&hex[i], &hex[i] + 2, value, 16).ptr != &hex[i] + 2) break;
    text.push_back(static_cast<char>(value));
  }
  if (text.size() * 2 != hex.size()) throw std::runtime_error("the rendezvous is not base-16");
  return text;
}

EndpointText pack(const std::string& text) {
  EndpointText packed{};
  if (text.size() >= packed.size()) throw std::runtime_error("endpoint too long: " + text);
  std::copy(text.begin(), text.end(), packed.begin());
  return packed;
}
Endpoint unpack(const EndpointText& packed) {
  return parse_endpoint(std::string(packed.data(), ::strnlen(packed.data(), packed.size())));
}

// A named interface is used even between workers of one machine: that is why one names it.
Endpoint own_endpoint(const HostSettings& settings, int port) {
  return {own_address(settings.interface), port,
          settings.interface.empty() ? machine_identity() : "any"};
}

struct Rendezvous {
  std::array<char, kTokenLength> token{};
  Endpoint endpoint;
};

Rendezvous parse_rendezvous(const std::string& blob) {
  const std::string text = from_hex(blob);
  if (text.size() <= kTokenLength + 1 || text[kTokenLength] != ' ') {
    throw std::runtime_error("the rendezvous is not one of the host backend");
  }
  Rendezvous rendezvous{{}, parse_endpoint(text.substr(kTokenLength + 1))};
  std::copy_n(text.begin(), kTokenLength, rendezvous.token.begin());
  return rendezvous;
}

constexpr int kGreetingPatience = 2000;  // ms

// The next connection that knows the token and a sensible index; anything else on the port (a
// scanner, a stray worker of another run) is dropped.
std::pair<Socket, Greeting> accept_greeting(const Socket& listener, const Rendezvous& rendezvous,
                                            int size, const Interrupt& interrupt) {
  for (;;) {
    Socket socket = accept_from(listener, interrupt);
    Greeting greeting;
    pollfd said_something{socket.fd(), POLLIN, 0};
    if (::poll(&said_something, 1, kGreetingPatience) == 0) continue;  // a member speaks at once
    try {
      receive_all(socket, &greeting, sizeof greeting, interrupt);
    } catch (const PeerLost&) {
      interrupt.check();
      continue;
    }
    if (greeting.token == rendezvous.token && greeting.index >= 0 && greeting.index < size) {
      return {std::move(socket), greeting};
    }
  }
}

// Rank 0 collects the endpoints of all ranks and gives everybody the table.
std::vector<EndpointText> exchange_endpoints(int index, int size, const Rendezvous& rendezvous,
                                             const MeetingPoint* meeting, const EndpointText& mine,
                                             const Interrupt& interrupt) {
  std::vector<EndpointText> table(static_cast<std::size_t>(size));
  const std::size_t bytes = table.size() * sizeof(EndpointText);
  if (index != 0) {
    const Socket socket = connect_to(rendezvous.endpoint, 0, interrupt);
    const Greeting greeting{rendezvous.token, index, -1, mine};
    send_all(socket, &greeting, sizeof greeting, interrupt);
    receive_all(socket, table.data(), bytes, interrupt);
    return table;
  }
  if (meeting == nullptr) throw std::runtime_error("the first rank has no meeting point");
  table[0] = mine;
  std::vector<Socket> members(table.size());
  for (int missing = size - 1; missing > 0;) {
    auto [socket, greeting] = accept_greeting(meeting->listener(), rendezvous, size, interrupt);
    const auto member = static_cast<std::size_t>(greeting.index);
    if (member == 0 || members[member].open()) continue;
    table[member] = greeting.endpoint;
    members[member] = std::move(socket);
    --missing;
  }
  for (std::size_t member = 1; member < members.size(); ++member) {
    send_all(members[member], table.data(), bytes, interrupt);
  }
  return table;
}

}  // namespace

MeetingPoint::MeetingPoint(const HostSettings& settings) {
  std::array<unsigned char, kTokenLength / 2> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw std::runtime_error("the system gives no random bytes");
  }
  for (unsigned char byte : random) text_ += fmt::format("{:02x}", byte);
  int port = 0;
  listener_ = listen_on_any_port(0, port);
  text_ += fmt::format(" {}", to_text(own_endpoint(settings, port)));
}

std::string MeetingPoint::rendezvous() const { return to_hex(text_); }

RingSockets join_ring(int index, int size, const std::string& blob, const MeetingPoint* meeting,
                      const HostSettings& settings, const Interrupt& interrupt) {
  const Rendezvous rendezvous = parse_rendezvous(blob);
  int port = 0;
  const Socket listener = listen_on_any_port(settings.socket_buffer_bytes, port);
  const auto mine = pack(to_text(own_endpoint(settings, port)));
  const auto table = exchange_endpoints(index, size, rendezvous, meeting, mine, interrupt);

  RingSockets ring;
  const Endpoint successor = unpack(table[static_cast<std::size_t>((index + 1) % size)]);
  for (int stream = 0; stream < settings.streams; ++stream) {
    Socket socket = connect_to(successor, settings.socket_buffer_bytes, interrupt);
    const Greeting greeting{rendezvous.token, index, stream, {}};
    send_all(socket, &greeting, sizeof greeting, interrupt);
    ring.to_successor.push_back(std::move(socket));
  }
  const int predecessor = (index + size - 1) % size;
  ring.from_predecessor.resize(static_cast<std::size_t>(settings.streams));
  for (int missing = settings.streams; missing > 0;) {
    auto [socket, greeting] = accept_greeting(listener, rendezvous, size, interrupt);
    if (greeting.index != predecessor || greeting.stream < 0) continue;
    if (greeting.stream >= settings.streams) {
      throw std::runtime_error(fmt::format(
          "rank {} of the group uses more than {} streams: HOST_STREAMS_PER_CONNECTION differs",
          predecessor, settings.streams));
    }
    Socket& slot = ring.from_predecessor[static_cast<std::size_t>(greeting.stream)];
    if (slot.open()) continue;
    slot = std::move(socket);
    --missing;
  }
  return ring;
}

}  // namespace nccl_sweep::worker
