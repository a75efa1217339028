// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/prune.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/rank_order.hpp"
#include "core/words.hpp"

namespace nccl_sweep {
namespace {

constexpr std::string_view kQueuePairs = "NCCL_IB_QPS_PER_CONNECTION";
constexpr std::string_view kSplit = "NCCL_IB_SPLIT_DATA_ON_QPS";

// Defaults that no version from 2.18 to 2.30 has changed. A network plugin has its own queue pairs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDefaults{{
    {kQueuePairs, "1"},
    {"NCCL_NVLS_ENABLE", "2"},
    {"NCCL_CROSS_NIC", "2"},
    {"NCCL_PXN_DISABLE", "0"},
    {"NCCL_COLLNET_ENABLE", "0"},
}};

constexpr std::array<std::string_view, 6> kSocketKnobs{
    "NCCL_SOCKET_NTHREADS", "NCCL_NSOCKS_PERTHREAD", "NCCL_SOCKET_INLINE",
    "NCCL_SOCKET_MIN_TASKSIZE", "NCCL_SOCKET_RCVBUF", "NCCL_SOCKET_SNDBUF"};

constexpr std::array<std::string_view, 9> kNetworkInsideNode{
    "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_SHM_DISABLE",  "NCCL_HOSTID",      "NCCL_NET",
    "NCCL_TOPO_FILE",   "NCCL_GRAPH_FILE", "NCCL_NET_PLUGIN", "NCCL_NET_DISABLE_INTRA"};

constexpr std::array<std::string_view, 3> kSymmetricKnobs{"NCCL_SYM_CTAS", "NCCL_SYM_KERNEL",
                                                          "NCCL_WIN_ENABLE"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the cases of a plan need of the fabric.
struct CaseFacts {
  bool across = true;   // every group spans nodes, as NCCL counts them
  bool inside = true;   // no group spans hosts
  bool all_reduce = false;
};

WorkerPlaces places_of(const PruneContext& context) {
  return {context.node_of_rank, context.leaf_of_node};
}

CaseFacts facts_of(const SweepPlan& plan, const PruneContext& context, const RankOrder& order) {
  constexpr std::size_t kNvlinkDomain = 72;  // GPUs: a larger group is on several of them
  CaseFacts facts;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    facts.all_reduce = facts.all_reduce || plan.cases[i].collective == Collective::all_reduce;
    const auto partition = static_cast<std::size_t>(plan.partition_of_case[i]);
    for (const auto& group : order.as_launched() ? plan.partitions[partition]
                                                 : partition_in_order(plan.shapes[partition], order,
                                                                      places_of(context))) {
      std::set<int> nodes;
      for (const int rank : group) {
        nodes.insert(context.node_of_rank[static_cast<std::size_t>(rank)]);
      }
      const bool one_domain = context.nvlink_across && group.size() <= kNvlinkDomain;
      facts.inside = facts.inside && nodes.size() == 1;
      facts.across = facts.across && nodes.size() > 1 && !one_domain;
    }
  }
  return facts;
}

// One candidate, judged assignment by assignment.
class Setting {
 public:
  Setting(const Candidate& candidate, const KnobCatalogue& catalogue, const PruneContext& context,
          const CaseFacts& cases)
      : candidate_(candidate), catalogue_(catalogue), context_(context), cases_(cases) {}

  // Why an assignment does nothing here; empty where it may do something.
  std::string no_op(const std::string& name, const std::string& value) const {
    for (const auto rule :
         {&Setting::placement, &Setting::as_the_site, &Setting::buffer, &Setting::default_value,
          &Setting::split, &Setting::nvls, &Setting::network, &Setting::symmetric}) {
      std::string reason = (this->*rule)(name, value);
      if (!reason.empty()) return reason;
    }
    return {};
  }

 private:
  std::optional<std::string> assigned(std::string_view name) const {
    for (const auto& [knob, value] : candidate_.assignments) {
      if (knob == name) return value;
    }
    return std::nullopt;
  }

  // As the library will find it in its environment.
  std::optional<std::string> effective(std::string_view name) const {
    const std::optional<std::string> own = assigned(name);
    if (own) return *own == kUnset ? std::nullopt : own;
    const auto found = context_.site.find(std::string(name));
    return found == context_.site.end() ? std::nullopt : std::optional(found->second);
  }

  // Whether NCCL's rules hold for a knob; a model's truth is its own, so its file must say so.
  bool ruled(std::string_view name) const {
    if (context_.backend == "nccl") return true;
    const Knob* knob = catalogue_.find(context_.backend, name);
    return context_.backend == "model" && knob != nullptr && !knob->no_op_when.empty();
  }

  // Nodes whose switches are not known count as different: only the run will know.
  std::string placement(const std::string& name, const std::string&) const {
    if (name != kRankOrder && name != kNodeOrder) return {};
    const WorkerPlaces places = places_of(context_);
    if (name == kNodeOrder && !leaves_known(places)) return {};
    const RankOrder with = rank_order_of(candidate_);
    RankOrder without = with;
    (name == kRankOrder ? without.ranks : without.nodes).clear();
    if (workers_by_rank(with, places) != workers_by_rank(without, places)) return {};
    return name == kRankOrder ? "the ranks are in this order already"
                              : "the nodes are in this order already";
  }

