// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Checked reading of one JSON object from the wire: every field must be there, have its type and
// lie within its limits, else GarbageError names the field. Private to messages.cpp (it includes
// nlohmann/json.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "wire/messages.hpp"

namespace nccl_sweep::wire {

using Json = nlohmann::json;

// A peer that names a million cases is broken: nothing legitimate comes near these.
inline constexpr std::int64_t kMostRanks = 1 << 20;
inline constexpr std::int64_t kMostCases = 100'000;
inline constexpr std::int64_t kMostOps = 1'000'000'000;
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
inline constexpr std::size_t kMostItems = std::size_t{4} << 20;

class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {
    if (!object.is_object()) throw GarbageError("a JSON object was expected");
  }

  const Json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw GarbageError(std::string("field '") + name + "' is missing");
    return *found;
  }

  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high) const {
    return as_integer(at(name), name, low, high);
  }
  int small(const char* name, std::int64_t low, std::int64_t high) const {
    return static_cast<int>(integer(name, low, high));
  }

  std::uint64_t seed(const char* name) const {
    const Json& value = at(name);
    if (!value.is_number_unsigned()) mistyped(name, "an unsigned integer");
    return value.get<std::uint64_t>();
  }

  double number(const char* name) const { return as_number(at(name), name); }

  bool boolean(const char* name) const {
    const Json& value = at(name);
    if (!value.is_boolean()) mistyped(name, "true or false");
    return value.get<bool>();
  }

  std::string text(const char* name) const { return as_text(at(name), name); }

  const Json& array(const char* name, std::size_t most = kMostItems) const {
    const Json& value = at(name);
    if (!value.is_array()) mistyped(name, "an array");
    if (value.size() > most) throw GarbageError(std::string("field '") + name + "' is too long");
    return value;
  }

  std::map<std::string, std::string> texts(const char* name) const {
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : object(name).items()) result[key] = as_text(value, name);
    return result;
  }
  std::map<std::string, double> numbers(const char* name) const {
    std::map<std::string, double> result;
    for (const auto& [key, value] : object(name).items()) result[key] = as_number(value, name);
    return result;
  }

  static std::int64_t as_integer(const Json& value, const char* name, std::int64_t low,
                                 std::int64_t high) {
    if (!value.is_number_integer()) mistyped(name, "an integer");
    // Unsigned values beyond int64 would wrap into range.
    const bool wraps = value.is_number_unsigned() &&
                       value.get<std::uint64_t>() >
                           static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto number = wraps ? 0 : value.get<std::int64_t>();
    if (wraps || number < low || number > high) {
      throw GarbageError(std::string("field '") + name + "' is out of range");
    }
    return number;
  }

 private:
  [[noreturn]] static void mistyped(const char* name, const char* wanted) {
    throw GarbageError(std::string("field '") + name + "' is not " + wanted);
  }
  static std::string as_text(const Json& value, const char* name) {
    if (!value.is_string()) mistyped(name, "a string");
    return value.get<std::string>();
  }
  static double as_number(const Json& value, const char* name) {
    if (!value.is_number()) mistyped(name, "a number");
    return value.get<double>();
  }
  const Json& object(const char* name) const {
    const Json& value = at(name);
    if (!value.is_object()) mistyped(name, "an object");
    return value;
  }

  const Json& object_;
};

}  // namespace nccl_sweep::wire
