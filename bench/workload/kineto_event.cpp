// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/kineto_event.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

namespace nccl_sweep {
namespace {

using nlohmann::json;

// What JSON forbids and old exporters write: control characters, stray backslashes, other bytes
// than UTF-8. None of them carries anything that is read here.
std::string repaired(std::string_view text) {
  std::string result(text);
  constexpr std::string_view kEscapes = "\"\\/bfnrtu";
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(result[i]);
    if (byte < 0x20) result[i] = ' ';
    if (byte >= 0x80) result[i] = '?';
    if (byte == '\\') {
      const char next = i + 1 < result.size() ? result[i + 1] : '\0';
      if (kEscapes.find(next) == std::string_view::npos) {
        result[i] = '/';
      } else {
        ++i;
      }
    }
  }
  return result;
}

json parse_lenient(std::string_view text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) parsed = json::parse(repaired(text), nullptr, false);
  return parsed;
}

const json* find_any(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end()) return &*found;
  }
  return nullptr;
}

std::string text_of(const json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return value->get<std::string>();
  return value->dump();
}

double real_of(const json* value, double otherwise) {
  if (value == nullptr) return otherwise;
  if (value->is_number()) return value->get<double>();
  const std::string text = text_of(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? otherwise : number;
}

std::int64_t integer_of(const json* value, std::int64_t otherwise) {
  if (value != nullptr && value->is_number_integer()) return value->get<std::int64_t>();
  const double number = real_of(value, static_cast<double>(otherwise));
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a real is no count
  if (!(number > -kExact && number < kExact)) return otherwise;
  return static_cast<std::int64_t>(number);
}

int small_of(const json* value, int otherwise) {
  const std::int64_t number = integer_of(value, otherwise);
  const bool fits =
      number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max();
  return fits ? static_cast<int>(number) : otherwise;
}

bool is_uneven(const json* split) {
  bool whole = true;
  const std::vector<int> sizes = parse_rank_list(text_of(split), whole);
  return std::ranges::adjacent_find(sizes, std::ranges::not_equal_to{}) != sizes.end();
}

CommsRecord comms_record(const json& event) {
  const json* found = find_any(event, {"args"});
  const json args = found != nullptr && found->is_object() ? *found : json::object();
  CommsRecord record;
  record.collective = text_of(find_any(args, {"Collective name", "collective_name"}));
  record.dtype = text_of(find_any(args, {"dtype"}));
  record.in_elements = integer_of(find_any(args, {"In msg nelems", "In msg size"}), -1);
  record.out_elements = integer_of(find_any(args, {"Out msg nelems", "Out msg size"}), -1);
  record.group_size = small_of(find_any(args, {"Group size"}), 0);
  record.group_name = text_of(find_any(args, {"Process Group Name", "Process Group ID"}));
  record.group_ranks = text_of(find_any(args, {"Process Group Ranks"}));
  record.rank_start = small_of(find_any(args, {"Global rank start"}), -1);
  record.rank_stride = small_of(find_any(args, {"Global rank stride"}), -1);
  record.uneven_split =
      is_uneven(find_any(args, {"In split size"})) || is_uneven(find_any(args, {"Out split size"}));
  record.time = real_of(find_any(event, {"ts"}), 0);
  record.duration = real_of(find_any(event, {"dur"}), 0);
  record.thread = text_of(find_any(event, {"pid"})) + ":" + text_of(find_any(event, {"tid"}));
  return record;
}

bool on_device(const std::string& category) {
  return category.starts_with("gpu_") || category == "kernel" || category == "Kernel" ||
         category == "Trace" || category == "python_function" || category == "ac2g";
}

}  // namespace

std::optional<KinetoEvent> parse_kineto_event(std::string_view text) {
  const json event = parse_lenient(text);
  if (!event.is_object()) return std::nullopt;
  KinetoEvent result;
  const std::string phase = text_of(find_any(event, {"ph"}));
  if ((!phase.empty() && phase != "X") || on_device(text_of(find_any(event, {"cat"})))) {
    return result;
  }
  const std::string name = text_of(find_any(event, {"name"}));
  constexpr std::string_view kStep = "ProfilerStep#";
  if (name == "record_param_comms") {
    result.comms = comms_record(event);
  } else if (name.starts_with(kStep)) {
    const double begin = real_of(find_any(event, {"ts"}), 0);
    const double duration = real_of(find_any(event, {"dur"}), 0);
    const std::int64_t number = std::atoll(name.c_str() + kStep.size());
    if (duration > 0) result.step = StepMark{number, begin, begin + duration};
  }
  return result;
}

std::vector<int> parse_rank_list(std::string_view text, bool& whole) {
  whole = text.find("...") == std::string_view::npos;
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc{}) {
      ranks.push_back(rank);
      at = next;
    } else {
      ++at;
    }
  }
  return ranks;
}

std::optional<DistributedInfo> parse_distributed_info(std::string_view text) {
  const json parsed = parse_lenient(text);
  if (!parsed.is_object()) return std::nullopt;
  DistributedInfo info;
  info.backend = text_of(find_any(parsed, {"backend"}));
  info.rank = small_of(find_any(parsed, {"rank"}), -1);
  info.world_size = std::max(0, small_of(find_any(parsed, {"world_size"}), 0));
  info.nccl_version = text_of(find_any(parsed, {"nccl_version"}));
  const json* groups = find_any(parsed, {"pg_config"});
  if (groups == nullptr || !groups->is_array()) return info;
  for (const json& group : *groups) {
    if (!group.is_object()) continue;
    ProcessGroup& entry = info.groups[text_of(find_any(group, {"pg_name"}))];
    entry.backend = text_of(find_any(group, {"backend_config"}));
    bool whole = true;
    entry.ranks = parse_rank_list(text_of(find_any(group, {"ranks"})), whole);
    if (!whole) entry.ranks.clear();
  }
  return info;
}

}  // namespace nccl_sweep
