// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Send and receive arena of a worker on the host and where the ops of a case lie in them. As in
// nccl-tests, ops rotate through the arena (slots_of in worker/layout.hpp), so that
// repeated ops don't find their data in a cache. In place, everything lies in the receive arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/case.hpp"
#include "worker/backend.hpp"
#include "worker/layout.hpp"

namespace nccl_sweep::worker {

struct Unmap {
  std::int64_t bytes = 0;
  void operator()(std::byte* memory) const;
};

class Buffers {
 public:
  // Maps and touches two arenas of at least `bytes`. Throws std::runtime_error.
  void allocate(std::int64_t bytes);

  std::int64_t slots(const Case&) const;  // at least one
  const std::byte* input(const Case&, const Layout&, std::int64_t slot) const;
  std::byte* output(const Case&, const Layout&, std::int64_t slot);

  // Predictable input in slots first .. last - 1, and outputs that cannot be right by accident.
  void fill(const Case&, const Layout&, std::uint64_t seed, int index, int size, std::int64_t first,
            std::int64_t last);

  // Compares every element of the slot's output with the answer.
  Verification check(const Case&, const Layout&, std::uint64_t seed, int index, int size,
                     std::int64_t slot);

 private:
  using Arena = std::unique_ptr<std::byte, Unmap>;
  static Arena map(std::int64_t bytes);

  std::byte* input_memory(const Case&, const Layout&, std::int64_t slot) const;

  std::int64_t bytes_ = 0;
  Arena send_;
  Arena receive_;
};

}  // namespace nccl_sweep::worker
