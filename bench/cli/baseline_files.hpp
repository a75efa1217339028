// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where baselines are looked for: those installed with the program and those under
// ./results/baselines, which `baseline make` writes. Shared by `compare` and `baseline`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/baseline_file.hpp"

namespace nccl_sweep::cli {

std::filesystem::path own_baselines();  // ./results/baselines

// All files of both places, each once.
std::vector<std::filesystem::path> known_baselines();

// A file's path, or the name of a known one. Throws a usage Error with a did-you-mean.
std::filesystem::path find_baseline(const std::string& named);

}  // namespace nccl_sweep::cli
