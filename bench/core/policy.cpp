// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.hpp"
#include "core/json_fields.hpp"
#include "core/json_object.hpp"
#include "core/words.hpp"

namespace nccl_sweep {

using nlohmann::json;

namespace {

constexpr std::string_view kAll = "all";

std::string value_text(const json& value, const std::string& where) {
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) return value;
  if (value.is_number_integer()) return value.dump();
  throw usage_error(fmt::format("{} is not a value in quotes or a whole number", value.dump()),
                    where);
}

Forbidden forbidden_of(const std::string& knob, const json& values, const std::string& where) {
  if (values.is_string() && values.get<std::string>() == kAll) return {knob, {}};
  if (!values.is_array() || values.empty()) {
    throw usage_error("what is forbidden is \"all\" or a list of values", where,
                      R"("NCCL_IB_TIMEOUT": "all", "NCCL_ALGO": ["NVLS"])");
  }
  Forbidden forbidden{knob, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    forbidden.values.push_back(value_text(values[i], fmt::format("{}/{}", where, i)));
  }
  return forbidden;
}

PolicyFile policy_of(const json& document, const std::string& file, const std::string& where) {
  const JsonObject object(
      document, where,
      {"forbidden", "largest_gpu_hours", "quiet_seconds", "leave_out_nodes", "reason"});
  PolicyFile policy;
  policy.file = file;
  policy.reason = object.text("reason");
  if (const json* forbidden = object.find("forbidden")) {
    const std::string place = object.place("forbidden");
    if (!forbidden->is_object()) throw usage_error("names of knobs are expected here", place);
    for (const auto& [knob, values] : forbidden->items()) {
      policy.forbidden.push_back(forbidden_of(knob, values, place + "/" + knob));
    }
  }
  constexpr double kLeastHours = 1e-6;  // 0 would forbid every sweep, or none: say which
  constexpr double kMostHours = 1e9;
  constexpr double kLongestQuiet = 3600;
  policy.largest_gpu_hours = object.number("largest_gpu_hours", 0, kLeastHours, kMostHours);
  policy.quiet_seconds = object.number("quiet_seconds", 0, 0, kLongestQuiet);
  const std::vector<json>& nodes = object.list("leave_out_nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    policy.leave_out_nodes.push_back(value_text(nodes[i], object.element("leave_out_nodes", i)));
  }
  return policy;
}

// "ring,^nvls;allreduce:tree" -> ring ^nvls allreduce tree
std::vector<std::string> list_items(std::string_view value) {
  std::vector<std::string> items(1);
  for (const char letter : value) {
    if (letter == ',' || letter == ';' || letter == ':') {
      items.emplace_back();
    } else {
      items.back() += letter;
    }
  }
  return items;
}

// As the libraries read numbers: 0x16 is 22, and so is 026.
std::optional<long long> number_in(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 0);
  return *end == '\0' && errno == 0 ? std::optional(number) : std::nullopt;
}

bool means(std::string_view value, const std::string& forbidden) {
  const std::string low = lower_case(forbidden);
  if (lower_case(std::string(value)) == low) return true;
  const std::optional<long long> number = number_in(std::string(value));
  if (number && number == number_in(forbidden)) return true;
  const std::vector<std::string> items = list_items(value);
  return std::any_of(items.begin(), items.end(),
                     [&](const std::string& item) { return lower_case(item) == low; });
}

}  // namespace

PolicyFile parse_policy(std::string_view text, const std::string& file) {
  json document;
  try {
    document = json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    throw usage_error("the policy is not valid JSON here",
                      fmt::format("{}:{}", file, 1 + std::ranges::count(before, '\n')),
                      "a comma, quote or bracket too few or too many");
  }
  return policy_of(document, file, file + "#");
}

PolicyFile load_policy(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, ignored)) {
    throw usage_error("cannot read the policy", file.string());
  }
  return parse_policy(std::string(std::istreambuf_iterator<char>(in), {}), file.string());
}

