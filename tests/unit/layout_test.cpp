// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "worker/arithmetic.hpp"
#include "worker/backend.hpp"
#include "worker/expectation.hpp"

namespace nccl_sweep::worker {
namespace {

TEST(Slots, StayWithinTheArenaAndSpreadOverIt) {
  for (const std::int64_t arena : {4096LL, 1LL << 20, 64LL << 20, (64LL << 20) + 12345}) {
    for (const std::int64_t size : {1LL, 4LL, 100LL, 4096LL, 65536LL, 1LL << 20}) {
      const Slots slots = slots_of(Bytes{arena}, Bytes{size});
      EXPECT_GE(slots.count, 1);
      EXPECT_LE(slots.count, 1024);
      EXPECT_GE(slots.stride, size);
      EXPECT_EQ(slots.stride % 256, 0);
      if (slots.count > 1) {
        EXPECT_LE((slots.count - 1) * slots.stride + size, arena);
        const bool small = arena < 1 << 20;
        EXPECT_TRUE(small || 2 * slots.count * slots.stride > arena) << arena << " " << size;
      }
    }
  }
}

TEST(Slots, LargeSizesHaveAsManyAsFit) {
  EXPECT_EQ(slots_of(Bytes{64 << 20}, Bytes{16 << 20}).count, 4);
  EXPECT_EQ(slots_of(Bytes{64 << 20}, Bytes{64 << 20}).count, 1);
  EXPECT_EQ(slots_of(Bytes{64 << 20}, Bytes{4}).stride, 65536);
}

Case make_case(Collective collective, Placement placement, std::int64_t bytes) {
  Case what;
  what.collective = collective;
  what.placement = placement;
  what.size = Bytes{bytes};
  return what;  // of float32
}

constexpr int kRanks = 4;
constexpr std::int64_t kShare = 64;
constexpr std::int64_t kTotal = kRanks * kShare;

struct Expected {
  Collective collective;
  bool root;
  Layout layout;  // of rank 0 where root, else of rank 2
};
// nccl-tests' getCollByteCount and in-place offsets.
const Expected kExpected[] = {
    {Collective::all_gather, true, {kShare, kTotal, 0, 0}},
    {Collective::all_gather, false, {kShare, kTotal, 2 * kShare, 0}},
    {Collective::reduce_scatter, true, {kTotal, kShare, 0, 0}},
    {Collective::reduce_scatter, false, {kTotal, kShare, 0, 2 * kShare}},
    {Collective::all_reduce, false, {kTotal, kTotal, 0, 0}},
    {Collective::alltoall, false, {kTotal, kTotal, 0, 0}},
    {Collective::sendrecv, false, {kTotal, kTotal, 0, 0}},
    {Collective::broadcast, true, {kTotal, kTotal, 0, 0}},
    {Collective::broadcast, false, {0, kTotal, 0, 0}},
    {Collective::reduce, true, {kTotal, kTotal, 0, 0}},
    {Collective::reduce, false, {kTotal, 0, 0, 0}},
    {Collective::gather, true, {kShare, kTotal, 0, 0}},
    {Collective::gather, false, {kShare, 0, 2 * kShare, 0}},
    {Collective::scatter, true, {kTotal, kShare, 0, 0}},
    {Collective::scatter, false, {0, kShare, 0, 2 * kShare}},
};

TEST(Layouts, AreNcclTests) {
  for (const Expected& expected : kExpected) {
    const Case what = make_case(expected.collective, Placement::out_of_place, kTotal);
    const Layout layout = layout_of(what, expected.root ? 0 : 2, kRanks);
    EXPECT_EQ(layout.send_bytes, expected.layout.send_bytes) << describe(what);
    EXPECT_EQ(layout.receive_bytes, expected.layout.receive_bytes) << describe(what);
    EXPECT_EQ(layout.send_offset, expected.layout.send_offset) << describe(what);
    EXPECT_EQ(layout.receive_offset, expected.layout.receive_offset) << describe(what);
  }
}

TEST(Layouts, RejectWhatCannotBeRun) {
  const auto layout = [](Collective collective, Placement placement, std::int64_t bytes) {
    return layout_of(make_case(collective, placement, bytes), 1, kRanks);
  };
  EXPECT_THROW(layout(Collective::alltoall, Placement::in_place, kTotal), Unsupported);
  EXPECT_THROW(layout(Collective::sendrecv, Placement::in_place, kTotal), Unsupported);
  EXPECT_THROW(layout(Collective::scatter, Placement::out_of_place, kTotal + 4), Unsupported);
  EXPECT_THROW(layout(Collective::broadcast, Placement::out_of_place, 6), Unsupported);
  EXPECT_THROW(layout(Collective::broadcast, Placement::out_of_place, 0), Unsupported);
  EXPECT_EQ(layout(Collective::broadcast, Placement::in_place, kTotal + 4).receive_bytes,
            kTotal + 4);
}

// Moves bytes as the collective must, from its definition and not from segments_of().
std::vector<std::byte> moved(Collective collective, int to,
                             const std::vector<std::vector<std::byte>>& sent) {
  std::vector<std::byte> out;
  const auto append = [&](int rank, std::int64_t begin, std::int64_t bytes) {
    const auto from = sent[static_cast<std::size_t>(rank)].begin() + begin;
    out.insert(out.end(), from, from + bytes);
  };
  if (collective == Collective::broadcast) append(0, 0, kTotal);
  if (collective == Collective::scatter) append(0, to * kShare, kShare);
  if (collective == Collective::sendrecv) append(to == 0 ? kRanks - 1 : to - 1, 0, kTotal);
  for (int rank = 0; rank < kRanks; ++rank) {
    const bool gathers = collective == Collective::gather && to == 0;
    if (collective == Collective::all_gather || gathers) append(rank, 0, kShare);
    if (collective == Collective::alltoall) append(rank, to * kShare, kShare);
  }
  return out;
}

TEST(Segments, AreTheOutputOfEveryCollectiveThatCopies) {
  constexpr std::uint64_t kSeed = 11;
  for (Collective collective : all_collectives()) {
    const Case what = make_case(collective, Placement::out_of_place, kTotal);
    std::vector<std::vector<std::byte>> sent;
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::int64_t bytes = layout_of(what, rank, kRanks).send_bytes;
      sent.emplace_back(static_cast<std::size_t>(bytes));
      fill_random(kSeed, rank, sent.back().data(), bytes);
    }
    for (int to = 0; to < kRanks; ++to) {
      std::vector<std::byte> wanted;
      for (const Segment& segment : segments_of(what, to, kRanks)) {
        ASSERT_EQ(segment.offset, static_cast<std::int64_t>(wanted.size()));
        wanted.resize(wanted.size() + static_cast<std::size_t>(segment.bytes));
        fill_random(kSeed, segment.source, wanted.data() + segment.offset, segment.bytes,
                    segment.source_offset);
      }
      const bool copies = !reduces(collective);
      const std::int64_t received = copies ? layout_of(what, to, kRanks).receive_bytes : 0;
      EXPECT_EQ(static_cast<std::int64_t>(wanted.size()), received) << describe(what);
      EXPECT_TRUE(wanted == moved(collective, to, sent)) << describe(what) << " to " << to;
    }
  }
}

TEST(WrongElements, AreDescribedWithTheRankTheyComeFrom) {
  constexpr std::uint64_t kSeed = 11;
  const Case copy = make_case(Collective::alltoall, Placement::out_of_place, kTotal);
  std::vector<std::byte> sent(kTotal);
  fill_random(kSeed, 3, sent.data(), kTotal);
  const std::byte zero[4] = {};
  // Element 50 of rank 1's output is element 2 of rank 3's part of it.
  EXPECT_EQ(
      describe_wrong(copy, kSeed, 1, kRanks, 50, zero),
      "offset 200 from rank 3 got 0x00000000 expected " + bits_text(sent.data() + kShare + 8, 4));

  const Case sum = make_case(Collective::reduce_scatter, Placement::out_of_place, kTotal);
  const auto pattern = pattern_of(sum, kSeed, kRanks);
  const std::uint64_t element = 16 + 5;  // the sixth of rank 1's share
  EXPECT_EQ(describe_wrong(sum, kSeed, 1, kRanks, 5, zero),
            "offset 20 owner rank " + std::to_string(kernels::owner_of(pattern, element)) +
                " got 0 expected " + std::to_string(kernels::answer(pattern, element)));
}

}  // namespace
}  // namespace nccl_sweep::worker
