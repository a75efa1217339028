// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "worker/nccl/nccl_library.hpp"

namespace nccl_sweep::worker {

// What must be the same on every rank, since NCCL compares hardly any of it and hangs instead: the
// library (file, version, size and a hash of its ends), the conf files that it will read and the
// files that variables name, each by a hash of what this process sees of them.
std::map<std::string, std::string> library_identity(const NcclLibrary& nccl);

}  // namespace nccl_sweep::worker
