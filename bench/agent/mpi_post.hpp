// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts that an agent has sent by MPI and must keep until they have left, and the count of all that
// it sent and received. For mpi_control.cpp only.
#pragma once

#include <list>
#include <string>

#include <mpi.h>

#include "agent/control.hpp"

namespace nccl_sweep::agent {

class MpiPost {
 public:
  void send(int to, int tag, std::string text, MPI_Comm comm);
  void count(std::size_t bytes);  // of a message in either direction
  void forget_sent();
  void wait_for_all();
  Traffic traffic() const { return traffic_; }

 private:
  struct Outgoing {
    std::string text;
    MPI_Request request;
  };

  std::list<Outgoing> outgoing_;  // addresses must not move while MPI reads them
  Traffic traffic_;
};

// What fits into one MPI message; throws an environment Error.
int length_of(std::size_t bytes);

}  // namespace nccl_sweep::agent
