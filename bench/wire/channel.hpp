// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames on a stream socket: 4 bytes "NSW1", 4 bytes little-endian payload length, payload.
// Channel owns the descriptor. Agents read without blocking, workers block. No threads in here;
// one thread may send while another one receives.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "wire/messages.hpp"

namespace nccl_sweep::wire {

// The descriptor on which a worker finds its agent.
inline constexpr int kWorkerSocket = 3;
inline constexpr std::size_t kLargestFrame = std::size_t{64} << 20;

// The peer closed the socket or died.
class ClosedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Channel {
 public:
  explicit Channel(int descriptor) : fd_(descriptor) {}
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;
  ~Channel();

  int descriptor() const { return fd_; }

  // Blocks until all is written, at most `timeout_seconds` (< 0: no limit). ClosedError if the
  // peer is gone; std::runtime_error on timeout (a peer that does not read).
  void send(const Message&, double timeout_seconds = -1);

  // The next complete message if one is here already or can be read without blocking; nothing
  // otherwise. Throws GarbageError, or ClosedError at end of file.
  std::optional<Message> poll();

  // Blocks for the next message. Same errors.
  Message receive();

  std::size_t frames_received() const { return frames_; }

 private:
  std::optional<Message> take_frame();
  bool read_some(bool block);

  int fd_ = -1;
  std::string buffer_;
  std::size_t frames_ = 0;
};

}  // namespace nccl_sweep::wire
