// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Knobs that show in what was launched: channels, algorithms, kinds of kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/effect_rules.hpp"

namespace nccl_sweep::effects {
namespace {

// The number that a line about channels gives, the largest where ranks or communicators differ.
std::optional<long long> channels(const Observed& seen, std::string_view kind) {
  std::optional<long long> most;
  for (const Fact* fact : seen.all(FactKind::channels, kind)) {
    const auto number = number_of(fact->value);
    if (number && (!most || *number > *most)) most = number;
  }
  return most;
}

std::string counted_channels(long long count, std::string_view kind) {
  return fmt::format("{} {} channels", count, kind);
}

// `used` are the channels of the communicator or of the kernel, of which `setting` is the most.
EffectFinding judge_most(long long used, const Setting& setting, const std::string& text) {
  const auto limit = number_of(setting.value);
  if (!limit) return unobservable("not a number");
  if (used > *limit) return contradicted(text);
  if (used < *limit) return not_applicable(text + ": the limit is not reached");
  return proven(text);
}

EffectFinding judge_fewest(long long used, const Setting& setting, const std::string& text) {
  const auto limit = number_of(setting.value);
  if (!limit) return unobservable("not a number");
  if (used < *limit) return contradicted(text);
  if (used > *limit) return not_applicable(text + " anyway");
  return proven(text);
}

std::string lower_letters(std::string_view text) {
  std::string word;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) word += static_cast<char>(std::tolower(c));
  }
  return word;
}

// The list of a value "[list][;function:list]..." that holds for `function`, nullopt where the
// value says nothing about it.
std::optional<std::string> list_for(std::string_view value, std::string_view function) {
  std::optional<std::string> general;
  while (!value.empty()) {
    const std::string_view part = value.substr(0, value.find(';'));
    value.remove_prefix(std::min(part.size() + 1, value.size()));
    const std::size_t colon = part.find(':');
    if (colon == part.npos) {
      general = part;
    } else if (lower_letters(part.substr(0, colon)) == lower_letters(function)) {
      return std::string(part.substr(colon + 1));
    }
  }
  return general;
}

EffectFinding judge_choice(const Setting& setting, const Observed& seen, std::string_view used) {
  auto list = list_for(setting.value, to_string(seen.what.collective));
  if (!list) return not_applicable("names other collectives only");
  const bool excluded = list->starts_with('^');
  std::string_view rest = excluded ? std::string_view(*list).substr(1) : *list;
  bool named = false;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    named = named || lower_letters(word) == lower_letters(used);
  }
  const std::string text = taken(*seen.path);
  return named != excluded ? proven(text) : contradicted(text);
}

}  // namespace

EffectFinding check_most_channels(const Observed& seen, const Setting& setting) {
  if (seen.path && seen.path->channels > 0) {
    return judge_most(seen.path->channels, setting, taken(*seen.path));
  }
  const auto count = channels(seen, "coll");
  if (!count) return unobservable("read, but no line tells the channels");
  return judge_most(*count, setting, counted_channels(*count, "coll"));
}

// Small operations use fewer channels than there are, so the communicator's number counts.
EffectFinding check_fewest_channels(const Observed& seen, const Setting& setting) {
  if (seen.path && seen.path->kind == PathKind::symmetric) {
    return judge_fewest(seen.path->channels, setting, taken(*seen.path));
  }
  const auto count = channels(seen, "coll");
  if (!count) return unobservable("read, but no line tells the channels");
  std::string text = counted_channels(*count, "coll");
  if (seen.path) text += fmt::format(", {}", to_string(*seen.path));
  return judge_fewest(*count, setting, text);
}

EffectFinding check_most_p2p_channels(const Observed& seen, const Setting& setting) {
  const auto count = channels(seen, "p2p");
  if (!count) return unobservable("read, but no line tells the channels");
  return judge_most(*count, setting, counted_channels(*count, "p2p"));
}

EffectFinding check_fewest_p2p_channels(const Observed& seen, const Setting& setting) {
  const auto count = channels(seen, "p2p");
  if (!count) return unobservable("read, but no line tells the channels");
  return judge_fewest(*count, setting, counted_channels(*count, "p2p"));
}

EffectFinding check_algorithm(const Observed& seen, const Setting& setting) {
  if (!seen.path) return no_path(seen);
  return judge_choice(setting, seen, seen.path->algorithm);
}

EffectFinding check_protocol(const Observed& seen, const Setting& setting) {
  if (!seen.path) return no_path(seen);
  return judge_choice(setting, seen, seen.path->protocol);
}

EffectFinding check_pat(const Observed& seen, const Setting& setting) {
  if (!seen.path) return no_path(seen);
  const bool used = seen.path->algorithm == "PAT";
  if (setting.value == "0") {
    if (used) return contradicted(taken(*seen.path));
    const std::optional<LaunchedPath>& before = seen.baseline_path;
    if (before && before->algorithm != "PAT") {
      return not_applicable("PAT is not used in the baseline either");
    }
    return proven(taken(*seen.path));
  }
  return used ? proven(taken(*seen.path)) : not_applicable(taken(*seen.path));
}

