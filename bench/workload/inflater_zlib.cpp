// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "workload/inflater.hpp"

namespace nccl_sweep {

struct Inflater::State {
  z_stream stream{};
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(&state_->stream); }

void Inflater::restart() { inflateReset(&state_->stream); }

Inflater::Step Inflater::step(const char* in, std::size_t in_size, char* out,
                              std::size_t out_size) {
  z_stream& stream = state_->stream;
  // zlib counts in 32 bits; the callers' pieces are far smaller.
  const std::size_t in_limit = std::min<std::size_t>(in_size, UINT32_MAX);
  const std::size_t out_limit = std::min<std::size_t>(out_size, UINT32_MAX);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in));
  stream.avail_in = static_cast<uInt>(in_limit);
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(out_limit);
  const int result = inflate(&stream, Z_NO_FLUSH);
  Step step;
  step.consumed = in_limit - stream.avail_in;
  step.produced = out_limit - stream.avail_out;
  step.member_ended = result == Z_STREAM_END;
  step.corrupt = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
  return step;
}

}  // namespace nccl_sweep