  std::string as_the_site(const std::string& name, const std::string& value) const {
    const auto found = context_.site.find(name);
    if (found == context_.site.end()) {
      return value == kUnset && !context_.conf_files ? name + " is not set here anyway" : "";
    }
    return found->second == value ? fmt::format("{}={} is the environment's", name, value) : "";
  }

  // The kind of buffer is nothing that a library or a file could set otherwise.
  std::string buffer(const std::string& name, const std::string& value) const {
    const bool plain = context_.backend == "nccl" && name == "buffer" && value == "plain";
    return plain ? "buffer=plain is the default" : "";
  }

  bool default_queue_pairs_known() const {
    if (context_.backend == "nccl") return !context_.conf_files && !context_.network_plugin;
    const Knob* knob = catalogue_.find(context_.backend, kQueuePairs);
    return knob != nullptr && knob->default_value == "1";
  }

  std::string default_value(const std::string& name, const std::string& value) const {
    if (context_.site.contains(name)) return {};
    const bool known = name == kQueuePairs
                           ? default_queue_pairs_known()
                           : context_.backend == "nccl" && !context_.conf_files;
    const auto same = [&](const auto& entry) {
      return entry.first == name && entry.second == value;
    };
    return known && std::any_of(kDefaults.begin(), kDefaults.end(), same)
               ? fmt::format("{}={} is the default", name, value)
               : "";
  }

  std::string split(const std::string& name, const std::string&) const {
    if (name != kSplit || !ruled(name)) return {};
    const std::optional<std::string> pairs = effective(kQueuePairs);
    const bool one = pairs ? *pairs == "1" : default_queue_pairs_known();
    return one ? "one queue pair leaves nothing to split" : "";
  }

  // Without SHARP, NVLS across nodes is for all_reduce alone (as NVLSTree).
  std::string nvls(const std::string& name, const std::string&) const {
    const bool about = name.starts_with("NCCL_NVLS") || name == "nvls_ctas";
    if (!about || !ruled(name) || context_.conf_files) return {};
    if (cases_.all_reduce || !cases_.across) return {};
    const std::string algorithms = lower_case(effective("NCCL_ALGO").value_or(""));
    const bool sharp = effective("NCCL_COLLNET_ENABLE").value_or("0") != "0";
    if (sharp || algorithms.find("nvls") != std::string::npos) return {};
    return "NVLS carries nothing but all_reduce across nodes without SHARP";
  }

  std::string network(const std::string& name, const std::string&) const {
    const bool ib = name.starts_with("NCCL_IB_");
    const bool socket = contains(kSocketKnobs, name);
    if ((!ib && !socket) || context_.backend != "nccl") return {};
    const std::string chosen = lower_case(effective("NCCL_NET").value_or(""));
    if (ib && chosen == "socket") return "NCCL_NET=Socket uses no InfiniBand";
    if (socket && chosen == "ib") return "NCCL_NET=IB uses no sockets for data";
    const bool diverted =
        std::any_of(kNetworkInsideNode.begin(), kNetworkInsideNode.end(),
                    [&](std::string_view other) { return effective(other).has_value(); });
    const bool stays = cases_.inside && context_.nvlink_inside && !context_.conf_files;
    return stays && !diverted ? "inside a node nothing goes over the network" : "";
  }

  std::string symmetric(const std::string& name, const std::string&) const {
    if (context_.backend != "nccl" || !contains(kSymmetricKnobs, name)) return {};
    const bool registered = assigned("buffer").value_or("plain") == "symmetric";
    if (registered || effective("NCCL_SYM_NOWIN_ENABLE") || context_.conf_files) return {};
    return fmt::format("{} acts on buffer=symmetric alone", name);
  }

  const Candidate& candidate_;
  const KnobCatalogue& catalogue_;
  const PruneContext& context_;
  const CaseFacts& cases_;
};

int index_of(std::vector<Candidate>& candidates, Candidate&& wanted) {
  const auto found = std::find(candidates.begin(), candidates.end(), wanted);
  if (found != candidates.end()) return static_cast<int>(found - candidates.begin());
  candidates.push_back(std::move(wanted));
  return static_cast<int>(candidates.size()) - 1;
}

}  // namespace

bool can_divert_to_network(std::string_view variable) {
  return contains(kNetworkInsideNode, variable);
}

void prune(SweepPlan& plan, const KnobCatalogue& catalogue, const PruneContext& context) {
  std::map<RankOrder, CaseFacts> facts;
  std::vector<Candidate> kept{plan.candidates.front()};
  for (std::size_t i = 1; i < plan.candidates.size(); ++i) {
    Candidate& candidate = plan.candidates[i];
    const RankOrder order = rank_order_of(candidate);
    auto cases = facts.find(order);
    if (cases == facts.end()) cases = facts.emplace(order, facts_of(plan, context, order)).first;
    const Setting setting(candidate, catalogue, context, cases->second);
    Candidate acting;
    std::vector<std::string> reasons;
    for (const auto& [name, value] : candidate.assignments) {
      std::string reason = setting.no_op(name, value);
      if (reason.empty()) {
        acting.assignments.emplace_back(name, value);
      } else if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
    const int equal_to = index_of(kept, std::move(acting));
    if (!reasons.empty()) {
      plan.collapsed.push_back(
          {std::move(candidate), equal_to, fmt::format("{}", fmt::join(reasons, "; "))});
    }
  }
  plan.candidates = std::move(kept);
}

}  // namespace nccl_sweep
