// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The JSON that nccl-tests writes with -J (versions 1 to 3) and rccl-tests' variant: booleans are
// strings, roots are padded, some keys were misspelt, and a run that died leaves a file that ends
// anywhere. What is there is read; the times of single iterations are passed over.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "importing/json_document.hpp"
#include "importing/readers.hpp"
#include "importing/words.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;

const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t integer_of(const json& value, std::int64_t otherwise = 0) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= INT64_MAX ? static_cast<std::int64_t>(number) : otherwise;
  }
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

double real_of(const json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

std::string base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::vector<std::string> texts_of(const json& array) {
  std::vector<std::string> texts;
  if (!array.is_array()) return texts;
  for (const json& element : array) texts.push_back(text_of(element));
  return texts;
}

// The value of "-R 2", "-R2", "--local_register 2" or "--local_register=2"; 0 where not given.
std::int64_t option_value(const std::vector<std::string>& arguments, std::string_view letter,
                          std::string_view name, std::int64_t otherwise = 0) {
  std::int64_t value = otherwise;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    std::string_view digits;
    if (word == letter || word == name) {
      if (i + 1 < arguments.size()) digits = arguments[i + 1];
    } else if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      digits = word.substr(name.size() + 1);
    } else if (word.starts_with(letter) && !word.starts_with("--")) {
      digits = word.substr(letter.size());
    } else {
      continue;
    }
    value = number_of<std::int64_t>(digits).value_or(value);
  }
  return value;
}

// Flags that make figures incomparable, and those that are knobs here.
void read_arguments(const std::vector<std::string>& arguments, ImportedLaunch& launch) {
  if (!arguments.empty()) launch.program_name = base_name(arguments.front());
  const auto flag = [&](std::string_view letter, std::string_view name, std::int64_t usual) {
    return option_value(arguments, letter, name, usual);
  };
  const std::int64_t average = flag("-a", "--average", 1);
  if (average != 1) launch.recipe.push_back(fmt::format("average {}", average));
  if (const auto kernel = flag("-D", "--device_implementation", 0); kernel != 0) {
    launch.recipe.push_back(fmt::format("kernel {} of nccl-tests", kernel));
  }
  if (const auto shift = flag("-u", "--unalign", 0); shift > 0) {
    launch.recipe.push_back(fmt::format("buffers shifted by {}", shift));
  }
  // As text says it.
  const auto blocking = std::find(launch.recipe.begin(), launch.recipe.end(), "blocking");
  if (blocking != launch.recipe.end() && flag("-z", "--blocking", 0) == 1) {
    *blocking = "blocking with a barrier";
  }
  const std::int64_t buffers = flag("-R", "--local_register", 0);
  if (buffers == 1) launch.options["buffer"] = "registered";
  if (buffers == 2) launch.options["buffer"] = "symmetric";
  const std::int64_t policy = flag("-x", "--cta_policy", -1);
  if (policy >= 0) launch.options["cta_policy"] = std::to_string(policy);
}

void read_config(const json& config, ImportedLaunch& launch) {
  const auto number = [&](const char* key, std::int64_t otherwise) {
    return integer_of(member(config, key), otherwise);
  };
  launch.smallest = Bytes{number("minimum_bytes", 0)};
  launch.largest = Bytes{number("maximum_bytes", 0)};
  launch.step_is_factor = member(config, "step_factor").is_number();
  launch.step = launch.step_is_factor ? number("step_factor", 0) : number("step_bytes", 0);
  const std::int64_t together = number("aggregated_iterations", 1);
  const std::int64_t graphs = number("graph", 0);
  constexpr double kMost = 1e9;
  const double operations = static_cast<double>(number("iterations", 0)) *
                            static_cast<double>(std::max<std::int64_t>(1, together)) *
                            static_cast<double>(std::max<std::int64_t>(1, graphs));
  launch.operations = static_cast<int>(std::clamp(operations, 0.0, kMost));
  launch.graph = graphs > 0;
  if (together > 1) launch.recipe.push_back(fmt::format("{} operations in a group", together));
  if (text_of(member(config, "blocking_collectives")) == "true") {
    launch.recipe.emplace_back("blocking");
  }
  if (text_of(member(config, "per_iter_timing")) == "true") {
    launch.recipe.emplace_back(kPerIteration);
  }
  // One entry a process: with several GPUs a process only the first is listed.
  constexpr std::int64_t kMostEach = 4096;
  const auto each = std::clamp<std::int64_t>(number("nthreads", 1), 1, kMostEach) *
                    std::clamp<std::int64_t>(number("ngpus", 1), 1, kMostEach);
  for (const json& device : member(config, "devices")) {
    launch.ranks.push_back({static_cast<int>(integer_of(member(device, "rank"))),
                            static_cast<int>(integer_of(member(device, "group"))),
                            integer_of(member(device, "pid")), text_of(member(device, "hostname")),
                            text_of(member(device, "device_info"))});
  }
  const auto processes = static_cast<std::int64_t>(launch.ranks.size());
  launch.world = static_cast<int>(std::min<std::int64_t>(processes * each, 1 << 24));
}

