// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/host/ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "worker/arithmetic.hpp"

namespace nccl_sweep::worker {

std::vector<Span> segments_of(std::int64_t count, int parts) {
  std::vector<Span> segments;
  const std::int64_t base = count / parts;
  const std::int64_t longer = count % parts;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t end = begin + base + (i < longer ? 1 : 0);
    segments.push_back({begin, end});
    begin = end;
  }
  return segments;
}

std::vector<Span> pieces_of(Span segment, std::int64_t element_bytes, std::int64_t chunk_bytes) {
  std::vector<Span> pieces;
  const std::int64_t step = std::max<std::int64_t>(1, chunk_bytes / element_bytes);
  for (std::int64_t begin = segment.begin; begin < segment.end; begin += step) {
    pieces.push_back({begin, std::min(begin + step, segment.end)});
  }
  return pieces;
}

Ring::Ring(int index, int size, RingSockets sockets, std::int64_t chunk_bytes,
           const Interrupt& interrupt)
    : index_(index),
      size_(size),
      sockets_(std::move(sockets)),
      chunk_bytes_(chunk_bytes),
      interrupt_(interrupt),
      sending_(sockets_.to_successor.size()),
      receiving_(sockets_.from_predecessor.size()) {}

void Ring::all_gather(const std::byte* in, std::byte* out, std::int64_t share_bytes) {
  std::byte* mine = out + index_ * share_bytes;
  if (in != mine) std::memcpy(mine, in, static_cast<std::size_t>(share_bytes));
  type_ = DataType::int8;  // bytes
  plan_phase({out, out, nullptr, nullptr, index_}, segments_of(share_bytes * size_, size_), 1);
  move_all();
}

void Ring::reduce_scatter(const std::byte* in, std::byte* out, std::int64_t share, DataType type,
                          ReduceOp op) {
  const std::int64_t width = element_bytes(type);
  const auto bytes = static_cast<std::size_t>(share * width);
  type_ = type;
  op_ = op;
  if (size_ == 1) {
    if (in != out) std::memcpy(out, in, bytes);
    return;
  }
  const std::size_t total = bytes * static_cast<std::size_t>(size_);
  if (size_ > 2 && partial_.size() < total) partial_.resize(total);
  // The last segment to arrive is our own; it goes to `out`, whose base is chosen accordingly.
  std::byte* final = out - index_ * share * width;
  plan_phase({in, partial_.data(), final, in, (index_ + size_ - 1) % size_},
             segments_of(share * size_, size_), width);
  move_all();
}

void Ring::all_reduce(const std::byte* in, std::byte* out, std::int64_t count, DataType type,
                      ReduceOp op) {
  const std::int64_t width = element_bytes(type);
  type_ = type;
  op_ = op;
  if (size_ == 1) {
    if (in != out) std::memcpy(out, in, static_cast<std::size_t>(count * width));
    return;
  }
  const std::vector<Span> segments = segments_of(count, size_);
  plan_phase({in, out, nullptr, in, (index_ + size_ - 1) % size_}, segments, width);
  plan_phase({out, out, nullptr, nullptr, index_}, segments, width);
  move_all();
}

// One trip of size - 1 steps around the ring: at step s segment start - s goes out and segment
// start - s - 1 comes in. What comes in at step s goes out at step s + 1, and what came in last in
// an earlier phase is what goes out first in this one.
void Ring::plan_phase(const Phase& phase, const std::vector<Span>& segments,
                      std::int64_t element_bytes) {
  const auto segment = [&](int step) {
    return segments[static_cast<std::size_t>(((phase.start - step) % size_ + size_) % size_)];
  };
  const std::byte* base = phase.first;  // of what goes out
  const std::size_t first_pieces = pieces_of(segment(0), element_bytes, chunk_bytes_).size();
  std::ptrdiff_t after = incoming_.empty() ? -1
                                           : static_cast<std::ptrdiff_t>(incoming_.size()) -
                                                 static_cast<std::ptrdiff_t>(first_pieces);
  for (int step = 0; step + 1 < size_; ++step) {
    for (const Span& piece : pieces_of(segment(step), element_bytes, chunk_bytes_)) {
      outgoing_.push_back({base + piece.begin * element_bytes,
                           static_cast<std::size_t>((piece.end - piece.begin) * element_bytes),
                           static_cast<int>(after)});
      if (after >= 0) ++after;
    }
    const bool last = step + 2 == size_;
    std::byte* into = last && phase.final != nullptr ? phase.final : phase.arrivals;
    after = static_cast<std::ptrdiff_t>(incoming_.size());
    for (const Span& piece : pieces_of(segment(step + 1), element_bytes, chunk_bytes_)) {
      const std::int64_t begin = piece.begin * element_bytes;
      incoming_.push_back({into + begin,
                           static_cast<std::size_t>((piece.end - piece.begin) * element_bytes),
                           phase.operand == nullptr ? nullptr : phase.operand + begin,
                           last && phase.operand != nullptr, false});
    }
    base = into;
  }
}

