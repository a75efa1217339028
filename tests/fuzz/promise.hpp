// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader promises of any input, for the fuzz targets: a broken promise ends the process, as
// an access outside of memory would.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "core/error.hpp"

namespace nccl_sweep::fuzz {

inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// The only way in which a file may be refused.
inline void expect_clear(const Error& error) {
  promise(error.exit_code() == ExitCode::usage, "a refusal is a usage error");
  promise(!error.message().empty(), "a refusal has a message");
}

}  // namespace nccl_sweep::fuzz
