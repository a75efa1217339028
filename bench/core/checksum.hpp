// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Checksums of files, to tell whether two nodes have the same one. 16 hex digits of fnv1a.
#pragma once

#include <string>

namespace nccl_sweep {

// "3f2a9c0115b7e6d4", "absent", or "NOT READABLE".
std::string checksum_of(const std::string& file);

// The same of a large library: its size and its first and last MiB, which hold the ELF header, the
// build's symbols and the section table, so that two builds differ there.
std::string checksum_of_ends(const std::string& file);

}  // namespace nccl_sweep
