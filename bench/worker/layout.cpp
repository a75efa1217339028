// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {

Layout layout_of(const Case& what, int index, int size) {
  const std::int64_t total = what.size.value;
  const std::int64_t share = total / size;
  if (total <= 0) throw Unsupported(fmt::format("{}: nothing to send", describe(what)));
  const std::int64_t width = element_bytes(what.dtype);
  const bool shares = what.collective != Collective::all_reduce;
  if (total % width != 0 || (shares && (share * size != total || share % width != 0))) {
    throw Unsupported(fmt::format("{}: the size does not divide into {} shares of whole elements",
                                  describe(what), size));
  }
  switch (what.collective) {
    case Collective::all_gather:
      return {share, total, index * share, 0};
    case Collective::reduce_scatter:
      return {total, share, 0, index * share};
    case Collective::all_reduce:
      return {total, total, 0, 0};
    default:
      throw Unsupported(
          fmt::format("all_gather, reduce_scatter and all_reduce can be run, {} cannot yet",
                      to_string(what.collective)));
  }
}

Slots slots_of(Bytes arena, Bytes size) {
  constexpr std::int64_t kMost = 1024;
  constexpr std::int64_t kAlignment = 256;  // bytes; what GPU allocations have
  const std::int64_t fitting = std::max<std::int64_t>(1, arena.value / size.value);
  if (fitting <= kMost) return {fitting, size.value};
  const std::int64_t even = arena.value / kMost / kAlignment * kAlignment;
  return {kMost, std::max(size.value, even)};
}

}  // namespace nccl_sweep::worker
