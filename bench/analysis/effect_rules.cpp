// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/effect_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace nccl_sweep::effects {
namespace {

using enum Reading;
using N = Needs;

// The first that fits counts, so families stand behind their members.
constexpr std::array kRules{
    // Thread blocks and channels.
    Rule{"NCCL_MAX_CTAS", by_all, N::nothing, check_most_channels},
    Rule{"NCCL_MAX_NCHANNELS", by_all, N::nothing, check_most_channels},
    Rule{"NCCL_MIN_CTAS", by_all, N::nothing, check_fewest_channels},
    Rule{"NCCL_MIN_NCHANNELS", by_all, N::nothing, check_fewest_channels},
    Rule{"NCCL_MAX_P2P_NCHANNELS", by_all, N::send_recv, check_most_p2p_channels},
    Rule{"NCCL_MIN_P2P_NCHANNELS", by_all, N::send_recv, check_fewest_p2p_channels},
    Rule{"NCCL_NVLS_ENABLE", by_some, N::nothing, check_nvls},
    Rule{"NCCL_NVLS_NCHANNELS", by_some, N::nvls, check_nvls_channels},
    Rule{"NCCL_NVLS*", by_some, N::nvls, nullptr},
    Rule{"NCCL_SYM_CTAS", by_some, N::symmetric, check_symmetric_ctas},
    Rule{"NCCL_SYM_KERNEL", silent, N::symmetric, check_symmetric_kernel},
    Rule{"NCCL_SYM_*", by_some, N::symmetric, nullptr},
    Rule{"NCCL_WIN_ENABLE", by_some, N::nothing, nullptr},
    Rule{"NCCL_CTA_POLICY", silent, N::nothing, check_cta_policy},
    // Algorithms, protocols and their buffers.
    Rule{"NCCL_ALGO", by_all, N::algorithm, check_algorithm},
    Rule{"NCCL_PROTO", by_all, N::algorithm, check_protocol},
    Rule{"NCCL_PAT_ENABLE", by_some, N::algorithm, check_pat},
    Rule{"NCCL_BUFFSIZE", by_all, N::simple, nullptr},
    Rule{"NCCL_LL_BUFFSIZE", by_all, N::ll, nullptr},
    Rule{"NCCL_LL128*", by_all, N::ll128, nullptr},
    Rule{"NCCL_NTHREADS", by_all, N::algorithm, nullptr},
    Rule{"NCCL_COLLNET_ENABLE", by_some, N::network, check_collnet},
    Rule{"NCCL_TUNER_PLUGIN", silent, N::nothing, check_plugin},
    // InfiniBand and RoCE.
    Rule{"NCCL_IB_QPS_PER_CONNECTION", by_some, N::ib, check_queue_pairs},
    Rule{"NCCL_IB_SPLIT_DATA_ON_QPS", by_some, N::ib, check_split},
    Rule{"NCCL_IB_DISABLE", by_some, N::several_nodes, check_ib_disable},
    Rule{"NCCL_IB_HCA", by_some, N::ib, check_adapters},
    Rule{"NCCL_IB_ADAPTIVE_ROUTING", by_some, N::ib, check_adaptive_routing},
    Rule{"NCCL_IB_GID_INDEX", by_some, N::ib, check_gid_index},
    Rule{"NCCL_IB_*", by_some, N::ib, nullptr},
    Rule{"NCCL_GDR*", by_some, N::ib, nullptr},
    // Sockets.
    Rule{"NCCL_SOCKET_NTHREADS", by_some, N::socket, check_socket_threads},
    Rule{"NCCL_NSOCKS_PERTHREAD", by_some, N::socket, check_sockets},
    Rule{"NCCL_SOCKET_IFNAME", by_some, N::nothing, check_adapters},
    Rule{"NCCL_SOCKET_FAMILY", by_some, N::nothing, nullptr},
    Rule{"NCCL_SOCKET_*", by_some, N::socket, nullptr},
    // Networks in general.
    Rule{"NCCL_NET", silent, N::network, check_network},
    Rule{"NCCL_NET_PLUGIN", silent, N::network, check_plugin},
    Rule{"NCCL_NET_MERGE_LEVEL", silent, N::ib, nullptr},
    Rule{"NCCL_NET_FORCE_MERGE", silent, N::ib, nullptr},
    Rule{"NCCL_NET*", by_some, N::network, nullptr},
    Rule{"NCCL_DMABUF_ENABLE", by_some, N::network, nullptr},
    Rule{"NCCL_PXN_DISABLE", by_some, N::network, check_pxn},
    Rule{"NCCL_PXN*", by_some, N::network, nullptr},
    Rule{"NCCL_P2P_PXN_LEVEL", by_some, N::network, nullptr},
    Rule{"NCCL_CROSS_NIC", by_some, N::network, nullptr},
    Rule{"NCCL_PROXY_CPUSET", silent, N::network, nullptr},
    Rule{"NCCL_PRO*", by_some, N::network, nullptr},
    Rule{"NCCL_NCHANNELS_PER_NET_PEER", by_all, N::network, nullptr},
    // Inside a node.
    Rule{"NCCL_P2P_DISABLE", silent, N::nothing, check_transport_off},
    Rule{"NCCL_SHM_DISABLE", by_some, N::nothing, check_transport_off},
    Rule{"NCCL_P2P_NET_CHUNKSIZE", by_some, N::send_recv, check_p2p_chunk},
    Rule{"NCCL_P2P_PCI_CHUNKSIZE", by_some, N::send_recv, check_p2p_chunk},
    Rule{"NCCL_P2P_NVL_CHUNKSIZE", by_some, N::send_recv, check_p2p_chunk},
    Rule{"NCCL_P2P_LL_THRESHOLD", by_some, N::send_recv, nullptr},
    Rule{"NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", by_all, N::send_recv, nullptr},
    Rule{"NCCL_MNNVL_ENABLE", by_some, N::nothing, check_mnnvl},
    Rule{"NCCL_TOPO_FILE", by_all, N::nothing, check_topology_file},
    Rule{"NCCL_*", by_some, N::nothing, nullptr},
    // Not variables.
    Rule{"buffer", silent, N::nothing, check_buffer},
    Rule{"nccl_library", silent, N::nothing, check_library},
    Rule{"min_ctas", silent, N::nothing, check_config},
    Rule{"max_ctas", silent, N::nothing, check_config},
    Rule{"nvls_ctas", silent, N::nvls, check_config},
    Rule{"cga_cluster_size", silent, N::nothing, check_config},
    Rule{"cta_policy", silent, N::nothing, check_config},
    Rule{"n_channels_per_net_peer", silent, N::network, check_config},
    Rule{"*", silent, N::nothing, nullptr},
};

bool fits(std::string_view pattern, std::string_view knob) {
  if (!pattern.ends_with('*')) return pattern == knob;
  pattern.remove_suffix(1);
  return knob.starts_with(pattern);
}

}  // namespace

