// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What tells whether one knob took effect. A rule says how the library shows that it read the knob,
// what the knob needs to act on anything, and what in the log follows its value. Used by
// find_effect.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/effect.hpp"
#include "core/case.hpp"
#include "core/fact.hpp"
#include "core/launched_path.hpp"

namespace nccl_sweep::effects {

// What the trials of a candidate said about one case.
struct Observed {
  std::vector<Fact> facts;           // of the candidate, over its trials
  std::vector<Fact> baseline;        // of the baseline
  std::optional<LaunchedPath> path;  // of this case; only evidence trials have one
  std::optional<LaunchedPath> baseline_path;
  // Groups of another shape launch the same operation with the same bytes: no path is known.
  bool path_is_shared = false;
  // The case's groups do not leave their nodes, although the world's channels do.
  bool inside_node = false;
  bool may_divert = false;  // a variable is set that can bring the network into a node
  Case what;
  int ranks = 0;  // that logged anything

  bool has(FactKind kind) const;
  // Every value of a kind and subject (all subjects where it is empty), first the most said.
  std::vector<const Fact*> all(FactKind kind, std::string_view subject = {}) const;
  bool any_transport(std::string_view prefix) const;
  // Whether the baseline is known to have no such channel either.
  bool not_in_baseline(std::string_view transport) const;
};

struct Setting {
  std::string_view knob;
  std::string_view value;
};

using Check = EffectFinding (*)(const Observed&, const Setting&);

enum class Reading {
  by_all,   // a variable that every rank reads at start-up
  by_some,  // a variable read where its code runs: by ranks with such a connection
  silent,   // a variable that no line tells of, or no variable
};

// What must be there for the knob to act.
enum class Needs {
  nothing,
  several_nodes,
  network,
  ib,
  socket,
  send_recv,
  symmetric,
  algorithm,
  nvls,
  simple,
  ll,
  ll128
};

struct Rule {
  std::string_view knob;  // a trailing '*' stands for any rest
  Reading reading = Reading::by_some;
  Needs needs = Needs::nothing;
  Check check = nullptr;  // none: no line shows what it does
};

const Rule& rule_of(std::string_view knob);
std::span<const Rule> rules();

// A sentence's part for each way it can end.
EffectFinding proven(std::string why);
EffectFinding not_applicable(std::string why);
EffectFinding unobservable(std::string why);
EffectFinding contradicted(std::string why);

// Where a case's path would tell and is not known.
EffectFinding no_path(const Observed&);
// Where the log's channels may be another group's than the case's.
EffectFinding inside_node(const Observed&);

std::string taken(const LaunchedPath& path);  // "the path is RING SIMPLE 24 channels"

// As the library reads it: 0x10 is 16, words in any case, a value that was cut in the log is what
// begins with it.
bool same_value(std::string_view wanted, std::string_view read);
std::optional<long long> number_of(std::string_view text);

// Kernels and channels: effect_kernels.cpp. The rest: effect_network.cpp.
EffectFinding check_most_channels(const Observed&, const Setting&);
EffectFinding check_fewest_channels(const Observed&, const Setting&);
EffectFinding check_most_p2p_channels(const Observed&, const Setting&);
EffectFinding check_fewest_p2p_channels(const Observed&, const Setting&);
EffectFinding check_algorithm(const Observed&, const Setting&);
EffectFinding check_protocol(const Observed&, const Setting&);
EffectFinding check_nvls(const Observed&, const Setting&);
EffectFinding check_nvls_channels(const Observed&, const Setting&);
EffectFinding check_symmetric_ctas(const Observed&, const Setting&);
EffectFinding check_symmetric_kernel(const Observed&, const Setting&);
EffectFinding check_cta_policy(const Observed&, const Setting&);
EffectFinding check_pat(const Observed&, const Setting&);
EffectFinding check_buffer(const Observed&, const Setting&);
EffectFinding check_config(const Observed&, const Setting&);

EffectFinding check_network(const Observed&, const Setting&);
EffectFinding check_ib_disable(const Observed&, const Setting&);
EffectFinding check_queue_pairs(const Observed&, const Setting&);
EffectFinding check_split(const Observed&, const Setting&);
EffectFinding check_adapters(const Observed&, const Setting&);
EffectFinding check_adaptive_routing(const Observed&, const Setting&);
EffectFinding check_gid_index(const Observed&, const Setting&);
EffectFinding check_socket_threads(const Observed&, const Setting&);
EffectFinding check_sockets(const Observed&, const Setting&);
EffectFinding check_transport_off(const Observed&, const Setting&);
EffectFinding check_pxn(const Observed&, const Setting&);
EffectFinding check_collnet(const Observed&, const Setting&);
EffectFinding check_topology_file(const Observed&, const Setting&);
EffectFinding check_plugin(const Observed&, const Setting&);
EffectFinding check_p2p_chunk(const Observed&, const Setting&);
EffectFinding check_mnnvl(const Observed&, const Setting&);
EffectFinding check_library(const Observed&, const Setting&);

}  // namespace nccl_sweep::effects
