// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/effect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/effect_rules.hpp"
#include "core/launched_path.hpp"
#include "core/prune.hpp"

namespace nccl_sweep {
namespace {

using effects::contradicted;
using effects::Needs;
using effects::not_applicable;
using effects::Observed;
using effects::Reading;
using effects::Rule;
using effects::Setting;
using effects::taken;
using effects::unobservable;

// What a candidate's complete trials said. The same fact of two trials is one, said by the larger
// number of ranks.
std::vector<Fact> facts_of(const RunData& data, int candidate) {
  std::map<std::tuple<FactKind, std::string, std::string>, int> said;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != candidate || trial.outcome != Outcome::complete) continue;
    for (const Fact& fact : trial.facts) {
      if (fact.kind == FactKind::path && trial.order.stage != Stage::evidence) continue;
      int& ranks = said[{fact.kind, fact.subject, fact.value}];
      ranks = std::max(ranks, fact.ranks);
    }
  }
  std::vector<Fact> facts;
  for (const auto& [key, ranks] : said) {
    facts.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), ranks});
  }
  return facts;
}

// The log names an operation by function and bytes, not by the communicator that it ran on.
bool path_is_shared(const RunRecord& run, const Case& what) {
  return std::ranges::any_of(run.cases, [&](const Case& other) {
    return other.group != what.group && path_subject(other) == path_subject(what);
  });
}

// Consecutive ranks are taken to be on one node, as launchers place them.
bool stays_inside_node(const Case& what, const Fabric& fabric) {
  if (fabric.nodes <= 1) return false;  // there, all that the log says is about one node
  if (what.group.kind == GroupKind::node) return true;
  const int block = what.group.stride * what.group.size;
  return what.group.kind == GroupKind::strided && block > 0 && fabric.ranks_per_node % block == 0;
}

bool may_divert(const RunRecord& run, const Candidate& tried, const std::vector<Fact>& facts) {
  const auto diverts = [](const auto& variable) { return can_divert_to_network(variable.first); };
  return std::ranges::any_of(tried.assignments, diverts) ||
         std::ranges::any_of(run.environment, diverts) ||
         std::ranges::any_of(facts, [](const Fact& fact) {
           return fact.kind == FactKind::variable && can_divert_to_network(fact.subject);
         });
}

// Launches of one operation differ where several are grouped: the widest is a launch by itself.
std::optional<LaunchedPath> path_of(const std::vector<Fact>& facts, const Case& what) {
  const std::string subject = path_subject(what);
  std::optional<LaunchedPath> widest;
  for (const Fact& fact : facts) {
    if (fact.kind != FactKind::path || fact.subject != subject) continue;
    const LaunchedPath path = parse_launched_path(fact.value);
    if (!widest || path.channels > widest->channels) widest = path;
  }
  return widest;
}

// Each process prints the version once, so it tells how many of them were heard.
int ranks_heard(const Observed& seen) {
  const auto versions = seen.all(FactKind::version, "nccl");
  return std::accumulate(versions.begin(), versions.end(), 0,
                         [](int sum, const Fact* fact) { return sum + fact->ranks; });
}

std::string count_note(int said, int ranks) {
  return said < ranks ? fmt::format(" (on {} of {} ranks)", said, ranks) : "";
}

bool moves_by_send_recv(Collective collective) {
  return collective == Collective::alltoall || collective == Collective::gather ||
         collective == Collective::scatter || collective == Collective::sendrecv;
}

// Why the knob has nothing to act on, or empty.
std::string missing_need(const Observed& seen, Needs needs) {
  const std::optional<LaunchedPath>& path = seen.path;
  const bool special = path && path->kind != PathKind::channels;
  const bool connected = seen.has(FactKind::transport) || special;
  const auto no_transport = [&](std::string_view prefix, std::string_view word) {
    if (!connected || seen.any_transport(prefix)) return std::string();
    return fmt::format("no channel goes over {}", word);
  };
  const auto other_protocol = [&](std::string_view protocol) {
    if (special) return taken(*path);
    if (!path || path->protocol == protocol) return std::string();
    return taken(*path);
  };
  switch (needs) {
    case Needs::nothing:
    case Needs::several_nodes:  // judged before
      return {};
    case Needs::network:
      return no_transport("NET/", "a network");
    case Needs::ib:
      return no_transport("NET/IB", "NET/IB");
    case Needs::socket:
      return no_transport("NET/Socket", "NET/Socket");
    case Needs::send_recv:
      return moves_by_send_recv(seen.what.collective) ? "" : "acts on send/recv only";
    case Needs::symmetric:
      return path && path->kind == PathKind::channels ? "no symmetric kernel is used" : "";
    case Needs::algorithm:
      if (moves_by_send_recv(seen.what.collective)) return "send/recv has no choice of algorithm";
      return special ? taken(*path) : "";
    case Needs::nvls:
      if (special) return taken(*path);
      return path && !path->algorithm.starts_with("NVLS") ? taken(*path) : "";
    case Needs::simple:
      return other_protocol("SIMPLE");
    case Needs::ll:
      return other_protocol("LL");
    case Needs::ll128:
      return other_protocol("LL128");
  }
  return {};
}

