// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The device's data is the host's, bit for bit, and the device's check sees what is wrong.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/device_data.hpp"
#include "worker/arithmetic.hpp"

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
      const Pattern pattern = make_pattern(type, op, 8, 77);
      std::vector<std::byte> answers(static_cast<std::size_t>(kCount) * width);
      worker::fill_answer(type, pattern, 1000, answers.data(), kCount);
      upload(0, answers);
      const auto check = [&](Mismatch* found) {
        verify_answer(type, pattern, memory_, 1000, kCount, found, nullptr);
      };
      EXPECT_EQ(verify(check).count, 0u) << to_string(type) << " " << to_string(op);
      answers[54321 * width] ^= std::byte{1};
      upload(0, answers);
      const Mismatch one = verify(check);
      EXPECT_EQ(one.count, 1u) << to_string(type) << " " << to_string(op);
      EXPECT_EQ(one.first, 54321u) << to_string(type) << " " << to_string(op);
    }
  }
}

TEST_F(Kernels, FillWithTheHostsRandomBytesAndFindWrongOnes) {
  std::vector<std::byte> wanted(static_cast<std::size_t>(kCount));
  worker::fill_random(9, 2, wanted.data(), kCount);
  fill_random(memory_, kCount, 9, 2, nullptr);
  EXPECT_TRUE(download(0, kCount) == wanted);
  const auto check = [&](Mismatch* found) {
    verify_random(memory_, kCount, 9, 2, 1, 0, found, nullptr);
  };
  EXPECT_EQ(verify(check).count, 0u);
  wanted[17] ^= std::byte{0x80};
  wanted[static_cast<std::size_t>(kCount) - 1] ^= std::byte{1};
  upload(0, wanted);
  const Mismatch two = verify(check);
  EXPECT_EQ(two.count, 2u);
  EXPECT_EQ(two.first, 17u);
}

}  // namespace
}  // namespace nccl_sweep::kernels
