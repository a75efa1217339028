// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/environment.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

extern char** environ;

namespace nccl_sweep {

Variables process_environment() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string value_or_empty(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

std::string nccl_home_folder() {
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && user->pw_dir != nullptr) return user->pw_dir;
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : home;
}

}  // namespace nccl_sweep
