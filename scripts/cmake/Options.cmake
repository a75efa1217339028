# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
# What a user may choose at configure time. AUTO uses what is found, ON insists, OFF does without.

if(PROJECT_SOURCE_DIR STREQUAL PROJECT_BINARY_DIR)
  message(FATAL_ERROR "Build in a folder of its own: cmake --preset release")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

foreach(part MPI CUDA)
  set(NCCL_SWEEP_${part} AUTO CACHE STRING "Use ${part}: AUTO, ON or OFF")
  set_property(CACHE NCCL_SWEEP_${part} PROPERTY STRINGS AUTO ON OFF)
  if(NOT NCCL_SWEEP_${part} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "NCCL_SWEEP_${part} is '${NCCL_SWEEP_${part}}': use AUTO, ON or OFF")
  endif()
endforeach()
option(NCCL_SWEEP_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(NCCL_SWEEP_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
set(NCCL_SWEEP_SANITIZER "" CACHE STRING "Empty, address (with undefined) or thread")
set_property(CACHE NCCL_SWEEP_SANITIZER PROPERTY STRINGS "" address thread)
if(NOT NCCL_SWEEP_SANITIZER MATCHES "^(address|thread)?$")
  message(FATAL_ERROR "NCCL_SWEEP_SANITIZER is '${NCCL_SWEEP_SANITIZER}': use address or thread")
endif()

option(NCCL_SWEEP_FUZZ "Build the fuzz targets of tests/fuzz; needs Clang" OFF)
if(NCCL_SWEEP_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "NCCL_SWEEP_FUZZ needs Clang's libFuzzer: scripts/fuzz")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
