// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/knob.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/json_object.hpp"
#include "core/units.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;

// Words of the file format, in the order of the enums.
const std::array<std::string, 6> kKinds{"environment", "library", "cpu_bind",
                                        "config",      "buffer",  "rank_order"};
const std::array<std::string, 6> kTypes{"integer", "boolean", "size", "choice", "text", "path"};
const std::array<std::string, 3> kClasses{"tuning", "fabric-policy", "can-corrupt"};
const std::vector<std::string> kFileKeys{"$schema", "backend", "knobs", "known_variables"};
const std::vector<std::string> kKnobKeys{
    "name",         "kind",    "type",  "class",   "minimum",    "maximum", "choices",
    "power_of_two", "default", "since", "acts_on", "no_op_when", "danger",  "summary",
    "same_as"};

void reject_unknown_keys(const json& object, const std::vector<std::string>& known,
                         const std::string& where) {
  if (!object.is_object()) throw usage_error("an object is expected here", where);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw usage_error(fmt::format("unknown key '{}'", key), where, did_you_mean(key, known));
    }
  }
}

std::string text_at(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) {
    throw usage_error("a text in quotes is expected here", fmt::format("{}/{}", where, key));
  }
  return found->get<std::string>();
}

std::string required_text_at(const json& object, const char* key, const std::string& where) {
  std::string text = text_at(object, key, where);
  if (text.empty()) throw usage_error(fmt::format("'{}' is missing", key), where);
  return text;
}

template <typename Enum, std::size_t N>
Enum word_at(const json& object, const char* key, const std::array<std::string, N>& words,
             const std::string& where) {
  const std::string word = text_at(object, key, where);
  if (word.empty()) return Enum{};
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw usage_error(fmt::format("'{}' is not a known {}", word, key),
                      fmt::format("{}/{}", where, key), did_you_mean(word, words));
  }
  return static_cast<Enum>(found - words.begin());
}

// A limit is a number, or for sizes also a text with a unit ("64K").
std::optional<std::int64_t> limit_at(const json& object, const char* key,
                                     const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (found->is_string()) {
    return parse_size(found->get<std::string>(), fmt::format("{}/{}", where, key)).value;
  }
  throw usage_error("an integer or a size in quotes is expected here",
                    fmt::format("{}/{}", where, key));
}

