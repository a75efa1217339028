// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's words for collectives and element types (ProcessGroupNCCL, torchcomms; c10 types) in
// ours. Used by the readers of PyTorch's trace formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/collective.hpp"

namespace nccl_sweep {

// Records that send no data: wait, barrier, init and the marks around coalesced calls.
bool is_torch_bookkeeping(std::string_view name);

std::optional<Collective> torch_collective(std::string_view name);

struct TorchType {
  DataType dtype = DataType::uint8;  // what NCCL moves: Bool and 16-bit integers go as bytes
  std::int64_t bytes = 1;            // of one PyTorch element; ComplexFloat has 8
};
std::optional<TorchType> torch_type(std::string_view name);

}  // namespace nccl_sweep
