// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The device's data is the host's, bit for bit, and the device's check sees what is wrong. With
// memory and race checks, on a machine with a GPU: compute-sanitizer build/bin/kernels_test
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device_data.hpp"
#include "kernels/load.hpp"
#include "worker/arithmetic.hpp"
#include "worker/expectation.hpp"

namespace nccl_sweep::kernels {
namespace {

constexpr std::int64_t kCount = 100'003;  // a rest after the last pack in every type
constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min,
                             ReduceOp::avg};

class Kernels : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
    ASSERT_EQ(cudaMalloc(&memory_, kCount * 8 + 64), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&found_, sizeof(Mismatch)), cudaSuccess);
  }
  void TearDown() override {
    cudaFree(memory_);
    cudaFree(found_);
  }

  std::vector<std::byte> download(std::size_t offset, std::int64_t bytes) {
    std::vector<std::byte> host(static_cast<std::size_t>(bytes));
    EXPECT_EQ(cudaMemcpy(host.data(), at(offset), host.size(), cudaMemcpyDefault), cudaSuccess);
    return host;
  }
  void upload(std::size_t offset, const std::vector<std::byte>& host) {
    ASSERT_EQ(cudaMemcpy(at(offset), host.data(), host.size(), cudaMemcpyDefault), cudaSuccess);
  }
  std::byte* at(std::size_t offset) { return static_cast<std::byte*>(memory_) + offset; }

  template <class F>
  Mismatch verify(F&& launch) {
    Mismatch found{0, kNothingWrong};
    EXPECT_EQ(cudaMemcpy(found_, &found, sizeof found, cudaMemcpyDefault), cudaSuccess);
    launch(static_cast<Mismatch*>(found_));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&found, found_, sizeof found, cudaMemcpyDefault), cudaSuccess);
    return found;
  }

  void* memory_ = nullptr;
  void* found_ = nullptr;
};

TEST_F(Kernels, FillWithTheHostsContributionsInEveryTypeAndOp) {
  for (int t = 0; t <= static_cast<int>(DataType::float8e5m2); ++t) {
    const auto type = static_cast<DataType>(t);
    const std::int64_t width = element_bytes(type);
    for (ReduceOp op : kOps) {
      for (std::size_t offset : {std::size_t{0}, static_cast<std::size_t>(width)}) {
        const Pattern pattern = make_pattern(type, op, 8, 77);
        std::vector<std::byte> wanted(static_cast<std::size_t>(kCount * width));
        worker::fill_contribution(type, pattern, 3, 0, wanted.data(), kCount);
        fill_contribution(type, pattern, 3, at(offset), kCount, nullptr);
        EXPECT_TRUE(download(offset, kCount * width) == wanted)
            << to_string(type) << " " << to_string(op) << " at offset " << offset;
      }
    }
  }
}

TEST_F(Kernels, AcceptTheHostsAnswersAndFindOneWrongElement) {
  for (int t = 0; t <= static_cast<int>(DataType::float8e5m2); ++t) {
    const auto type = static_cast<DataType>(t);
    const auto width = static_cast<std::size_t>(element_bytes(type));
    for (ReduceOp op : kOps) {
      // 1024 starts a pack of every type, 1001 none: packs of 16 bytes, and single elements.
      for (std::int64_t first : {1024, 1001}) {
        SCOPED_TRACE(std::string(to_string(type)) + " " + std::string(to_string(op)) + " from " +
                     std::to_string(first));
        const Pattern pattern = make_pattern(type, op, 8, 77);
        std::vector<std::byte> answers(static_cast<std::size_t>(kCount) * width);
        worker::fill_answer(type, pattern, first, answers.data(), kCount);
        upload(0, answers);
        const auto check = [&](Mismatch* found) {
          verify_answer(type, pattern, memory_, first, kCount, found, nullptr);
        };
        EXPECT_EQ(verify(check).count, 0u);
        answers[54321 * width] ^= std::byte{1};
        upload(0, answers);
        const Mismatch one = verify(check);
        EXPECT_EQ(one.count, 1u);
        EXPECT_EQ(one.first, 54321u);
      }
    }
  }
}

TEST_F(Kernels, AllowAnAverageOfThreeItsRounding) {
  const Pattern pattern = make_pattern(DataType::float32, ReduceOp::avg, 3, 77);
  std::vector<std::byte> answers(kCount * 4);
  worker::fill_answer(DataType::float32, pattern, 0, answers.data(), kCount);
  std::size_t element = 5;  // a large one, so that its last bits are below the tolerance
  while (answer(pattern, element) < 1 << 22) ++element;
  const auto check = [&](Mismatch* found) {
    verify_answer(DataType::float32, pattern, memory_, 0, kCount, found, nullptr);
  };
  answers[element * 4] ^= std::byte{1};
  upload(0, answers);
  EXPECT_EQ(verify(check).count, 0u);
  answers[element * 4 + 2] ^= std::byte{1};
  upload(0, answers);
  EXPECT_EQ(verify(check).first, element);
}

TEST_F(Kernels, FillWithTheHostsRandomBytesAtAnyAlignment) {
  std::vector<std::byte> wanted(static_cast<std::size_t>(kCount));
  worker::fill_random(9, 2, wanted.data(), kCount);
  for (std::size_t offset : {0, 4, 1}) {
    fill_random(at(offset), kCount, 9, 2, nullptr);
    EXPECT_TRUE(download(offset, kCount) == wanted) << "at offset " << offset;
  }
}

