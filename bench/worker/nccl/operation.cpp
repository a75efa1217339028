// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/operation.hpp"

#include "worker/layout.hpp"

namespace nccl_sweep::worker {
namespace {

const std::byte* bytes(const void* pointer) { return static_cast<const std::byte*>(pointer); }

// Without ncclAlltoAll (before 2.28) it is a group of sends and receives, as in nccl-tests.
void all_to_all(const NcclLibrary& nccl, const void* in, void* out, std::size_t count,
                std::size_t width, ncclDataType_t type, const Member& me, cudaStream_t stream) {
  if (nccl.all_to_all != nullptr) {
    nccl.check(nccl.all_to_all(in, out, count, type, me.comm, stream), "ncclAlltoAll");
    return;
  }
  nccl.check(nccl.group_start(), "ncclGroupStart");
  for (int peer = 0; peer < me.size; ++peer) {
    const std::size_t offset = static_cast<std::size_t>(peer) * count * width;
    nccl.check(nccl.send(bytes(in) + offset, count, type, peer, me.comm, stream), "ncclSend");
    nccl.check(nccl.recv(static_cast<std::byte*>(out) + offset, count, type, peer, me.comm, stream),
               "ncclRecv");
  }
  nccl.check(nccl.group_end(), "ncclGroupEnd");
}

void send_around(const NcclLibrary& nccl, const void* in, void* out, std::size_t count,
                 ncclDataType_t type, const Member& me, cudaStream_t stream) {
  const int next = (me.index + 1) % me.size;
  const int previous = (me.index + me.size - 1) % me.size;
  nccl.check(nccl.group_start(), "ncclGroupStart");
  nccl.check(nccl.send(in, count, type, next, me.comm, stream), "ncclSend");
  nccl.check(nccl.recv(out, count, type, previous, me.comm, stream), "ncclRecv");
  nccl.check(nccl.group_end(), "ncclGroupEnd");
}

}  // namespace

void enqueue(const NcclLibrary& nccl, const Case& what, const Member& me, const void* in, void* out,
             cudaStream_t stream) {
  const auto width = static_cast<std::size_t>(element_bytes(what.dtype));
  const std::size_t whole = static_cast<std::size_t>(what.size.value) / width;
  const std::size_t share = whole / static_cast<std::size_t>(me.size);
  const auto type = static_cast<ncclDataType_t>(what.dtype);
  const auto op = static_cast<ncclRedOp_t>(what.op);
  switch (what.collective) {
    case Collective::all_gather:
      return nccl.check(nccl.all_gather(in, out, share, type, me.comm, stream), "ncclAllGather");
    case Collective::reduce_scatter:
      return nccl.check(nccl.reduce_scatter(in, out, share, type, op, me.comm, stream),
                        "ncclReduceScatter");
    case Collective::all_reduce:
      return nccl.check(nccl.all_reduce(in, out, whole, type, op, me.comm, stream),
                        "ncclAllReduce");
    case Collective::alltoall:
      return all_to_all(nccl, in, out, share, width, type, me, stream);
    case Collective::broadcast:
      return nccl.check(nccl.broadcast(in, out, whole, type, kRoot, me.comm, stream),
                        "ncclBroadcast");
    case Collective::reduce:
      return nccl.check(nccl.reduce(in, out, whole, type, op, kRoot, me.comm, stream),
                        "ncclReduce");
    case Collective::sendrecv:
      return send_around(nccl, in, out, whole, type, me, stream);
    case Collective::gather:
      return nccl.check(
          nccl.need(nccl.gather, "ncclGather")(in, out, share, type, kRoot, me.comm, stream),
          "ncclGather");
    case Collective::scatter:
      return nccl.check(
          nccl.need(nccl.scatter, "ncclScatter")(in, out, share, type, kRoot, me.comm, stream),
          "ncclScatter");
  }
}

}  // namespace nccl_sweep::worker
