# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
# CUDA and nccl.h for the worker's nccl backend. Sets NCCL_SWEEP_HAVE_CUDA. The runtime is linked
# statically and libcuda and libnccl are opened at run time, so the worker starts where no driver
# is. One architecture unless told otherwise; a release that must run on many machines is built with
# the preset "portable", which ends in PTX for GPUs to come.
include(CheckLanguage)
set(NCCL_SWEEP_HAVE_CUDA OFF)
if(NCCL_SWEEP_CUDA STREQUAL "OFF")
  return()
endif()

find_package(CUDAToolkit 12.0 QUIET)
if(CUDAToolkit_FOUND)
  find_path(NCCL_SWEEP_NCCL_INCLUDE nccl.h
            HINTS ${NCCL_HOME} ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  if(NCCL_SWEEP_NCCL_INCLUDE)
    check_language(CUDA)
  endif()
endif()
if(CMAKE_CUDA_COMPILER AND NCCL_SWEEP_NCCL_INCLUDE)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # Debian 12's CMake does not know nvcc's flag
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(NCCL_SWEEP_HAVE_CUDA ON)
endif()
