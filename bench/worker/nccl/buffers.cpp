// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/buffers.hpp"

#include <fmt/format.h>

#include <utility>

#include "worker/backend.hpp"
#include "worker/nccl/cuda_device.hpp"

namespace nccl_sweep::worker {
namespace {

constexpr int kSymmetricWindow = 1;             // NCCL_WIN_COLL_SYMMETRIC
constexpr std::size_t kWindowAlignment = 4096;  // NCCL_WIN_REQUIRED_ALIGNMENT

}  // namespace

BufferKind parse_buffer_kind(std::string_view text) {
  if (text == "plain") return BufferKind::plain;
  if (text == "memalloc") return BufferKind::memalloc;
  if (text == "registered") return BufferKind::registered;
  if (text == "symmetric") return BufferKind::symmetric;
  throw Unsupported(fmt::format("unknown kind of buffer '{}'", text));
}

Buffers::Buffers(const NcclLibrary& nccl, BufferKind kind, std::int64_t bytes)
    : nccl_(nccl),
      kind_(kind),
      bytes_((static_cast<std::size_t>(bytes) + kWindowAlignment - 1) / kWindowAlignment *
             kWindowAlignment) {
  send_ = allocate();
  receive_ = allocate();
}

Buffers::Buffers(Buffers&& other) noexcept
    : nccl_(other.nccl_),
      kind_(other.kind_),
      bytes_(other.bytes_),
      send_(std::exchange(other.send_, nullptr)),
      receive_(std::exchange(other.receive_, nullptr)) {}

Buffers& Buffers::operator=(Buffers&& other) noexcept {
  std::swap(nccl_, other.nccl_);
  std::swap(kind_, other.kind_);
  std::swap(bytes_, other.bytes_);
  std::swap(send_, other.send_);
  std::swap(receive_, other.receive_);
  return *this;
}

Buffers::~Buffers() {
  free(send_);
  free(receive_);
}

std::byte* Buffers::allocate() const {
  void* memory = nullptr;
  if (kind_ == BufferKind::plain) {
    cuda_check(cudaMalloc(&memory, bytes_),
               fmt::format("cannot allocate {} bytes of device memory", bytes_).c_str());
  } else {
    nccl_.check(nccl_.need(nccl_.mem_alloc, "ncclMemAlloc")(&memory, bytes_),
                fmt::format("cannot allocate {} bytes by ncclMemAlloc", bytes_).c_str());
  }
  return static_cast<std::byte*>(memory);
}

void Buffers::free(std::byte* memory) const noexcept {
  if (memory == nullptr) return;
  if (kind_ == BufferKind::plain) {
    cudaFree(memory);
  } else if (nccl_.mem_free != nullptr) {
    nccl_.mem_free(memory);
  }
}

Buffers::Registration Buffers::register_with(ncclComm_t comm) const {
  Registration made;
  for (std::byte* memory : {send_, receive_}) {
    void* handle = nullptr;
    if (kind_ == BufferKind::registered) {
      nccl_.check(
          nccl_.need(nccl_.comm_register, "ncclCommRegister")(comm, memory, bytes_, &handle),
          "ncclCommRegister");
    } else if (kind_ == BufferKind::symmetric) {
      const auto register_window = nccl_.need(nccl_.window_register, "ncclCommWindowRegister");
      nccl_.check(register_window(comm, memory, bytes_, &handle, kSymmetricWindow),
                  "ncclCommWindowRegister");
      // NCCL answers with no window and no error where the peers cannot map each other's memory.
      if (handle == nullptr) {
        throw Unsupported("no symmetric window here: the ranks cannot map each other's memory");
      }
    }
    if (handle != nullptr) made.handles.push_back(handle);
  }
  return made;
}

void Buffers::deregister(ncclComm_t comm, const Registration& registration) const {
  for (void* handle : registration.handles) {
    if (kind_ == BufferKind::symmetric) {
      nccl_.check(nccl_.window_deregister(comm, handle), "ncclCommWindowDeregister");
    } else {
      nccl_.check(nccl_.comm_deregister(comm, handle), "ncclCommDeregister");
    }
  }
}

}  // namespace nccl_sweep::worker
