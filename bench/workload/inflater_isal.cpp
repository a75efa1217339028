// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>

#include "workload/inflater.hpp"

namespace nccl_sweep {

struct Inflater::State {
  inflate_state stream;
};

Inflater::Inflater() : state_(std::make_unique<State>()) { restart(); }

Inflater::~Inflater() = default;

void Inflater::restart() {
  isal_inflate_init(&state_->stream);
  state_->stream.crc_flag = ISAL_GZIP;  // read the header, verify the trailer
}

Inflater::Step Inflater::step(const char* in, std::size_t in_size, char* out,
                              std::size_t out_size) {
  inflate_state& stream = state_->stream;
  const std::size_t in_limit = std::min<std::size_t>(in_size, UINT32_MAX);
  const std::size_t out_limit = std::min<std::size_t>(out_size, UINT32_MAX);
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in));
  stream.avail_in = static_cast<std::uint32_t>(in_limit);
  stream.next_out = reinterpret_cast<std::uint8_t*>(out);
  stream.avail_out = static_cast<std::uint32_t>(out_limit);
  const int result = isal_inflate(&stream);
  Step step;
  step.consumed = in_limit - stream.avail_in;
  step.produced = out_limit - stream.avail_out;
  step.member_ended = stream.block_state == ISAL_BLOCK_FINISH;
  step.corrupt = result < 0;
  return step;
}

}  // namespace nccl_sweep
