# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
# One target carries the warnings and sanitizers; nccl_sweep_library() makes a layer of bench/.

add_library(nccl_sweep_options INTERFACE)
target_compile_options(nccl_sweep_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${NCCL_SWEEP_WERROR}>>:-Werror>)
if(NCCL_SWEEP_SANITIZER STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-omit-frame-pointer)
elseif(NCCL_SWEEP_SANITIZER STREQUAL "thread")
  set(sanitize -fsanitize=thread)
endif()
if(NCCL_SWEEP_FUZZ)
  list(APPEND sanitize -fsanitize=fuzzer-no-link,address,undefined
       -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
endif()
if(sanitize)
  target_compile_options(nccl_sweep_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${sanitize}>)
  target_link_options(nccl_sweep_options INTERFACE ${sanitize})
endif()

# nccl_sweep_library(core SOURCES a.cpp b.cpp LINK fmt::fmt PRIVATE_LINK nlohmann_json::nlohmann_json)
# makes nccl_sweep::core with include root bench/ (#include "core/candidate.hpp").
function(nccl_sweep_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(nccl_sweep_${name} STATIC ${ARG_SOURCES})
  add_library(nccl_sweep::${name} ALIAS nccl_sweep_${name})
  target_include_directories(nccl_sweep_${name} PUBLIC ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(nccl_sweep_${name} PUBLIC ${ARG_LINK}
                        PRIVATE nccl_sweep_options ${ARG_PRIVATE_LINK})
endfunction()