TEST_F(Kernels, FindWrongRandomElementsOfEveryWidthFromAnyStart) {
  for (int width : {1, 2, 4, 8}) {
    const std::int64_t elements = kCount / width;
    const std::int64_t bytes = elements * width;
    for (std::int64_t start : {0LL, 4096LL, 8LL, 3LL, (1LL << 34) - 16}) {
      for (std::size_t offset : {std::size_t{0}, static_cast<std::size_t>(width)}) {
        SCOPED_TRACE("width " + std::to_string(width) + " start " + std::to_string(start) +
                     " offset " + std::to_string(offset));
        std::vector<std::byte> wanted(static_cast<std::size_t>(bytes));
        worker::fill_random(9, 2, wanted.data(), bytes, start);
        upload(offset, wanted);
        const auto check = [&](Mismatch* found) {
          verify_random(at(offset), bytes, 9, 2, width, 500, found, nullptr, start);
        };
        EXPECT_EQ(verify(check).count, 0u);
        wanted[static_cast<std::size_t>(17 * width)] ^= std::byte{0x80};
        wanted[static_cast<std::size_t>(bytes) - 1] ^= std::byte{1};
        upload(offset, wanted);
        const Mismatch two = verify(check);
        EXPECT_EQ(two.count, 2u);
        EXPECT_EQ(two.first, 517u);
      }
    }
  }
}

// What a collective that goes wrong would leave behind: nearly every element is found.
TEST_F(Kernels, FindAnotherRanksOldAndShiftedBytes) {
  const auto wrong_after = [&](std::uint64_t seed, int rank, std::int64_t start) {
    std::vector<std::byte> sent(static_cast<std::size_t>(kCount));
    worker::fill_random(seed, rank, sent.data(), kCount, start);
    upload(0, sent);
    return verify([&](Mismatch* found) {
             verify_random(memory_, kCount / 4 * 4, 9, 2, 4, 0, found, nullptr);
           })
        .count;
  };
  EXPECT_EQ(wrong_after(9, 2, 0), 0u);
  constexpr unsigned long long kNearlyAll = kCount / 4 - 3;
  EXPECT_GT(wrong_after(9, 3, 0), kNearlyAll);
  EXPECT_GT(wrong_after(8, 2, 0), kNearlyAll);
  EXPECT_GT(wrong_after(9, 2, 16), kNearlyAll);
}

TEST_F(Kernels, LeadToAWrongElementThatTheHostDescribes) {
  constexpr int kRanks = 4;
  Case what;
  what.collective = Collective::alltoall;
  what.size = Bytes{4 * 4096};
  fill_random(memory_, 4096, 9, 3, nullptr);  // rank 3's first segment, where its second must be
  const Mismatch found = verify([&](Mismatch* result) {
    verify_random(memory_, 4096, 9, 3, 4, 3 * 1024, result, nullptr, 4096);
  });
  ASSERT_GT(found.count, 1000u);
  const auto got = download((found.first - 3 * 1024) * 4, 4);
  const std::string text = worker::describe_wrong(
      what, 9, 1, kRanks, static_cast<std::int64_t>(found.first), got.data());
  std::byte wanted[4];
  worker::fill_random(9, 3, wanted, 4, 4096);
  EXPECT_EQ(text, "offset 12288 from rank 3 got " + worker::bits_text(got.data(), 4) +
                      " expected " + worker::bits_text(wanted, 4));
}

class Load : public ::testing::TestWithParam<LoadKind> {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
    ASSERT_EQ(cudaMalloc(&scratch_, kBytes), cudaSuccess);
  }
  void TearDown() override { cudaFree(scratch_); }

  std::vector<std::byte> run(int ctas, int waves) {
    EXPECT_EQ(cudaMemset(scratch_, 0, kBytes), cudaSuccess);
    if (GetParam() == LoadKind::copy) fill_random(scratch_, kBytes / 2, 1, 0, nullptr);
    launch_load(GetParam(), ctas, waves, scratch_, kBytes, nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<std::byte> host(kBytes);
    EXPECT_EQ(cudaMemcpy(host.data(), scratch_, kBytes, cudaMemcpyDefault), cudaSuccess);
    return host;
  }

  static constexpr std::size_t kBytes = 8 << 20;
  void* scratch_ = nullptr;
};

TEST_P(Load, HasAMultiprocessorForEachBlock) {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  EXPECT_EQ(resident_load_ctas(GetParam()), multiprocessors);
}

TEST_P(Load, DoesItsWork) {
  const int all = resident_load_ctas(GetParam());
  ASSERT_GT(all, 0);
  for (const auto& [ctas, waves] : {std::pair{1, 1}, {all / 2, 3}, {all, 2}, {2 * all, 3}}) {
    SCOPED_TRACE(std::to_string(ctas) + " thread blocks, " + std::to_string(waves) + " waves");
    const auto host = run(ctas, waves);
    if (GetParam() == LoadKind::copy) {
      const std::size_t copied =  // 64 KiB a block and wave, from the start again at the half
          std::min(static_cast<std::size_t>(ctas) * static_cast<std::size_t>(waves) * (64U << 10),
                   kBytes / 2);
      EXPECT_TRUE(std::equal(host.begin(), host.begin() + copied, host.begin() + kBytes / 2));
    } else {
      const std::size_t last = 4 * (256 * static_cast<std::size_t>(ctas) - 1);
      EXPECT_NE(host[last + 3], std::byte{0});  // of a float between 0 and 8: not zero
      EXPECT_EQ(host[kBytes - 1], std::byte{0});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Load, ::testing::Values(LoadKind::fma, LoadKind::copy),
                         [](const auto& kind) {
                           return kind.param == LoadKind::fma ? "MultiplyAdds" : "Copies";
                         });

}  // namespace
}  // namespace nccl_sweep::kernels
