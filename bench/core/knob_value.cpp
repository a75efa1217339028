// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a value text means to the library that will read it. NCCL reads numbers with strtoll in
// base 0: it stops at the first odd character and says nothing, so the check is ours.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "core/candidate.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"
#include "core/units.hpp"
#include "core/words.hpp"

namespace nccl_sweep {
namespace {

// The whole text as a decimal or 0x number without leading zeros, or nothing.
std::optional<std::int64_t> plain_number(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  std::string_view digits = negative ? text.substr(1) : text;
  const bool hex = digits.size() > 2 && (digits.starts_with("0x") || digits.starts_with("0X"));
  if (hex) digits.remove_prefix(2);
  if (digits.empty() || !std::isxdigit(static_cast<unsigned char>(digits.front()))) return {};
  if (!hex && digits.size() > 1 && digits.front() == '0') return {};  // would be octal
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return negative ? -value : value;
}

[[noreturn]] void refuse(const Knob& knob, std::string_view value, std::string_view why,
                         std::string_view where, std::string hint = {}) {
  throw usage_error(fmt::format("{}: '{}' {}", knob.name, value, why), std::string(where),
                    std::move(hint));
}

std::int64_t number_or_refuse(const Knob& knob, std::string_view value, std::string_view where) {
  if (const auto number = plain_number(value)) return *number;
  const long long read = std::strtoll(std::string(value).c_str(), nullptr, 0);
  refuse(knob, value, fmt::format("is not a plain number; it would silently be read as {}", read),
         where, "write a decimal number, or 0x and hexadecimal digits");
}

void check_range(const Knob& knob, std::string_view value, std::int64_t number,
                 std::string_view where) {
  if (knob.power_of_two && number > 0 && !std::has_single_bit(static_cast<std::uint64_t>(number))) {
    refuse(knob, value, "is not a power of two", where);
  }
  const bool low = knob.minimum && number < *knob.minimum;
  const bool high = knob.maximum && number > *knob.maximum;
  if (!low && !high) return;
  const auto show = [&](const std::optional<std::int64_t>& limit) -> std::string {
    if (!limit) return "any";
    const bool unit = knob.type == KnobType::size && *limit >= 1024;
    return unit ? format_size_exact(Bytes{*limit}) : std::to_string(*limit);
  };
  refuse(knob, value, fmt::format("is outside {} to {}", show(knob.minimum), show(knob.maximum)),
         where);
}

void check_text(const Knob& knob, std::string_view value, std::string_view where) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  if (value.empty()) refuse(knob, value, "is empty, which means the default", where);
  if (is_blank(value.front()) || is_blank(value.back())) {
    refuse(knob, value, "has blanks around it, which would become part of the value", where);
  }
  if (value.front() == '"' || value.front() == '\'' || value.back() == '"' ||
      value.back() == '\'') {
    refuse(knob, value, "has quotes around it, which would become part of the value", where);
  }
  if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20; })) {
    refuse(knob, value, "has a line break or control character in it", where);
  }
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(at, from), text.size());
    parts.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

void check_word(const Knob& knob, std::string_view value, std::string word,
                const std::vector<std::string>& known, std::string_view where) {
  word = lower_case(std::move(word));
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  refuse(knob, value, fmt::format("has the unknown word '{}'", word), where,
         did_you_mean(word, known));
}

// [list][;function:list]..., where ^ in front of a list means all but these (NCCL 2.24; before it
// one list served every collective).
void check_selection(const Knob& knob, std::string_view value,
                     const std::vector<std::string>& words, std::string_view where) {
  static const std::vector<std::string> functions{"broadcast", "reduce", "allgather",
                                                  "reducescatter", "allreduce"};
  const std::vector<std::string> entries = split(value, ';');
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string list = entries[i];
    const std::size_t colon = list.find(':');
    if (colon == std::string::npos && i > 0) {
      refuse(knob, value, "names no collective after ';'", where,
             "only the first list may leave it out: ring;allgather:pat");
    }
    if (colon != std::string::npos) {
      check_word(knob, value, list.substr(0, colon), functions, where);
      list.erase(0, colon + 1);
    }
    if (!list.empty() && list.front() == '^') list.erase(0, 1);
    for (std::string& word : split(list, ',')) check_word(knob, value, word, words, where);
  }
}

}  // namespace

std::string normalise_value(const Knob& knob, std::string_view value) {
  const bool as_it_is = knob.type != KnobType::size || plain_number(value) || value == kUnset;
  if (as_it_is) return std::string(value);
  return std::to_string(parse_size(value).value);
}

std::vector<int> parse_cpu_list(std::string_view text, std::string_view where) {
  constexpr std::int64_t kMostCpus = 1024;  // what a cpu_set_t holds
  std::vector<int> cpus;
  if (text == "all") return cpus;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-', 1);
    const auto first = plain_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : plain_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) {
      throw usage_error(fmt::format("'{}' is not a list of CPUs", text), std::string(where),
                        "all, or a list such as 0-3,8; gpu-local on real GPUs");
    }
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

void KnobCatalogue::check_value(const Knob& knob, std::string_view value,
                                std::string_view where) const {
  static const std::vector<std::string> algorithms{
      "tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"};
  static const std::vector<std::string> protocols{"ll", "ll128", "simple"};
  if (knob.kind == KnobKind::environment && value == kUnset) return;
  check_text(knob, value, where);
  const bool by_gpu = knob.backend == "nccl" && value == kGpuLocal;
  if (knob.kind == KnobKind::cpu_bind && !by_gpu) parse_cpu_list(value, where);
  switch (knob.type) {
    case KnobType::integer:
      check_range(knob, value, number_or_refuse(knob, value, where), where);
      return;
    case KnobType::boolean:
      if (value != "0" && value != "1") refuse(knob, value, "must be 0 or 1", where);
      return;
    case KnobType::size: {
      const auto number = plain_number(value);
      check_range(knob, value, number ? *number : parse_size(value, where).value, where);
      return;
    }
    case KnobType::choice:
      if (std::find(knob.choices.begin(), knob.choices.end(), value) == knob.choices.end()) {
        refuse(knob, value, "is not one of its values", where, did_you_mean(value, knob.choices));
      }
      return;
    case KnobType::text:
      if (knob.name == "NCCL_ALGO") check_selection(knob, value, algorithms, where);
      if (knob.name == "NCCL_PROTO") check_selection(knob, value, protocols, where);
      return;
    case KnobType::path:
      return;
  }
}

}  // namespace nccl_sweep
