// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {

namespace {

void reject_what_cannot_run(const Case& what, int size) {
  const std::int64_t total = what.size.value;
  const std::int64_t share = total / size;
  const std::int64_t width = element_bytes(what.dtype);
  if (total <= 0) throw Unsupported(fmt::format("{}: nothing to send", describe(what)));
  const bool shares = size_is_total_over_ranks(what.collective);
  if (total % width != 0 || (shares && (share * size != total || share % width != 0))) {
    throw Unsupported(fmt::format("{}: the size does not divide into {} shares of whole elements",
                                  describe(what), size));
  }
  const bool exchange =
      what.collective == Collective::alltoall || what.collective == Collective::sendrecv;
  if (exchange && what.placement == Placement::in_place) {
    throw Unsupported(
        fmt::format("{}: {} has no in-place form", describe(what), to_string(what.collective)));
  }
}

}  // namespace

Layout layout_of(const Case& what, int index, int size) {
  reject_what_cannot_run(what, size);
  const std::int64_t total = what.size.value;
  const std::int64_t share = total / size;
  const bool root = index == kRoot;
  switch (what.collective) {
    case Collective::all_gather:
      return {share, total, index * share, 0};
    case Collective::reduce_scatter:
      return {total, share, 0, index * share};
    case Collective::gather:
      return {share, root ? total : 0, index * share, 0};
    case Collective::scatter:
      return {root ? total : 0, share, 0, index * share};
    case Collective::broadcast:
      return {root ? total : 0, total, 0, 0};
    case Collective::reduce:
      return {total, root ? total : 0, 0, 0};
    case Collective::all_reduce:
    case Collective::alltoall:
    case Collective::sendrecv:
      break;
  }
  return {total, total, 0, 0};
}

std::vector<Segment> segments_of(const Case& what, int index, int size) {
  const std::int64_t total = what.size.value;
  const std::int64_t share = total / size;
  std::vector<Segment> segments;
  switch (what.collective) {
    case Collective::gather:
      if (index != kRoot) break;
      [[fallthrough]];
    case Collective::all_gather:
      for (int rank = 0; rank < size; ++rank) segments.push_back({rank, 0, rank * share, share});
      break;
    case Collective::alltoall:
      for (int rank = 0; rank < size; ++rank) {
        segments.push_back({rank, index * share, rank * share, share});
      }
      break;
    case Collective::scatter:
      return {{kRoot, index * share, 0, share}};
    case Collective::broadcast:
      return {{kRoot, 0, 0, total}};
    case Collective::sendrecv:  // a ring: to the next rank, from the one before
      return {{(index + size - 1) % size, 0, 0, total}};
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::reduce:
      break;
  }
  return segments;
}

std::int64_t first_reduced_element(const Case& what, int index, int size) {
  if (what.collective != Collective::reduce_scatter) return 0;
  return index * (what.size.value / size / element_bytes(what.dtype));
}

Slots slots_of(Bytes arena, Bytes size) {
  constexpr std::int64_t kMost = 1024;
  constexpr std::int64_t kAlignment = 256;  // bytes; what a training job's buffers have
  const std::int64_t aligned = (size.value + kAlignment - 1) / kAlignment * kAlignment;
  const std::int64_t fitting = std::max<std::int64_t>(1, arena.value / aligned);
  if (fitting <= kMost) return {fitting, aligned};
  const std::int64_t even = arena.value / kMost / kAlignment * kAlignment;
  return {kMost, std::max(aligned, even)};
}

}  // namespace nccl_sweep::worker
