// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the commands that print results share: whether stdout takes colour, and which run is meant.
#pragma once

#include <filesystem>
#include <string>

namespace nccl_sweep::cli {

inline constexpr const char* kResultsFolder = "results";

// stdout is a terminal and NO_COLOR is not set (no-color.org).
bool colour_wanted();

// The run folder named, or the newest under ./results. Throws a usage Error where there is none.
std::filesystem::path run_folder(const std::string& named);

}  // namespace nccl_sweep::cli
