// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One reader a format, and what is made of a launch once it is read. Readers take whatever a file
// says and never throw for it. Private to this folder.
#pragma once

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "importing/imported_launch.hpp"

namespace nccl_sweep {

// A launch as its reader leaves it, before anybody asked whether it makes sense.
struct RawLaunch {
  ImportedLaunch launch;
  int copies = 1;  // programs that printed it side by side
};

std::vector<RawLaunch> read_text_launches(std::string_view text, const std::filesystem::path& file);

bool is_nccl_tests_json(std::string_view text);
RawLaunch read_json_launch(std::string_view text, const std::filesystem::path& file);

// Finds collective and ranks, and checks them by the printed bandwidths. LeftOut: why the launch
// cannot be used.
std::variant<ImportedLaunch, LeftOut> resolve(RawLaunch raw, const ImportOptions& options);

// The collective that a program's or a file's name means: "all_reduce_perf_mpi",
// "ar/allreduce.log". Nothing for hypercube and others that are not measured here.
std::optional<Collective> collective_in(std::string_view name);

// "2.28.9" of 22809.
std::string version_text(std::int64_t code);

// In a launch's recipe: with -I, which records an event between operations.
inline constexpr const char* kPerIteration = "times of single operations";

// NCCL_, RCCL_, UCX_, CUDA_, HSA_, FI_, OFI_ and SHARP_ names: others may be secrets.
bool may_be_kept(std::string_view variable);

}  // namespace nccl_sweep
