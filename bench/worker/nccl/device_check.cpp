// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/device_check.hpp"

#include <fmt/format.h>

#include <array>

#include "worker/expectation.hpp"

namespace nccl_sweep::worker {
namespace {

constexpr int kPoison = 0x7b;

}  // namespace

DeviceCheck::DeviceCheck(std::uint64_t seed, cudaStream_t stream)
    : seed_(seed), stream_(stream), result_(sizeof(kernels::Mismatch)) {}

kernels::Pattern DeviceCheck::pattern(const Case& what, int size) const {
  return kernels::make_pattern(what.dtype, what.op, size, seed_);
}

void DeviceCheck::poison(const Case&, int, int, const BufferPlace& at) {
  if (at.layout.receive_bytes == 0) return;  // not the root's
  cuda_check(
      cudaMemsetAsync(at.out, kPoison, static_cast<std::size_t>(at.layout.receive_bytes), stream_),
      "cudaMemsetAsync");
}

void DeviceCheck::fill(const Case& what, int index, int size, const BufferPlace& at) {
  poison(what, index, size, at);
  if (at.layout.send_bytes == 0) return;
  if (reduces(what.collective)) {
    kernels::fill_contribution(what.dtype, pattern(what, size), index, at.in,
                               at.layout.send_bytes / element_bytes(what.dtype), stream_);
  } else {
    kernels::fill_random(at.in, at.layout.send_bytes, seed_, index, stream_);
  }
  cuda_check(cudaGetLastError(), "fill kernel");
}

void DeviceCheck::check(const Case& what, int index, int size, const BufferPlace& at,
                        kernels::Mismatch* found) {
  const std::int64_t width = element_bytes(what.dtype);
  const std::int64_t received = at.layout.receive_bytes;
  if (received == 0) return;
  if (reduces(what.collective)) {
    const std::int64_t count = received / width;
    const std::int64_t first = first_reduced_element(what, index, size);
    kernels::verify_answer(what.dtype, pattern(what, size), at.out, first, count, found, stream_);
  } else {
    for (const Segment& s : segments_of(what, index, size)) {
      kernels::verify_random(at.out + s.offset, s.bytes, seed_, s.source, static_cast<int>(width),
                             s.offset / width, found, stream_, s.source_offset);
    }
  }
  cuda_check(cudaGetLastError(), "verify kernel");
}

Verification DeviceCheck::verify(const Case& what, int index, int size, const BufferPlace& at) {
  auto* found = static_cast<kernels::Mismatch*>(static_cast<void*>(result_.get()));
  kernels::Mismatch result{0, kernels::kNothingWrong};
  copy_now(found, &result, sizeof result, stream_);
  check(what, index, size, at, found);
  copy_now(&result, found, sizeof result, stream_);
  Verification verification{static_cast<std::int64_t>(result.count), {}};
  if (result.count > 0) verification.first_wrong = first_wrong(what, index, size, at, result);
  return verification;
}

std::string DeviceCheck::first_wrong(const Case& what, int index, int size, const BufferPlace& at,
                                     const kernels::Mismatch& found) {
  const auto element = static_cast<std::int64_t>(found.first);
  const std::int64_t width = element_bytes(what.dtype);
  std::array<std::byte, 8> got{};
  copy_now(got.data(), at.out + element * width, static_cast<std::size_t>(width), stream_);
  return fmt::format("rank {} {}", index,
                     describe_wrong(what, seed_, index, size, element, got.data()));
}

}  // namespace nccl_sweep::worker
