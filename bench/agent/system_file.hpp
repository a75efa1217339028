// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One-value files of /proc and /sys. A file that is not there reads as empty: what a container or
// an old kernel hides is unknown, not an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nccl_sweep::agent {

std::string first_line(const std::filesystem::path& file);

// Value of the first "key : value" line of a /proc file.
std::string proc_value(const std::filesystem::path& file, std::string_view key);

}  // namespace nccl_sweep::agent
