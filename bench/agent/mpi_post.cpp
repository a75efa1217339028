// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/mpi_post.hpp"

#include <climits>
#include <utility>

#include "core/error.hpp"

namespace nccl_sweep::agent {

int length_of(std::size_t bytes) {
  if (bytes > INT_MAX) throw environment_error("a control message is larger than 2 GiB");
  return static_cast<int>(bytes);
}

void MpiPost::count(std::size_t bytes) {
  ++traffic_.messages;
  traffic_.bytes += static_cast<std::int64_t>(bytes);
}

void MpiPost::send(int to, int tag, std::string text, MPI_Comm comm) {
  count(text.size());
  outgoing_.push_back({std::move(text), MPI_REQUEST_NULL});
  Outgoing& message = outgoing_.back();
  MPI_Isend(message.text.data(), length_of(message.text.size()), MPI_BYTE, to, tag, comm,
            &message.request);
}

void MpiPost::forget_sent() {
  std::erase_if(outgoing_, [](Outgoing& message) {
    int done = 0;
    MPI_Test(&message.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void MpiPost::wait_for_all() {
  for (Outgoing& message : outgoing_) MPI_Wait(&message.request, MPI_STATUS_IGNORE);
}

}  // namespace nccl_sweep::agent
