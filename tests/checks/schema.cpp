// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace nccl_sweep::checks {
namespace {

using nlohmann::json;

class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  void check(const json& schema, const json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) apply(keyword, rule, schema, value, at);
  }
  std::vector<std::string> found;

 private:
  void complain(const std::string& at, const std::string& text) {
    found.push_back(at + ": " + text);
  }

  static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  void apply(const std::string& keyword, const json& rule, const json& schema, const json& value,
             const std::string& at) {
    static const std::set<std::string> notes{"$schema", "title", "description", "$defs"};
    if (notes.contains(keyword)) return;
    if (keyword == "type") {
      const json types = rule.is_array() ? rule : json::array({rule});
      const bool fits = std::ranges::any_of(
          types, [&](const json& type) { return has_type(value, type.get<std::string>()); });
      if (!fits) complain(at, value.dump() + " is no " + rule.dump());
    } else if (keyword == "$ref") {
      check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    } else if (keyword == "enum") {
      if (std::ranges::find(rule, value) == rule.end()) complain(at, value.dump() + " not in enum");
    } else if (keyword == "const") {
      if (value != rule) complain(at, value.dump() + " is not " + rule.dump());
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) complain(at, "below " + rule.dump());
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule) complain(at, "too few items");
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) {
        complain(at, value.dump() + " does not match " + rule.dump());
      }
    } else if (keyword == "oneOf") {
      check_one_of(rule, value, at);
    } else {
      check_parts(keyword, rule, schema, value, at);
    }
  }

  void check_one_of(const json& rule, const json& value, const std::string& at) {
    const auto fits = std::ranges::count_if(rule, [&](const json& one) {
      Checker checker(root_);
      checker.check(one, value, at);
      return checker.found.empty();
    });
    if (fits != 1) complain(at, "fits " + std::to_string(fits) + " of oneOf");
  }

  void check_parts(const std::string& keyword, const json& rule, const json& schema,
                   const json& value, const std::string& at) {
    if (keyword == "required") {
      for (const json& key : rule) {
        if (value.is_object() && !value.contains(key.get<std::string>())) {
          complain(at, "lacks " + key.dump());
        }
      }
    } else if (keyword == "properties") {
      for (const auto& [key, part] : rule.items()) {
        if (value.is_object() && value.contains(key)) check(part, value.at(key), at + "/" + key);
      }
    } else if (keyword == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& [key, part] : value.items()) {
        if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
        if (rule.is_boolean()) {
          if (!rule.get<bool>()) complain(at, "unknown key '" + key + "'");
        } else {
          check(rule, part, at + "/" + key);
        }
      }
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        check(rule, value.at(i), at + "/" + std::to_string(i));
      }
    } else {
      complain(at, "the schema uses '" + keyword + "', which this check does not know");
    }
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> violations(const json& schema, const json& value) {
  Checker checker(schema);
  checker.check(schema, value, "");
  return std::move(checker.found);
}

}  // namespace nccl_sweep::checks
