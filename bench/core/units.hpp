// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Values with their unit in the type, and the texts users write and read for them. Sizes follow
// nccl-tests: K, M, G, T are binary (64K = 65536); bandwidths are decimal (1 GB/s = 1e9 B/s).
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace nccl_sweep {

using Seconds = std::chrono::duration<double>;

struct Bytes {
  std::int64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
};

struct Bandwidth {
  double bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;
};

// "8", "64K", "1.5G", "64KiB", "8MiB": binary units as in nccl-tests. Decimal spellings (KB, MB,
// GB) are refused, because nobody means the same by them. Throws a usage Error that names `where`.
Bytes parse_size(std::string_view text, std::string_view where = {});

// "90", "30s", "5m", "2h", "250ms". A bare number is seconds. Throws a usage Error.
Seconds parse_duration(std::string_view text, std::string_view where = {});

std::string format_size(Bytes size);           // "64 KiB", "24.03 MiB", exact bytes below 1 KiB
std::string format_size_exact(Bytes size);     // "64K" where exact, else digits: parse_size reads it
std::string format_seconds(Seconds time);      // "13.1 us", "1.48 ms", "2.3 s", "4 min 10 s"
std::string format_bandwidth(Bandwidth rate);  // "40.0 GB/s"

// "1 round", "3 rounds": nouns whose plural takes an s.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace nccl_sweep
