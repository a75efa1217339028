# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
set(NCCL_SWEEP_HAVE_MPI OFF)
if(NOT NCCL_SWEEP_MPI STREQUAL "OFF")
  enable_language(C)
  find_package(MPI COMPONENTS C)
  set(NCCL_SWEEP_HAVE_MPI ${MPI_C_FOUND})
endif()
