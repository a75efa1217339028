// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/kineto_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nccl_sweep {
namespace {

using Named = std::pair<std::string_view, Collective>;

// ProcessGroupNCCL's names, then torchcomms'.
constexpr std::array kCollectives = {
    Named{"allreduce", Collective::all_reduce},
    Named{"allreduce_coalesced", Collective::all_reduce},
    Named{"allreduce_sparse", Collective::all_reduce},
    Named{"broadcast", Collective::broadcast},
    Named{"_broadcast_oop", Collective::broadcast},
    Named{"reduce", Collective::reduce},
    Named{"_reduce_oop", Collective::reduce},
    Named{"all_gather", Collective::all_gather},
    Named{"allgather", Collective::all_gather},
    Named{"_allgather_base", Collective::all_gather},
    Named{"all_gather_into_tensor", Collective::all_gather},
    Named{"allgather_into_tensor_coalesced", Collective::all_gather},
    Named{"all_gather_into_tensor_coalesced", Collective::all_gather},
    Named{"allgather_coalesced", Collective::all_gather},
    Named{"reduce_scatter", Collective::reduce_scatter},
    Named{"_reduce_scatter_base", Collective::reduce_scatter},
    Named{"reduce_scatter_tensor", Collective::reduce_scatter},
    Named{"reduce_scatter_tensor_coalesced", Collective::reduce_scatter},
    Named{"all_to_all", Collective::alltoall},
    Named{"all_to_allv", Collective::alltoall},
    Named{"alltoall", Collective::alltoall},
    Named{"alltoall_base", Collective::alltoall},
    Named{"gather", Collective::gather},
    Named{"scatter", Collective::scatter},
    Named{"send", Collective::sendrecv},
    Named{"recv", Collective::sendrecv},
    Named{"recvAnySource", Collective::sendrecv},
    Named{"all_reduce", Collective::all_reduce},
    Named{"all_gather_single", Collective::all_gather},
    Named{"all_gather_v", Collective::all_gather},
    Named{"all_gather_p_exec", Collective::all_gather},
    Named{"reduce_scatter_single", Collective::reduce_scatter},
    Named{"reduce_scatter_v", Collective::reduce_scatter},
    Named{"reduce_scatter_quantized", Collective::reduce_scatter},
    Named{"all_to_all_single", Collective::alltoall},
    Named{"all_to_all_v_single", Collective::alltoall},
    Named{"device_alltoallv_single", Collective::alltoall},
};

constexpr std::array<std::string_view, 9> kBookkeeping = {
    "wait",          "barrier",   "init",           "startCoalescing",
    "endCoalescing", "coalesced", "batch_op_issue", "monitored_barrier",
    "destroy"};

struct NamedType {
  std::string_view name;
  TorchType type;
};

// c10::ScalarType names, then what record_shapes and scripts write for the same types.
constexpr std::array kTypes = {
    NamedType{"Byte", {DataType::uint8, 1}},
    NamedType{"Char", {DataType::int8, 1}},
    NamedType{"Bool", {DataType::uint8, 1}},
    NamedType{"Float8_e4m3fn", {DataType::float8e4m3, 1}},
    NamedType{"Float8_e5m2", {DataType::float8e5m2, 1}},
    NamedType{"Float8_e4m3fnuz", {DataType::float8e4m3, 1}},
    NamedType{"Float8_e5m2fnuz", {DataType::float8e5m2, 1}},
    NamedType{"Float8_e8m0fnu", {DataType::uint8, 1}},
    NamedType{"Float4_e2m1fn_x2", {DataType::uint8, 1}},
    NamedType{"Short", {DataType::uint8, 2}},
    NamedType{"UInt16", {DataType::uint8, 2}},
    NamedType{"Half", {DataType::float16, 2}},
    NamedType{"BFloat16", {DataType::bfloat16, 2}},
    NamedType{"Int", {DataType::int32, 4}},
    NamedType{"UInt32", {DataType::uint32, 4}},
    NamedType{"Float", {DataType::float32, 4}},
    NamedType{"Long", {DataType::int64, 8}},
    NamedType{"UInt64", {DataType::uint64, 8}},
    NamedType{"Double", {DataType::float64, 8}},
    NamedType{"ComplexHalf", {DataType::float16, 4}},
    NamedType{"ComplexFloat", {DataType::float32, 8}},
    NamedType{"ComplexDouble", {DataType::float64, 16}},
    NamedType{"c10::BFloat16", {DataType::bfloat16, 2}},
    NamedType{"c10::Half", {DataType::float16, 2}},
    NamedType{"float", {DataType::float32, 4}},
    NamedType{"double", {DataType::float64, 8}},
    NamedType{"int", {DataType::int32, 4}},
    NamedType{"long int", {DataType::int64, 8}},
    NamedType{"unsigned char", {DataType::uint8, 1}},
    NamedType{"signed char", {DataType::int8, 1}},
    NamedType{"bool", {DataType::uint8, 1}},
};

}  // namespace

bool is_torch_bookkeeping(std::string_view name) {
  return std::ranges::find(kBookkeeping, name) != kBookkeeping.end();
}

std::optional<Collective> torch_collective(std::string_view name) {
  const auto found = std::ranges::find(kCollectives, name, &Named::first);
  if (found == kCollectives.end()) return std::nullopt;
  return found->second;
}

std::optional<TorchType> torch_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &NamedType::name);
  if (found == kTypes.end()) return std::nullopt;
  return found->type;
}

}  // namespace nccl_sweep
