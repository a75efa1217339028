// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading one JSON object of a file that people write: every key must be known, and whatever is
// wrong is a usage Error that names file and JSON pointer. For .cpp files that include
// nlohmann/json.hpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

// What json::parse threw: no JSON, or a number that no double holds. The library's own prefix is
// cut.
Error not_json(const std::exception& thrown, std::string where, std::string hint = {});

class JsonObject {
 public:
  // `where` is "file#" or "file#/pointer". `object` must outlive this.
  JsonObject(const nlohmann::json& object, std::string where,
             const std::vector<std::string>& known);

  std::string place(const char* key) const;
  std::string element(const char* key, std::size_t i) const;  // place of a list's element

  const nlohmann::json* find(const char* key) const;  // null where it is not given
  const nlohmann::json& require(const char* key) const;
  double number(const char* key, double unset, double low, double high) const;
  int whole(const char* key, int unset, int low, int high) const;
  bool flag(const char* key, bool unset) const;
  std::string text(const char* key) const;  // "" where it is not given
  std::string require_text(const char* key) const;
  Bytes size(const char* key) const;                               // 0 where it is not given
  const std::vector<nlohmann::json>& list(const char* key) const;  // empty where it is not given

  // One of `words`, which stand in the order of the enumerators.
  template <class Enum>
  Enum word(const char* key, const std::vector<std::string>& words, Enum unset) const {
    const std::string given = text(key);
    if (given.empty()) return unset;
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end()) {
      throw usage_error(fmt::format("'{}' is not known here", given), place(key),
                        did_you_mean(given, words));
    }
    return static_cast<Enum>(found - words.begin());
  }

 private:
  const nlohmann::json& object_;
  std::string where_;
};

}  // namespace nccl_sweep
