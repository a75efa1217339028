// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/json_object.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace nccl_sweep {

using nlohmann::json;

Error not_json(const std::exception& thrown, std::string where, std::string hint) {
  const std::string_view text = thrown.what();
  const std::size_t prefix = text.find("] ");
  return usage_error(
      fmt::format("not JSON: {}", text.substr(prefix == std::string_view::npos ? 0 : prefix + 2)),
      std::move(where), std::move(hint));
}

JsonObject::JsonObject(const json& object, std::string where, const std::vector<std::string>& known)
    : object_(object), where_(std::move(where)) {
  if (!object.is_object()) throw usage_error("an object is expected here", where_);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw usage_error(fmt::format("unknown key '{}'", key), where_, did_you_mean(key, known));
    }
  }
}

std::string JsonObject::place(const char* key) const { return fmt::format("{}/{}", where_, key); }

std::string JsonObject::element(const char* key, std::size_t i) const {
  return fmt::format("{}/{}/{}", where_, key, i);
}

const json* JsonObject::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const json& JsonObject::require(const char* key) const {
  const json* value = find(key);
  if (value == nullptr) throw usage_error(fmt::format("'{}' is missing", key), where_);
  return *value;
}

double JsonObject::number(const char* key, double unset, double low, double high) const {
  const json* value = find(key);
  if (value == nullptr) return unset;
  if (!value->is_number()) throw usage_error("a number is expected here", place(key));
  const double x = value->get<double>();
  if (!(x >= low && x <= high)) {
    throw usage_error(fmt::format("{} is not between {} and {}", x, low, high), place(key));
  }
  return x;
}

int JsonObject::whole(const char* key, int unset, int low, int high) const {
  const json* value = find(key);
  if (value != nullptr && !value->is_number_integer()) {
    throw usage_error("a whole number is expected here", place(key));
  }
  return static_cast<int>(number(key, unset, low, high));
}

bool JsonObject::flag(const char* key, bool unset) const {
  const json* value = find(key);
  if (value == nullptr) return unset;
  if (!value->is_boolean()) throw usage_error("true or false is expected here", place(key));
  return value->get<bool>();
}

std::string JsonObject::text(const char* key) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) throw usage_error("a text in quotes is expected here", place(key));
  return value->get<std::string>();
}

std::string JsonObject::require_text(const char* key) const {
  require(key);
  return text(key);
}

Bytes JsonObject::size(const char* key) const {
  return find(key) == nullptr ? Bytes{0} : parse_size(text(key), place(key));
}

const std::vector<json>& JsonObject::list(const char* key) const {
  static const std::vector<json> kNone;
  const json* value = find(key);
  if (value == nullptr) return kNone;
  if (!value->is_array()) throw usage_error("a list is expected here", place(key));
  return value->get_ref<const json::array_t&>();
}

}  // namespace nccl_sweep
