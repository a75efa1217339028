// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace nccl_sweep::wire {
namespace {

constexpr std::string_view kMagic = "NSW1";
constexpr std::size_t kHeader = 8;  // magic and length
constexpr std::size_t kReadChunk = std::size_t{64} << 10;

std::string system_message(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

std::uint32_t load_length(const char* bytes) {
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) length = (length << 8) | static_cast<unsigned char>(bytes[i]);
  return length;
}

std::string make_frame(const std::string& payload) {
  if (payload.size() > kLargestFrame) {
    throw std::runtime_error("message of " + std::to_string(payload.size()) +
                             " bytes is larger than the largest frame");
  }
  std::string frame(kMagic);
  for (int shift = 0; shift < 32; shift += 8) {
    frame.push_back(static_cast<char>((payload.size() >> shift) & 0xff));
  }
  return frame + payload;
}

// The wire is bytes from another process: never trust the length before the magic is right.
void check_magic(std::string_view buffer) {
  const std::size_t seen = std::min(buffer.size(), kMagic.size());
  if (buffer.substr(0, seen) != kMagic.substr(0, seen)) {
    throw GarbageError("not a frame of this protocol: it does not begin with NSW1");
  }
}

}  // namespace

Channel::Channel(Channel&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      frames_(other.frames_) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
    buffer_ = std::move(other.buffer_);
    frames_ = other.frames_;
  }
  return *this;
}

Channel::~Channel() {
  if (fd_ >= 0) ::close(fd_);
}

void Channel::send(const Message& message, double timeout_seconds) {
  using clock = std::chrono::steady_clock;
  const std::string frame = make_frame(serialize(message));
  const auto start = clock::now();
  std::size_t sent = 0;
  while (sent < frame.size()) {
    // MSG_NOSIGNAL: a peer that died is an error to report, not a SIGPIPE to die of.
    const ssize_t n =
        ::send(fd_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) throw ClosedError("the peer closed the socket");
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      throw std::runtime_error(system_message("cannot send"));
    }
    int wait_ms = -1;
    if (timeout_seconds >= 0) {
      const double left =
          timeout_seconds - std::chrono::duration<double>(clock::now() - start).count();
      if (left <= 0) {
        throw std::runtime_error("the peer did not read a " + std::string(name_of(message)) +
                                 " message in time");
      }
      wait_ms = static_cast<int>(std::min(left, 1e6) * 1e3) + 1;
    }
    pollfd item{fd_, POLLOUT, 0};
    if (::poll(&item, 1, wait_ms) < 0 && errno != EINTR) {
      throw std::runtime_error(system_message("cannot wait for the socket"));
    }
  }
}

std::optional<Message> Channel::poll() {
  for (;;) {
    if (auto message = take_frame()) return message;
    if (!read_some(false)) return std::nullopt;
  }
}

Message Channel::receive() {
  for (;;) {
    if (auto message = take_frame()) return std::move(*message);
    read_some(true);
  }
}

std::optional<Message> Channel::take_frame() {
  check_magic(buffer_);
  if (buffer_.size() < kHeader) return std::nullopt;
  const std::size_t length = load_length(buffer_.data() + kMagic.size());
  if (length > kLargestFrame) {
    throw GarbageError("a frame of " + std::to_string(length) + " bytes is over the limit");
  }
  if (buffer_.size() < kHeader + length) return std::nullopt;
  Message message = parse(std::string_view(buffer_).substr(kHeader, length));
  buffer_.erase(0, kHeader + length);
  ++frames_;
  return message;
}

// Appends what is there to the buffer. False: nothing can be read without blocking.
bool Channel::read_some(bool block) {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadChunk);
  ssize_t n = 0;
  int error = 0;
  do {
    if (block) {
      // The descriptor may be non-blocking (the agent's is): wait in poll(), not in recv().
      pollfd item{fd_, POLLIN, 0};
      ::poll(&item, 1, -1);
    }
    n = ::recv(fd_, buffer_.data() + before, kReadChunk, MSG_DONTWAIT);
    error = n < 0 ? errno : 0;
  } while (error == EINTR || (block && (error == EAGAIN || error == EWOULDBLOCK)));
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n > 0) return true;
  if (n == 0 || error == ECONNRESET) throw ClosedError("the peer closed the socket");
  if (error == EAGAIN || error == EWOULDBLOCK) return false;
  errno = error;
  throw std::runtime_error(system_message("cannot read from the socket"));
}

}  // namespace nccl_sweep::wire
