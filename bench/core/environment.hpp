// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment variables by name, for agents and workers alike.
#pragma once

#include <map>
#include <string>

namespace nccl_sweep {

using Variables = std::map<std::string, std::string>;

Variables process_environment();

std::string value_or_empty(const Variables& variables, const std::string& name);

// Where NCCL up to 2.29 looks for .nccl.conf: the user's home by the password file; later versions
// take $HOME, as this does for a user without an entry.
std::string nccl_home_folder();

}  // namespace nccl_sweep
