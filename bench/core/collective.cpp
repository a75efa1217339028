// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/collective.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

constexpr std::array kCollectiveNames{"all_gather", "reduce_scatter", "all_reduce",
                                      "alltoall",   "broadcast",      "reduce",
                                      "gather",     "scatter",        "sendrecv"};
constexpr std::array kAllCollectives{
    Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
    Collective::alltoall,   Collective::broadcast,      Collective::reduce,
    Collective::gather,     Collective::scatter,        Collective::sendrecv};

struct TypeFacts {
  const char* name;
  const char* nccl_tests;
  std::int64_t bytes;
};
constexpr std::array<TypeFacts, 12> kTypes{{{"int8", "int8", 1},
                                            {"uint8", "uint8", 1},
                                            {"int32", "int32", 4},
                                            {"uint32", "uint32", 4},
                                            {"int64", "int64", 8},
                                            {"uint64", "uint64", 8},
                                            {"float16", "half", 2},
                                            {"float32", "float", 4},
                                            {"float64", "double", 8},
                                            {"bfloat16", "bfloat16", 2},
                                            {"float8e4m3", "f8e4m3", 1},
                                            {"float8e5m2", "f8e5m2", 1}}};
constexpr std::array kReduceOps{"sum", "prod", "max", "min", "avg"};
constexpr std::array kPlacements{"out_of_place", "in_place"};

template <std::size_t N>
std::vector<std::string> words(const std::array<const char*, N>& names) {
  return {names.begin(), names.end()};
}

[[noreturn]] void unknown(std::string_view kind, std::string_view text, std::string_view where,
                          const std::vector<std::string>& known) {
  throw usage_error(fmt::format("unknown {} '{}'", kind, text), std::string(where),
                    did_you_mean(text, known));
}

template <class Enum, std::size_t N>
Enum parse_word(std::string_view kind, std::string_view text, std::string_view where,
                const std::array<const char*, N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    if (text == names[i]) return static_cast<Enum>(i);
  }
  unknown(kind, text, where, words(names));
}

}  // namespace

std::string_view to_string(Collective c) { return kCollectiveNames.at(static_cast<std::size_t>(c)); }
std::string_view to_string(DataType t) { return kTypes.at(static_cast<std::size_t>(t)).name; }
std::string_view to_string(ReduceOp op) { return kReduceOps.at(static_cast<std::size_t>(op)); }
std::string_view to_string(Placement p) { return kPlacements.at(static_cast<std::size_t>(p)); }
std::string_view nccl_tests_word(DataType t) {
  return kTypes.at(static_cast<std::size_t>(t)).nccl_tests;
}

Collective parse_collective(std::string_view text, std::string_view where) {
  // The binaries' names (all_gather_perf) and NCCL's spellings are what people paste.
  if (text.ends_with("_perf")) text.remove_suffix(5);
  constexpr std::array<std::pair<const char*, Collective>, 6> kAliases{
      {{"allgather", Collective::all_gather},
       {"reducescatter", Collective::reduce_scatter},
       {"allreduce", Collective::all_reduce},
       {"all_to_all", Collective::alltoall},
       {"all2all", Collective::alltoall},
       {"send_recv", Collective::sendrecv}}};
  for (const auto& [alias, collective] : kAliases) {
    if (text == alias) return collective;
  }
  return parse_word<Collective>("collective", text, where, kCollectiveNames);
}

DataType parse_data_type(std::string_view text, std::string_view where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (text == kTypes[i].name || text == kTypes[i].nccl_tests) return static_cast<DataType>(i);
    known.emplace_back(kTypes[i].name);
  }
  constexpr std::array<std::pair<const char*, DataType>, 7> kAliases{
      {{"bf16", DataType::bfloat16},
       {"fp16", DataType::float16},
       {"fp32", DataType::float32},
       {"fp64", DataType::float64},
       {"fp8e4m3", DataType::float8e4m3},
       {"fp8e5m2", DataType::float8e5m2},
       {"char", DataType::int8}}};
  for (const auto& [alias, type] : kAliases) {
    if (text == alias) return type;
  }
  unknown("dtype", text, where, known);
}

ReduceOp parse_reduce_op(std::string_view text, std::string_view where) {
  return parse_word<ReduceOp>("redop", text, where, kReduceOps);
}

Placement parse_placement(std::string_view text, std::string_view where) {
  if (text == "out-of-place") return Placement::out_of_place;
  if (text == "in-place") return Placement::in_place;
  return parse_word<Placement>("placement", text, where, kPlacements);
}

std::span<const Collective> all_collectives() { return kAllCollectives; }

std::int64_t element_bytes(DataType t) { return kTypes.at(static_cast<std::size_t>(t)).bytes; }

bool reduces(Collective c) {
  return c == Collective::all_reduce || c == Collective::reduce_scatter || c == Collective::reduce;
}

bool rooted(Collective c) {
  return c == Collective::broadcast || c == Collective::reduce || c == Collective::gather ||
         c == Collective::scatter;
}

bool size_is_total_over_ranks(Collective c) {
  return c == Collective::all_gather || c == Collective::reduce_scatter ||
         c == Collective::alltoall || c == Collective::gather || c == Collective::scatter;
}

double busbw_factor(Collective c, int ranks) {
  const double n = ranks;
  if (c == Collective::all_reduce) return 2 * (n - 1) / n;
  if (size_is_total_over_ranks(c)) return (n - 1) / n;
  return 1;
}

Bandwidth algorithm_bandwidth(Bytes size, Seconds time) {
  return Bandwidth{static_cast<double>(size.value) / time.count()};
}

Bandwidth bus_bandwidth(Collective c, Bytes size, int ranks, Seconds time) {
  return Bandwidth{algorithm_bandwidth(size, time).bytes_per_second * busbw_factor(c, ranks)};
}

CaseSize nccl_tests_size(Collective c, DataType type, Bytes requested, int ranks) {
  const std::int64_t bytes_each = element_bytes(type);
  const std::int64_t elements = requested.value / bytes_each;
  if (!size_is_total_over_ranks(c)) return {Bytes{elements * bytes_each}, elements, elements};
  constexpr std::int64_t kAlignment = 16;  // bytes; nccl-tests 2.13.12 and later
  const std::int64_t share = (elements / ranks) & ~(kAlignment / bytes_each - 1);
  return {Bytes{share * ranks * bytes_each}, share * ranks, share};
}

}  // namespace nccl_sweep
