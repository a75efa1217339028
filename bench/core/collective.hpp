// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives, data types and reductions with nccl-tests' meaning of size, count, algbw and busbw
// (nccl-tests doc/PERFORMANCE.md). No spec, no JSON. Everybody uses it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace nccl_sweep {

enum class Collective {
  all_gather, reduce_scatter, all_reduce, alltoall, broadcast, reduce, gather, scatter, sendrecv
};

// NCCL's ncclDataType_t, same order and numbers.
enum class DataType {
  int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16,
  float8e4m3, float8e5m2
};

enum class ReduceOp { sum, prod, max, min, avg };  // ncclRedOp_t, same numbers

enum class Placement { out_of_place, in_place };

std::string_view to_string(Collective);  // "all_gather"
std::string_view to_string(DataType);    // "bfloat16", "float32"
std::string_view to_string(ReduceOp);    // "sum"
std::string_view to_string(Placement);   // "out_of_place"

// The word nccl-tests prints for it: float16 -> "half", float32 -> "float", float64 -> "double",
// float8e4m3 -> "f8e4m3".
std::string_view nccl_tests_word(DataType);

// Parsers take our words and nccl-tests'; they throw a usage Error with a did-you-mean.
Collective parse_collective(std::string_view text, std::string_view where = {});
DataType parse_data_type(std::string_view text, std::string_view where = {});
ReduceOp parse_reduce_op(std::string_view text, std::string_view where = {});
Placement parse_placement(std::string_view text, std::string_view where = {});

std::span<const Collective> all_collectives();

std::int64_t element_bytes(DataType);

bool reduces(Collective);  // all_reduce, reduce_scatter, reduce: the redop matters
bool rooted(Collective);   // broadcast, reduce, gather, scatter

// True where size is the sum over ranks (all_gather output, reduce_scatter input, alltoall,
// gather, scatter), so each rank's share is size / n.
bool size_is_total_over_ranks(Collective);

// busbw = algbw x factor; algbw = size / time. n is the number of ranks of the group.
double busbw_factor(Collective, int ranks);
Bandwidth algorithm_bandwidth(Bytes size, Seconds time);
Bandwidth bus_bandwidth(Collective, Bytes size, int ranks, Seconds time);

// What is really run for a requested size. nccl-tests rounds each rank's share of the total-size
// collectives down to 16 bytes, the others down to one element; below one share the size is 0.
// elements = size / element_bytes; count_column is what nccl-tests prints as count (per rank for
// the total-size collectives).
struct CaseSize {
  Bytes size;
  std::int64_t elements = 0;
  std::int64_t count_column = 0;
};
CaseSize nccl_tests_size(Collective, DataType, Bytes requested, int ranks);

}  // namespace nccl_sweep
