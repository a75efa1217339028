// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the MPI library can be started by srun --mpi=pmi2 (or Slurm's older PMI-1). Where it
// cannot, MPI_Init ends the process with a text of its own, so it is asked before.
#pragma once

#include <filesystem>

namespace nccl_sweep::agent {

// `library_folder` holds libmpi. Open MPI has one plugin for each PMI; where it has plugins but
// neither mca_pmix_s1 nor mca_pmix_s2, it knows PMIx only. True where that cannot be told.
bool may_know_pmi(const std::filesystem::path& library_folder);

// Of the MPI library in this process; true where it is not Open MPI.
bool mpi_may_know_pmi();

}  // namespace nccl_sweep::agent
