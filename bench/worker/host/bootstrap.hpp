// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of one group find each other on the host backend, as NCCL does: the group's first
// rank listens and its endpoint, with a random token, is the rendezvous that the agents pass on.
// All ranks meet there once, exchange the endpoints of their data listeners, and then every rank
// connects `streams` TCP streams to its successor in the ring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/host/sockets.hpp"

namespace nccl_sweep::worker {

struct HostSettings {  // of the transport, from the knobs
  int streams = 1;
  std::int64_t chunk_bytes = std::int64_t{512} << 10;
  std::int64_t socket_buffer_bytes = 0;  // 0: the system's
  std::string interface;
};

struct RingSockets {
  std::vector<Socket> to_successor;
  std::vector<Socket> from_predecessor;
};

class MeetingPoint {  // on the first rank of the group
 public:
  explicit MeetingPoint(const HostSettings&);
  std::string rendezvous() const;  // base-16
  const Socket& listener() const { return listener_; }

 private:
  Socket listener_;
  std::string text_;
};

// Collective over the group. `meeting` is set on rank 0 of the group only.
RingSockets join_ring(int index, int size, const std::string& rendezvous,
                      const MeetingPoint* meeting, const HostSettings&, const Interrupt&);

}  // namespace nccl_sweep::worker
