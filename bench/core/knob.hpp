// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The knob catalogue (sweeps/knobs/*.json): what can be varied, by which backend, with which
// values, and what it does. A knob that is not in it is an error with a did-you-mean, and so is a
// value that the library would silently read as something else ("4k" is 4, "four" is 0).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nccl_sweep {

enum class KnobKind { environment, library, cpu_bind, config, buffer, rank_order };
enum class KnobType { integer, boolean, size, choice, text, path };
enum class KnobClass { tuning, fabric_policy, can_corrupt };  // the last two need --allow NAME

std::string to_string(KnobKind);  // the words of sweeps/knobs/*.json
std::string to_string(KnobType);
std::string to_string(KnobClass);  // "tuning", "fabric-policy", "can-corrupt"

struct Knob {
  std::string name;
  std::string backend;  // "nccl", "host", "model"
  KnobKind kind = KnobKind::environment;
  KnobType type = KnobType::integer;
  KnobClass knob_class = KnobClass::tuning;
  std::optional<std::int64_t> minimum;  // integer and size
  std::optional<std::int64_t> maximum;
  bool power_of_two = false;         // integer and size: odd values are known to misbehave
  std::vector<std::string> choices;  // choice
  std::string default_value;         // as text, with its history: "0 (1 in 2.18-2.19)"
  std::string since;                 // first version, "" where always
  std::string acts_on;               // "built-in IB/RoCE transport, across nodes, at connection"
  std::string no_op_when;            // "no NET/IB channel"
  std::string danger;
  std::string summary;  // one line
  std::vector<std::string> same_as;  // other names that set the same thing, as the file has them
};

class KnobCatalogue {
 public:
  // Reads every *.json of the folder. Throws a usage Error with file and JSON pointer.
  static KnobCatalogue load(const std::filesystem::path& folder);

  void add(Knob knob);  // a later one of the same backend and name replaces the earlier
  const std::vector<Knob>& knobs() const { return knobs_; }
  const Knob* find(std::string_view backend, std::string_view name) const;

  // `name` first, then every other name that sets the same thing, over as many steps as it takes.
  std::vector<std::string> names_of_same(std::string_view backend, std::string_view name) const;

  // Variables that are no knobs but known to be read; a trailing '*' stands for any rest.
  const std::vector<std::string>& known_variables() const { return known_variables_; }
  void add_known_variable(std::string name) { known_variables_.push_back(std::move(name)); }

  // The knob, or a usage Error with a did-you-mean (naming the backend it belongs to where it is
  // another backend's).
  const Knob& require(std::string_view backend, std::string_view name,
                      std::string_view where = {}) const;

  // Throws a usage Error where `value` is not what the knob takes ("unset" is, for a variable):
  // not a number, trailing unit that would be dropped, out of range, not one of the choices,
  // surrounding blanks or quotes.
  void check_value(const Knob&, std::string_view value, std::string_view where = {}) const;

 private:
  std::vector<Knob> knobs_;
  std::vector<std::string> known_variables_;
};

// A sentence for each NCCL_ name of an environment that nobody is known to read, with a
// did-you-mean: NCCL passes over a misspelt variable without a word.
std::vector<std::string> unknown_variables(const std::vector<std::string>& names,
                                           const KnobCatalogue& catalogue);

// The knobs of a JSON list, in the catalogue's format (a model file declares its own this way).
// Throws a usage Error; `where` is the list's file and JSON pointer.
std::vector<Knob> parse_knobs(std::string_view json_list, std::string_view backend,
                              std::string_view where);

// The value as it goes into the worker's environment: sizes ("512K") become plain bytes, because
// the libraries read plain numbers. Call it after check_value.
std::string normalise_value(const Knob&, std::string_view value);

// The value of cpu_bind that means the CPUs near each worker's GPU.
inline constexpr std::string_view kGpuLocal = "gpu-local";

// "0-3,8" -> 0 1 2 3 8; "all" -> empty, which means all that the job may use. Usage Error.
std::vector<int> parse_cpu_list(std::string_view text, std::string_view where = {});

// sweeps/ of the source tree or of the installation prefix: $NCCL_SWEEP_DATA, next to the
// executable's ../share/nccl-sweep, or the build's source folder. Throws an environment Error.
std::filesystem::path data_folder();

}  // namespace nccl_sweep