Policy load_policies(const std::filesystem::path& site_file, const std::string& user_file) {
  Policy policy;
  std::error_code error;
  const auto status = std::filesystem::status(site_file, error);
  // A file that we may not look at is no reason to go on without it.
  if (status.type() != std::filesystem::file_type::not_found) {
    try {
      policy.push_back(load_policy(site_file));
    } catch (const Error& broken) {
      throw environment_error(
          "this site's policy: " + broken.message(), broken.where(),
          broken.hint().empty() ? "nothing is measured until it can be obeyed" : broken.hint());
    }
  }
  if (!user_file.empty()) policy.push_back(load_policy(user_file));
  return policy;
}

const PolicyFile* forbids(const Policy& policy, std::string_view knob, std::string_view value,
                          bool varied) {
  for (const PolicyFile& file : policy) {
    for (const Forbidden& forbidden : file.forbidden) {
      if (forbidden.knob != knob) continue;
      if (forbidden.values.empty() && varied) return &file;
      if (std::any_of(forbidden.values.begin(), forbidden.values.end(),
                      [&](const std::string& word) { return means(value, word); })) {
        return &file;
      }
    }
  }
  return nullptr;
}

const PolicyFile* leaves_out(const Policy& policy, const std::string& host) {
  const std::string short_name = host.substr(0, host.find('.'));
  for (const PolicyFile& file : policy) {
    for (const std::string& node : file.leave_out_nodes) {
      if (fnmatch(node.c_str(), host.c_str(), 0) == 0 ||
          fnmatch(node.c_str(), short_name.c_str(), 0) == 0) {
        return &file;
      }
    }
  }
  return nullptr;
}

const PolicyFile* lowest_gpu_hours(const Policy& policy) {
  const PolicyFile* lowest = nullptr;
  for (const PolicyFile& file : policy) {
    if (file.largest_gpu_hours <= 0) continue;
    if (lowest == nullptr || file.largest_gpu_hours < lowest->largest_gpu_hours) lowest = &file;
  }
  return lowest;
}

double quiet_seconds(const Policy& policy) {
  double longest = 0;
  for (const PolicyFile& file : policy) longest = std::max(longest, file.quiet_seconds);
  return longest;
}

std::string reason_text(const PolicyFile& file) {
  return file.reason.empty() ? std::string() : fmt::format(" ({})", file.reason);
}

std::string summary(const PolicyFile& file) {
  std::vector<std::string> settings;
  for (const Forbidden& forbidden : file.forbidden) {
    settings.push_back(forbidden.values.empty() ? forbidden.knob
                                                : fmt::format("{}={}", forbidden.knob,
                                                              fmt::join(forbidden.values, "|")));
  }
  std::vector<std::string> parts;
  if (!settings.empty()) parts.push_back(fmt::format("forbids {}", fmt::join(settings, ", ")));
  if (file.largest_gpu_hours > 0) {
    parts.push_back(fmt::format("at most {:g} GPU-h a run", file.largest_gpu_hours));
  }
  if (file.quiet_seconds > 0) {
    parts.push_back(fmt::format("{:g} s of quiet between trials", file.quiet_seconds));
  }
  if (!file.leave_out_nodes.empty()) {
    parts.push_back(fmt::format("leaves out {}", fmt::join(file.leave_out_nodes, " ")));
  }
  if (parts.empty()) parts.emplace_back("restricts nothing");
  return fmt::format("{}{}", fmt::join(parts, "; "), reason_text(file));
}

void to_json(json& j, const PolicyFile& policy) {
  j = json{{"file", policy.file}};
  if (!policy.reason.empty()) j["reason"] = policy.reason;
  for (const Forbidden& forbidden : policy.forbidden) {
    j["forbidden"][forbidden.knob] = forbidden.values.empty() ? json(kAll) : json(forbidden.values);
  }
  if (policy.largest_gpu_hours > 0) j["largest_gpu_hours"] = policy.largest_gpu_hours;
  if (policy.quiet_seconds > 0) j["quiet_seconds"] = policy.quiet_seconds;
  if (!policy.leave_out_nodes.empty()) j["leave_out_nodes"] = policy.leave_out_nodes;
}

void from_json(const json& j, PolicyFile& policy) {
  json document = j;
  const std::string file = j.at("file").get<std::string>();
  document.erase("file");
  policy = policy_of(document, file, file + "#");
}

}  // namespace nccl_sweep