const Rule& rule_of(std::string_view knob) {
  return *std::ranges::find_if(kRules, [&](const Rule& rule) { return fits(rule.knob, knob); });
}

std::span<const Rule> rules() { return kRules; }

bool Observed::has(FactKind kind) const {
  return std::ranges::find(facts, kind, &Fact::kind) != facts.end();
}

std::vector<const Fact*> Observed::all(FactKind kind, std::string_view subject) const {
  std::vector<const Fact*> found;
  for (const Fact& fact : facts) {
    if (fact.kind == kind && (subject.empty() || fact.subject == subject)) found.push_back(&fact);
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Fact* fact) { return fact->ranks; });
  return found;
}

bool Observed::any_transport(std::string_view prefix) const {
  return std::ranges::any_of(facts, [&](const Fact& fact) {
    return fact.kind == FactKind::transport && fact.subject.starts_with(prefix);
  });
}

bool Observed::not_in_baseline(std::string_view transport) const {
  return !baseline.empty() && std::ranges::none_of(baseline, [&](const Fact& fact) {
    return fact.kind == FactKind::transport && fact.subject.starts_with(transport);
  });
}

EffectFinding proven(std::string why) { return {Effect::proven, std::move(why)}; }
EffectFinding not_applicable(std::string why) { return {Effect::not_applicable, std::move(why)}; }
EffectFinding unobservable(std::string why) { return {Effect::unobservable, std::move(why)}; }
EffectFinding contradicted(std::string why) { return {Effect::contradicted, std::move(why)}; }

EffectFinding no_path(const Observed& seen) {
  return unobservable(seen.path_is_shared ? "groups of another shape run the same operation"
                                          : "no trial logged this operation");
}

EffectFinding inside_node(const Observed& seen) {
  if (seen.may_divert) return unobservable("no line tells these groups' channels from the world's");
  return not_applicable("the groups stay inside a node");
}

std::string taken(const LaunchedPath& path) { return "the path is " + to_string(path); }

std::optional<long long> number_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  long long value = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_value(std::string_view wanted, std::string_view read) {
  constexpr std::string_view kCut = "...";
  if (read.ends_with(kCut)) {
    return wanted.starts_with(read.substr(0, read.size() - kCut.size()));
  }
  const auto number = number_of(wanted);
  if (number && number == number_of(read)) return true;
  return std::ranges::equal(wanted, read, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

}  // namespace nccl_sweep::effects
