// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/expectation.hpp"

#include <fmt/format.h>

#include <array>

#include "worker/arithmetic.hpp"
#include "worker/layout.hpp"

namespace nccl_sweep::worker {

kernels::Pattern pattern_of(const Case& what, std::uint64_t seed, int size) {
  return kernels::make_pattern(what.dtype, what.op, size, seed);
}

std::string describe_wrong(const Case& what, std::uint64_t seed, int index, int size,
                           std::int64_t element, const std::byte* got) {
  const std::int64_t width = element_bytes(what.dtype);
  const std::int64_t offset = element * width;
  std::array<std::byte, 8> wanted{};
  if (reduces(what.collective)) {
    const kernels::Pattern pattern = pattern_of(what, seed, size);
    const std::int64_t reduced = first_reduced_element(what, index, size) + element;
    fill_answer(what.dtype, pattern, reduced, wanted.data(), 1);
    return fmt::format("offset {} owner rank {} got {} expected {}", offset,
                       kernels::owner_of(pattern, static_cast<std::uint64_t>(reduced)),
                       number_text(what.dtype, got), number_text(what.dtype, wanted.data()));
  }
  for (const Segment& segment : segments_of(what, index, size)) {
    const std::int64_t within = offset - segment.offset;
    if (within < 0 || within >= segment.bytes) continue;
    fill_random(seed, segment.source, wanted.data(), width, segment.source_offset + within);
    return fmt::format("offset {} from rank {} got {} expected {}", offset, segment.source,
                       bits_text(got, width), bits_text(wanted.data(), width));
  }
  return fmt::format("offset {} is not part of the output", offset);
}

}  // namespace nccl_sweep::worker