void Ring::move_all() {
  for (std::size_t stream = 0; stream < sending_.size(); ++stream) {
    sending_[stream].piece = stream;
    receiving_[stream].piece = stream;
  }
  for (;;) {
    bool moved = false;
    for (std::size_t stream = 0; stream < sending_.size(); ++stream) {
      moved |= send_step(stream);
      moved |= receive_step(stream);
    }
    if (moved) {
      interrupt_.check();
      continue;
    }
    const auto done = [](const std::vector<Cursor>& cursors, std::size_t pieces) {
      return std::all_of(cursors.begin(), cursors.end(),
                         [&](const Cursor& cursor) { return cursor.piece >= pieces; });
    };
    if (done(sending_, outgoing_.size()) && done(receiving_, incoming_.size())) break;
    wait();
  }
  outgoing_.clear();
  incoming_.clear();
}

bool Ring::send_step(std::size_t stream) {
  Cursor& cursor = sending_[stream];
  cursor.blocked = false;
  if (cursor.piece >= outgoing_.size()) return false;
  const Outgoing& piece = outgoing_[cursor.piece];
  if (piece.after >= 0 && !incoming_[static_cast<std::size_t>(piece.after)].arrived) return false;
  const std::size_t n = send_some(sockets_.to_successor[stream].fd(), piece.data + cursor.moved,
                                  piece.bytes - cursor.moved);
  cursor.moved += n;
  cursor.blocked = n == 0;
  if (cursor.moved == piece.bytes) {
    cursor.piece += sending_.size();
    cursor.moved = 0;
  }
  return n > 0;
}

bool Ring::receive_step(std::size_t stream) {
  Cursor& cursor = receiving_[stream];
  if (cursor.piece >= incoming_.size()) return false;
  Incoming& piece = incoming_[cursor.piece];
  std::byte* into = piece.into;
  if (piece.operand != nullptr) {
    if (cursor.staging.size() < piece.bytes) cursor.staging.resize(piece.bytes);
    into = cursor.staging.data();
  }
  const std::size_t n = receive_some(sockets_.from_predecessor[stream].fd(), into + cursor.moved,
                                     piece.bytes - cursor.moved);
  cursor.moved += n;
  if (cursor.moved == piece.bytes) {
    finish(piece, into);
    cursor.piece += receiving_.size();
    cursor.moved = 0;
  }
  return n > 0;
}

void Ring::finish(Incoming& piece, const std::byte* received) {
  if (piece.operand != nullptr) {
    const std::int64_t count = static_cast<std::int64_t>(piece.bytes) / element_bytes(type_);
    reduce(type_, op_, piece.into, received, piece.operand, count);
    if (piece.last && op_ == ReduceOp::avg) divide(type_, piece.into, size_, count);
  }
  piece.arrived = true;
}

// Sleeps until a stream that has something to move can move it.
void Ring::wait() {
  waits_.clear();
  for (std::size_t stream = 0; stream < sending_.size(); ++stream) {
    if (sending_[stream].blocked) {
      waits_.push_back({sockets_.to_successor[stream].fd(), POLLOUT, 0});
    }
    if (receiving_[stream].piece < incoming_.size()) {
      waits_.push_back({sockets_.from_predecessor[stream].fd(), POLLIN, 0});
    }
  }
  waits_.push_back({});  // the interrupt's place
  interrupt_.wait(waits_);
}

}  // namespace nccl_sweep::worker
