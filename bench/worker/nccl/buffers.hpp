// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The buffers of the collectives, by kind: how they are allocated, and how each communicator gets
// to know them. A knob ("buffer"), because NCCL takes other paths for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "worker/nccl/nccl_library.hpp"

namespace nccl_sweep::worker {

enum class BufferKind {
  plain,       // cudaMalloc
  memalloc,    // ncclMemAlloc, not registered
  registered,  // ncclMemAlloc and ncclCommRegister
  symmetric    // ncclMemAlloc and a symmetric window: other kernels
};
BufferKind parse_buffer_kind(std::string_view text);  // throws Unsupported

// One send and one receive buffer of equal size. Movable only; frees its memory.
class Buffers {
 public:
  Buffers() = default;
  // Throws Unsupported where the library lacks what the kind needs, std::runtime_error where the
  // memory does not suffice.
  Buffers(const NcclLibrary& nccl, BufferKind kind, std::int64_t bytes);
  Buffers(Buffers&& other) noexcept;
  Buffers& operator=(Buffers&& other) noexcept;
  ~Buffers();

  std::byte* send() const { return send_; }
  std::byte* receive() const { return receive_; }

  // Makes them known to a communicator. Collective over its ranks for symmetric windows.
  struct Registration {
    std::vector<void*> handles;
  };
  Registration register_with(ncclComm_t comm) const;
  void deregister(ncclComm_t comm, const Registration& registration) const;

 private:
  std::byte* allocate() const;
  void free(std::byte* memory) const noexcept;

  NcclLibrary nccl_;
  BufferKind kind_ = BufferKind::plain;
  std::size_t bytes_ = 0;
  std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
};

}  // namespace nccl_sweep::worker
