// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands in for mpi_control.cpp in builds without MPI.
#include "agent/control.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {

std::unique_ptr<ControlPlane> make_mpi_control() {
  throw environment_error("this build has no MPI", {}, "build with -DNCCL_SWEEP_MPI=ON");
}
bool built_with_mpi() { return false; }

}  // namespace nccl_sweep::agent