bool needs_network(Needs needs) {
  return needs == Needs::several_nodes || needs == Needs::network || needs == Needs::ib ||
         needs == Needs::socket;
}

// Taken out of the environment: what is not read any more can only be told from the baseline.
EffectFinding judge_unset(const Observed& seen, const Setting& setting, const Rule& rule) {
  if (rule.reading == Reading::silent) return unobservable("no line of the log tells");
  const auto read = seen.all(FactKind::variable, setting.knob);
  if (!read.empty()) return contradicted(fmt::format("read as {} all the same", read[0]->value));
  const Fact* before = find_fact(seen.baseline, FactKind::variable, setting.knob);
  if (before == nullptr) return not_applicable("never read, nor by the baseline");
  return effects::proven(fmt::format("not read; the baseline reads {}", before->value));
}

EffectFinding judge(const Observed& seen, const Setting& setting) {
  const Rule& rule = effects::rule_of(setting.knob);
  if (setting.value == kUnset) return judge_unset(seen, setting, rule);
  const auto read = seen.all(FactKind::variable, setting.knob);
  int readers = 0;
  for (const Fact* fact : read) {
    if (!effects::same_value(setting.value, fact->value)) {
      const bool from_file = find_fact(seen.facts, FactKind::conf_file, setting.knob) != nullptr;
      return contradicted(fmt::format("read as {}{}{}", fact->value,
                                      from_file ? ", from a conf file" : "",
                                      count_note(fact->ranks, seen.ranks)));
    }
    readers += fact->ranks;
  }
  if (!seen.all(FactKind::bad_value, setting.knob).empty()) {
    return contradicted("the value could not be read: the default is used");
  }
  if (seen.inside_node && needs_network(rule.needs)) return effects::inside_node(seen);
  if (std::string why = missing_need(seen, rule.needs); !why.empty()) return not_applicable(why);
  if (rule.reading != Reading::silent && readers == 0) return not_applicable("never read");
  if (rule.reading == Reading::by_all && readers < seen.ranks) {
    return contradicted(fmt::format("read by {} of {} ranks only", readers, seen.ranks));
  }
  if (rule.check == nullptr) {
    return unobservable(readers > 0 ? "read, but no line shows what it does"
                                    : "no line of the log tells");
  }
  EffectFinding found = rule.check(seen, setting);
  if (readers > 0) found.why += count_note(readers, seen.ranks);
  return found;
}

// The worst of several says what the whole is; what does not apply does not matter beside others.
EffectFinding combine(const std::vector<std::pair<std::string, EffectFinding>>& judged) {
  for (const Effect decides :
       {Effect::contradicted, Effect::unobservable, Effect::proven, Effect::not_applicable}) {
    EffectFinding found;
    for (const auto& [knob, finding] : judged) {
      if (finding.effect != decides) continue;
      found.effect = decides;
      const std::string why =
          judged.size() == 1 ? finding.why : fmt::format("{}: {}", knob, finding.why);
      found.why += found.why.empty() ? why : "; " + why;
      if (decides != Effect::proven) break;  // one reason is enough
    }
    if (found.effect == decides) return found;
  }
  return {};
}

}  // namespace

std::string_view to_string(Effect effect) {
  constexpr std::array<std::string_view, 5> kWords{"", "proven", "not applicable", "unobservable",
                                                   "contradicted"};
  return kWords.at(static_cast<std::size_t>(effect));
}

EffectFinding find_effect(const RunData& data, int candidate, int case_index) {
  const Candidate& tried = data.run.candidates.at(static_cast<std::size_t>(candidate));
  Observed seen;
  seen.what = data.run.cases.at(static_cast<std::size_t>(case_index));
  seen.facts = facts_of(data, candidate);
  if (tried.is_baseline() || seen.facts.empty()) return {};
  seen.baseline = facts_of(data, 0);
  seen.path_is_shared = path_is_shared(data.run, seen.what);
  if (!seen.path_is_shared) {
    seen.path = path_of(seen.facts, seen.what);
    seen.baseline_path = path_of(seen.baseline, seen.what);
  }
  seen.inside_node = stays_inside_node(seen.what, data.run.fabric);
  seen.may_divert = may_divert(data.run, tried, seen.facts);
  seen.ranks = ranks_heard(seen);
  std::vector<std::pair<std::string, EffectFinding>> judged;
  for (const auto& [knob, value] : tried.assignments) {
    judged.emplace_back(knob, judge(seen, {knob, value}));
  }
  return combine(judged);
}

std::string launched_path(const RunData& data, int candidate, int case_index) {
  const Case& what = data.run.cases.at(static_cast<std::size_t>(case_index));
  if (path_is_shared(data.run, what)) return {};
  const std::string subject = path_subject(what);
  std::set<std::string> paths;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != candidate || trial.order.stage != Stage::evidence) continue;
    for (const Fact& fact : trial.facts) {
      if (fact.kind == FactKind::path && fact.subject == subject) paths.insert(fact.value);
    }
  }
  return fmt::format("{}", fmt::join(paths, " / "));
}

}  // namespace nccl_sweep
