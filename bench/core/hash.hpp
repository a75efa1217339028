// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine and in every version, so that it
// can stand in records. Tells things apart; protects against nobody.
#pragma once

#include <cstdint>
#include <string_view>

namespace nccl_sweep {

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace nccl_sweep
