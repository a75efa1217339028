# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
# What this build stands on. All that is missing is said in one error, with the names under which
# Debian, Fedora and Spack have it. CUDA is looked for by Cuda.cmake, which only the worker needs.

include(CheckLanguage)
set(NCCL_SWEEP_MISSING "")

# nccl_sweep_package(fmt "libfmt-dev" "fmt-devel" "fmt" [COMPONENTS ...]) notes what is not found.
# A macro: find_package's variables must reach the caller.
macro(nccl_sweep_package name debian fedora spack)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    string(APPEND NCCL_SWEEP_MISSING
           "  ${name}:  Debian/Ubuntu ${debian}  |  Fedora ${fedora}  |  Spack ${spack}\n")
  endif()
endmacro()

nccl_sweep_package(fmt libfmt-dev fmt-devel fmt)
nccl_sweep_package(nlohmann_json nlohmann-json3-dev json-devel nlohmann-json)
nccl_sweep_package(CLI11 libcli11-dev cli11-devel cli11)
nccl_sweep_package(ZLIB zlib1g-dev zlib-devel zlib)
set(THREADS_PREFER_PTHREAD_FLAG ON)
nccl_sweep_package(Threads libc6-dev glibc-devel glibc)
if(NCCL_SWEEP_TESTS)
  nccl_sweep_package(GTest "libgtest-dev libgmock-dev" "gtest-devel gmock-devel" googletest)
  if(GTest_FOUND AND NOT TARGET GTest::gmock)
    string(APPEND NCCL_SWEEP_MISSING
           "  GTest's gmock:  Debian/Ubuntu libgmock-dev  |  Fedora gmock-devel\n")
  endif()
endif()

# FindMPI needs the C language. Without a C compiler there is no MPI_C either.
set(NCCL_SWEEP_HAVE_MPI OFF)
if(NOT NCCL_SWEEP_MPI STREQUAL "OFF")
  check_language(C)
  if(CMAKE_C_COMPILER)
    enable_language(C)
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(MPI_C_FOUND)
    set(NCCL_SWEEP_HAVE_MPI ON)
    # The old C++ bindings in mpi.h would drown our warnings in theirs.
    set_property(TARGET MPI::MPI_C APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
                 OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  elseif(NCCL_SWEEP_MPI STREQUAL "ON")
    string(APPEND NCCL_SWEEP_MISSING
           "  MPI:  Debian/Ubuntu libopenmpi-dev  |  Fedora openmpi-devel (then: module load mpi)"
           "  |  Spack openmpi\n")
  endif()
endif()

include(Cuda OPTIONAL)  # sets NCCL_SWEEP_HAVE_CUDA
if(NCCL_SWEEP_CUDA STREQUAL "ON" AND NOT NCCL_SWEEP_HAVE_CUDA)
  string(APPEND NCCL_SWEEP_MISSING
         "  CUDA:  Debian/Ubuntu nvidia-cuda-toolkit or NVIDIA's cuda-toolkit"
         "  |  Fedora NVIDIA's cuda-toolkit  |  Spack cuda\n")
endif()

if(NCCL_SWEEP_MISSING)
  set(hint "On Debian and Ubuntu scripts/install-packages installs all but CUDA.")
  if(NCCL_SWEEP_MISSING MATCHES "GTest")
    string(APPEND hint " -DNCCL_SWEEP_TESTS=OFF builds without tests.")
  endif()
  message(FATAL_ERROR "These packages were not found:\n${NCCL_SWEEP_MISSING}${hint}")
endif()

if(NCCL_SWEEP_TESTS)
  find_package(benchmark QUIET)  # only for the speed of our own code (tests/perf)
endif()