EffectFinding check_nvls(const Observed& seen, const Setting& setting) {
  const bool used = seen.path && seen.path->algorithm.starts_with("NVLS");
  const auto count = channels(seen, "nvls");
  if (setting.value == "0") {
    if (used || count.value_or(0) > 0) {
      return contradicted(used ? taken(*seen.path) : counted_channels(*count, "nvls"));
    }
    const Fact* before = find_fact(seen.baseline, FactKind::channels, "nvls");
    if (before != nullptr && before->value == "0") {
      return not_applicable("0 nvls channels in the baseline too");
    }
    return count ? proven("0 nvls channels") : unobservable("no line tells the channels");
  }
  if (used) return proven(taken(*seen.path));
  const auto multicast = seen.all(FactKind::multicast, "NVLink SHARP");
  if (!multicast.empty() && multicast[0]->value != "available") {
    return not_applicable("NVLink SHARP: " + multicast[0]->value);
  }
  if (count == 0) return not_applicable("0 nvls channels");
  if (seen.path) return not_applicable(taken(*seen.path));
  return no_path(seen);
}

EffectFinding check_nvls_channels(const Observed& seen, const Setting& setting) {
  const auto count = channels(seen, "nvls");
  if (!count) return unobservable("read, but no line tells the channels");
  const std::string text = counted_channels(*count, "nvls");
  if (*count == 0) return not_applicable(text);
  return count == number_of(setting.value) ? proven(text) : contradicted(text);
}

EffectFinding check_symmetric_ctas(const Observed& seen, const Setting& setting) {
  if (!seen.path) return no_path(seen);
  if (seen.path->kind == PathKind::copy_engine) return not_applicable(taken(*seen.path));
  const auto wanted = number_of(setting.value);
  if (wanted == 0) return unobservable("0 leaves the number to NCCL");
  constexpr std::int64_t kLeastBytes = 16;  // of a thread block: one access
  if (wanted && seen.path->channels < *wanted && seen.what.size.value < *wanted * kLeastBytes) {
    return not_applicable(fmt::format("too little data for {} thread blocks", *wanted));
  }
  const bool same = wanted == seen.path->channels;
  return same ? proven(taken(*seen.path)) : contradicted(taken(*seen.path));
}

EffectFinding check_symmetric_kernel(const Observed& seen, const Setting& setting) {
  if (!seen.path) return no_path(seen);
  const bool same = same_value(setting.value, seen.path->algorithm);
  return same ? proven(taken(*seen.path)) : contradicted(taken(*seen.path));
}

EffectFinding check_cta_policy(const Observed& seen, const Setting& setting) {
  if (setting.value != "2") return unobservable("no line shows what it does");
  if (!seen.path) return no_path(seen);
  if (seen.path->kind == PathKind::copy_engine) return proven(taken(*seen.path));
  return not_applicable(taken(*seen.path));
}

EffectFinding check_buffer(const Observed& seen, const Setting& setting) {
  const bool special = seen.path && seen.path->kind != PathKind::channels;
  if (setting.value == "registered") {
    for (const Fact* fact : seen.all(FactKind::note, "registered buffers")) {
      if (fact->value.ends_with(" failed")) continue;
      return unobservable(
          fmt::format("registered for {}, but no line tells for which operations", fact->value));
    }
    return unobservable("no line shows that the registration is used");
  }
  if (!seen.path) return no_path(seen);
  const std::string text = taken(*seen.path);
  return special == (setting.value == "symmetric") ? proven(text) : contradicted(text);
}

EffectFinding check_config(const Observed& seen, const Setting& setting) {
  struct Field {
    std::string_view knob;
    std::string_view field;
    Check check;
  };
  constexpr std::array kFields{Field{"min_ctas", "minCTAs", check_fewest_channels},
                               Field{"max_ctas", "maxCTAs", check_most_channels},
                               Field{"nvls_ctas", "nvlsCTAs", check_nvls_channels},
                               Field{"cga_cluster_size", "cgaClusterSize", nullptr},
                               Field{"cta_policy", "CTAPolicy", check_cta_policy},
                               Field{"n_channels_per_net_peer", "nChannelsPerNetPeer", nullptr}};
  const auto field = std::ranges::find(kFields, setting.knob, &Field::knob);
  if (field == kFields.end()) return unobservable("no line of the log tells");
  if (const auto reset = seen.all(FactKind::config_reset, field->field); !reset.empty()) {
    return contradicted(reset[0]->value + " won");
  }
  const auto taken = seen.all(FactKind::config, field->field);
  if (taken.empty()) return not_applicable("NCCL took no such field");
  if (!same_value(setting.value, taken[0]->value)) {
    return contradicted(fmt::format("{} is {}", field->field, taken[0]->value));
  }
  if (field->check == nullptr) return unobservable("taken, but no line shows what it does");
  return field->check(seen, setting);
}

}  // namespace nccl_sweep::effects