std::vector<std::string> texts_at(const json& object, const char* key, const std::string& where) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found == object.end()) return texts;
  const std::string place = fmt::format("{}/{}", where, key);
  if (!found->is_array()) throw usage_error("a list is expected here", place);
  for (const json& text : *found) {
    if (!text.is_string()) throw usage_error("the list takes texts in quotes", place);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

Knob read_knob(const json& object, const std::string& backend, const std::string& where) {
  reject_unknown_keys(object, kKnobKeys, where);
  Knob knob;
  knob.name = required_text_at(object, "name", where);
  knob.backend = backend;
  knob.kind = word_at<KnobKind>(object, "kind", kKinds, where);
  knob.type = word_at<KnobType>(object, "type", kTypes, where);
  knob.knob_class = word_at<KnobClass>(object, "class", kClasses, where);
  knob.minimum = limit_at(object, "minimum", where);
  knob.maximum = limit_at(object, "maximum", where);
  if (const auto power = object.find("power_of_two"); power != object.end()) {
    if (!power->is_boolean()) throw usage_error("true or false", where + "/power_of_two");
    knob.power_of_two = power->get<bool>();
  }
  knob.default_value = required_text_at(object, "default", where);
  knob.since = text_at(object, "since", where);
  knob.acts_on = text_at(object, "acts_on", where);
  knob.no_op_when = text_at(object, "no_op_when", where);
  knob.danger = text_at(object, "danger", where);
  knob.summary = required_text_at(object, "summary", where);
  knob.choices = texts_at(object, "choices", where);
  knob.same_as = texts_at(object, "same_as", where);
  if ((knob.type == KnobType::choice) == knob.choices.empty()) {
    throw usage_error("'choices' belongs to type \"choice\", and to no other", where);
  }
  return knob;
}

std::vector<Knob> read_knobs(const json& list, const std::string& backend,
                             const std::string& where) {
  if (!list.is_array()) throw usage_error("'knobs' must be a list", where);
  std::vector<Knob> knobs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}/{}", where, i);
    Knob knob = read_knob(list[i], backend, place);
    const bool twice = std::any_of(knobs.begin(), knobs.end(),
                                   [&](const Knob& other) { return other.name == knob.name; });
    if (twice) throw usage_error(fmt::format("'{}' is listed twice", knob.name), place);
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

void read_file(KnobCatalogue& catalogue, const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw usage_error("the knob catalogue cannot be read", file.string());
  json root;
  try {
    root = json::parse(stream, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::exception& error) {
    throw not_json(error, file.string());
  }
  const std::string top = file.string() + "#";
  reject_unknown_keys(root, kFileKeys, top);
  const std::string backend = required_text_at(root, "backend", top);
  for (std::string& name : texts_at(root, "known_variables", top)) {
    catalogue.add_known_variable(std::move(name));
  }
  const auto knobs = root.find("knobs");
  if (knobs == root.end()) {
    if (root.contains("known_variables")) return;
    throw usage_error("'knobs' is missing", top);
  }
  for (Knob& knob : read_knobs(*knobs, backend, top + "/knobs")) {
    if (catalogue.find(backend, knob.name) != nullptr) {
      throw usage_error(fmt::format("'{}' is listed twice for {}", knob.name, backend), top);
    }
    catalogue.add(std::move(knob));
  }
}

}  // namespace

std::string to_string(KnobKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
std::string to_string(KnobType type) { return kTypes.at(static_cast<std::size_t>(type)); }
std::string to_string(KnobClass c) { return kClasses.at(static_cast<std::size_t>(c)); }

std::vector<Knob> parse_knobs(std::string_view json_list, std::string_view backend,
                              std::string_view where) {
  const json list = json::parse(json_list, nullptr, false);
  if (list.is_discarded()) throw usage_error("the knobs are not JSON", std::string(where));
  return read_knobs(list, std::string(backend), std::string(where));
}

KnobCatalogue KnobCatalogue::load(const std::filesystem::path& folder) {
  std::error_code failed;
  std::set<std::filesystem::path> files;  // sorted: the order of knobs() is the same everywhere
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  if (failed) {
    throw usage_error(fmt::format("no knob catalogue: {}", failed.message()), folder.string());
  }
  KnobCatalogue catalogue;
  for (const auto& file : files) read_file(catalogue, file);
  return catalogue;
}

void KnobCatalogue::add(Knob knob) {
  const auto same = std::find_if(knobs_.begin(), knobs_.end(), [&](const Knob& other) {
    return other.backend == knob.backend && other.name == knob.name;
  });
  if (same != knobs_.end()) {
    *same = std::move(knob);
  } else {
    knobs_.push_back(std::move(knob));
  }
}

const Knob* KnobCatalogue::find(std::string_view backend, std::string_view name) const {
  const auto found = std::find_if(knobs_.begin(), knobs_.end(), [&](const Knob& knob) {
    return knob.backend == backend && knob.name == name;
  });
  return found == knobs_.end() ? nullptr : &*found;
}

std::vector<std::string> KnobCatalogue::names_of_same(std::string_view backend,
                                                      std::string_view name) const {
  std::vector<std::string> names{std::string(name)};
  const auto add = [&](const std::string& other) {
    if (std::find(names.begin(), names.end(), other) == names.end()) names.push_back(other);
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const Knob& knob : knobs_) {
      if (knob.backend != backend) continue;
      const std::string from = names[i];
      if (knob.name == from) std::for_each(knob.same_as.begin(), knob.same_as.end(), add);
      if (std::find(knob.same_as.begin(), knob.same_as.end(), from) != knob.same_as.end()) {
        add(knob.name);
      }
    }
  }
  return names;
}

const Knob& KnobCatalogue::require(std::string_view backend, std::string_view name,
                                   std::string_view where) const {
  if (const Knob* knob = find(backend, name)) return *knob;
  std::vector<std::string> names;
  for (const Knob& knob : knobs_) {
    if (knob.name == name) {
      throw usage_error(
          fmt::format("'{}' is a knob of backend {}, not of {}", name, knob.backend, backend),
          std::string(where));
    }
    if (knob.backend == backend) names.push_back(knob.name);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("nccl-sweep knobs --backend {} lists them", backend);
  throw usage_error(fmt::format("'{}' is not a knob of backend {}", name, backend),
                    std::string(where), hint);
}

std::vector<std::string> unknown_variables(const std::vector<std::string>& names,
                                           const KnobCatalogue& catalogue) {
  std::vector<std::string> known;
  for (const Knob& knob : catalogue.knobs()) known.push_back(knob.name);
  const auto& others = catalogue.known_variables();
  known.insert(known.end(), others.begin(), others.end());
  const auto fits = [](std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return pattern == name;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  };
  std::vector<std::string> spelt_out;
  std::copy_if(known.begin(), known.end(), std::back_inserter(spelt_out),
               [](const std::string& pattern) { return !pattern.ends_with('*'); });
  std::vector<std::string> sentences;
  for (const std::string& name : names) {
    if (!name.starts_with("NCCL_")) continue;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& pattern) {
      return fits(pattern, name);
    });
    if (is_known) continue;
    const std::string hint = did_you_mean(name, spelt_out);
    sentences.push_back(fmt::format("{} is no variable that NCCL is known to read{}{}", name,
                                    hint.empty() ? "" : ": ", hint));
  }
  return sentences;
}

std::filesystem::path data_folder() {
  namespace fs = std::filesystem;
  const auto is_data = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder / "knobs", ignored);
  };
  if (const char* chosen = std::getenv("NCCL_SWEEP_DATA"); chosen != nullptr && *chosen != '\0') {
    if (is_data(chosen)) return chosen;
    throw environment_error("NCCL_SWEEP_DATA names a folder without knobs/", chosen,
                            "unset it, or point it at PREFIX/share/nccl-sweep");
  }
  std::error_code no_proc;
  const fs::path executable = fs::read_symlink("/proc/self/exe", no_proc);
  const fs::path installed =
      no_proc ? fs::path() : executable.parent_path().parent_path() / "share" / "nccl-sweep";
  if (!installed.empty() && is_data(installed)) return installed;
  const fs::path source = NCCL_SWEEP_SOURCE_DATA;  // compile definition: sweeps/ of the source tree
  if (is_data(source)) return source;
  throw environment_error("the knob catalogue and the models are not found",
                          fmt::format("looked in {} and {}", installed.string(), source.string()),
                          "set NCCL_SWEEP_DATA to PREFIX/share/nccl-sweep or the source's sweeps/");
}

}  // namespace nccl_sweep
