// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/host/buffers.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "worker/arithmetic.hpp"
#include "worker/expectation.hpp"

namespace nccl_sweep::worker {
namespace {

constexpr int kPoison = 0x7b;
constexpr std::int64_t kCompareElements = 4096;  // answer and output of a round stay in the L1/L2

std::size_t unsigned_size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

void check_random(const std::byte* got, std::uint64_t seed, const Segment& segment,
                  std::int64_t width, Differences& differences) {
  std::vector<std::byte> wanted(unsigned_size(segment.bytes));
  fill_random(seed, segment.source, wanted.data(), segment.bytes, segment.source_offset);
  compare(got + segment.offset, wanted.data(), segment.bytes / width, width, segment.offset / width,
          differences);
}

void check_reduced(const std::byte* got, const Case& what, const kernels::Pattern& pattern,
                   std::int64_t first, std::int64_t count, Differences& differences) {
  const std::int64_t width = element_bytes(what.dtype);
  std::vector<std::byte> wanted(unsigned_size(kCompareElements * width));
  for (std::int64_t done = 0; done < count; done += kCompareElements) {
    const std::int64_t n = std::min(kCompareElements, count - done);
    fill_answer(what.dtype, pattern, first + done, wanted.data(), n);
    compare(got + done * width, wanted.data(), n, width, done, differences);
  }
}

}  // namespace

void Unmap::operator()(std::byte* memory) const { ::munmap(memory, unsigned_size(bytes)); }

Buffers::Arena Buffers::map(std::int64_t bytes) {
  void* memory = ::mmap(nullptr, unsigned_size(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(fmt::format("cannot map an arena of {}: {}", format_size(Bytes{bytes}),
                                         std::strerror(errno)));
  }
  return Arena(static_cast<std::byte*>(memory), Unmap{bytes});
}

void Buffers::allocate(std::int64_t bytes) {
  bytes_ = std::max<std::int64_t>(bytes, 4096);
  send_ = map(bytes_);
  receive_ = map(bytes_);
}

std::int64_t Buffers::slots(const Case& what) const {
  return slots_of(Bytes{bytes_}, what.size).count;
}

std::byte* Buffers::input_memory(const Case& what, const Layout& layout, std::int64_t slot) const {
  const std::int64_t base = slot * slots_of(Bytes{bytes_}, what.size).stride;
  return what.placement == Placement::in_place ? receive_.get() + base + layout.send_offset
                                               : send_.get() + base;
}
const std::byte* Buffers::input(const Case& what, const Layout& layout, std::int64_t slot) const {
  return input_memory(what, layout, slot);
}
std::byte* Buffers::output(const Case& what, const Layout& layout, std::int64_t slot) {
  const std::int64_t base = slot * slots_of(Bytes{bytes_}, what.size).stride;
  return receive_.get() + base +
         (what.placement == Placement::in_place ? layout.receive_offset : 0);
}

void Buffers::fill(const Case& what, const Layout& layout, std::uint64_t seed, int index, int size,
                   std::int64_t first, std::int64_t last) {
  for (std::int64_t slot = first; slot < last; ++slot) {
    // The outputs first: in place, the input is written over a part of them.
    std::memset(output(what, layout, slot), kPoison, unsigned_size(layout.receive_bytes));
    std::byte* in = input_memory(what, layout, slot);
    if (slot > first) {
      std::memcpy(in, input_memory(what, layout, first), unsigned_size(layout.send_bytes));
    } else if (reduces(what.collective)) {
      fill_contribution(what.dtype, pattern_of(what, seed, size), index, 0, in,
                        layout.send_bytes / element_bytes(what.dtype));
    } else {
      fill_random(seed, index, in, layout.send_bytes);
    }
  }
}

Verification Buffers::check(const Case& what, const Layout& layout, std::uint64_t seed, int index,
                            int size, std::int64_t slot) {
  Differences differences;
  const std::byte* got = output(what, layout, slot);
  const std::int64_t width = element_bytes(what.dtype);
  if (reduces(what.collective)) {
    check_reduced(got, what, pattern_of(what, seed, size), first_reduced_element(what, index, size),
                  layout.receive_bytes / width, differences);
  }
  for (const Segment& segment : segments_of(what, index, size)) {
    check_random(got, seed, segment, width, differences);
  }
  Verification result{differences.count, {}};
  if (differences.count > 0) {
    result.first_wrong =
        describe_wrong(what, seed, index, size, differences.first, got + differences.first * width);
  }
  return result;
}

}  // namespace nccl_sweep::worker