std::optional<ReduceOp> operation_of(std::string_view word) {
  if (word.empty() || word == "none") return ReduceOp::sum;
  for (const ReduceOp op :
       {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg}) {
    if (word == to_string(op)) return op;
  }
  return std::nullopt;
}

std::optional<DataType> type_of(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(DataType::float8e5m2); ++i) {
    const auto type = static_cast<DataType>(i);
    if (word == nccl_tests_word(type)) return type;
  }
  if (word == "fp8_e4m3") return DataType::float8e4m3;
  if (word == "fp8_e5m2") return DataType::float8e5m2;
  return std::nullopt;
}

// False where its time is no number. The last key of a placement tells that all of it was written.
bool read_placement(const json& values, ImportedTiming timing, Placement placement,
                    ImportedLaunch& launch) {
  if (!values.is_object() || !values.contains("nwrong")) return true;
  timing.placement = placement;
  timing.algbw = real_of(member(values, "alg_bw"));
  timing.busbw = real_of(member(values, "bus_bw"));
  // With -C there is the time of the host's calls only; the real one follows from the bandwidth.
  timing.time = Seconds{values.contains("time")
                            ? real_of(member(values, "time")) * 1e-6
                            : static_cast<double>(timing.size.value) / (timing.algbw * 1e9)};
  const double wrong = real_of(member(values, "nwrong"));
  constexpr double kMost = 9e18;
  timing.wrong = wrong >= 0 && wrong < kMost ? static_cast<std::int64_t>(wrong) : -1;
  if (!(timing.time.count() > 0) || !std::isfinite(timing.time.count())) return false;
  if (!std::isfinite(timing.algbw) || !std::isfinite(timing.busbw)) return false;
  launch.timings.push_back(timing);
  return true;
}

void read_results(const json& results, ImportedLaunch& launch) {
  int odd = 0;
  int strange = 0;
  for (const json& row : results) {
    const auto type = type_of(text_of(member(row, "type")));
    const auto op = operation_of(text_of(member(row, "redop")));
    if (!type || !op) {
      ++strange;
      continue;
    }
    ImportedTiming timing;
    timing.dtype = *type;
    timing.op = *op;
    timing.size = Bytes{std::max<std::int64_t>(0, integer_of(member(row, "size")))};
    timing.count = std::max<std::int64_t>(0, integer_of(member(row, "count")));
    odd += read_placement(member(row, "out_of_place"), timing, Placement::out_of_place, launch) ? 0
                                                                                                : 1;
    odd += read_placement(member(row, "in_place"), timing, Placement::in_place, launch) ? 0 : 1;
  }
  if (odd > 0) launch.notes.push_back(fmt::format("times that are no number: {}", odd));
  if (strange > 0)
    launch.notes.push_back(fmt::format("rows of another type or redop: {}", strange));
}

void read_environment(const json& variables, ImportedLaunch& launch) {
  for (const std::string& variable : texts_of(variables)) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = variable.substr(0, equals);
    if (may_be_kept(name)) launch.environment[name] = variable.substr(equals + 1);
  }
  launch.environment_known = variables.is_array();
}

void read_end(const json& document, ImportedLaunch& launch) {
  launch.ended = text_of(member(document, "end_time"));
  launch.wrong_data = text_of(member(member(document, "out_of_bounds"), "okay")) == "false";
  for (const std::string& error : texts_of(member(document, "errors"))) {
    if (!error.empty() && launch.failure.empty()) launch.failure = error;
  }
}

}  // namespace

bool is_nccl_tests_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  return text.find("\"config\"") != std::string_view::npos ||
         text.find("\"start_time\"") != std::string_view::npos;
}

RawLaunch read_json_launch(std::string_view text, const std::filesystem::path& file) {
  json document;
  const bool whole = read_as_far_as_it_goes(text, document);
  RawLaunch raw;
  ImportedLaunch& launch = raw.launch;
  launch.file = file;
  launch.started = text_of(member(document, "start_time"));
  const bool rccl = document.is_object() && document.contains("rccl_version");
  launch.program = fmt::format("{} (JSON version {})", rccl ? "rccl-tests" : "nccl-tests",
                               integer_of(member(document, "version")));
  const std::int64_t library = integer_of(member(document, rccl ? "rccl_version" : "nccl_version"));
  if (library > 0) launch.nccl = version_text(library);
  read_config(member(document, "config"), launch);
  read_arguments(texts_of(member(document, "args")), launch);
  read_environment(member(document, "env"), launch);
  read_results(member(document, "results"), launch);
  read_end(document, launch);
  launch.finished = whole && !launch.ended.empty();
  return raw;
}

}  // namespace nccl_sweep
