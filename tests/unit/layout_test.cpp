// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "worker/layout.hpp"

namespace nccl_sweep::worker {
namespace {

TEST(Slots, StayWithinTheArenaAndSpreadOverIt) {
  for (const std::int64_t arena : {4096LL, 1LL << 20, 64LL << 20, (64LL << 20) + 12345}) {
    for (const std::int64_t size : {1LL, 4LL, 100LL, 4096LL, 65536LL, 1LL << 20}) {
      const Slots slots = slots_of(Bytes{arena}, Bytes{size});
      EXPECT_GE(slots.count, 1);
      EXPECT_LE(slots.count, 1024);
      EXPECT_GE(slots.stride, size);
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

}  // namespace
}  // namespace nccl_sweep::worker
