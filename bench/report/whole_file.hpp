// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a file whole or not at all: a reader (another job's prolog, another run) never sees half
// of a settings file, and an old one survives a full disk.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

namespace nccl_sweep {

// `fill` writes the content. Makes the folder where it is missing. Throws an environment Error that
// names the file.
void write_whole_file(const std::filesystem::path& file,
                      const std::function<void(std::ostream&)>& fill);

void write_whole_file(const std::filesystem::path& file, std::string_view content);

}  // namespace nccl_sweep
