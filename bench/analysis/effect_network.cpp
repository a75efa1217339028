// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Knobs that show in how ranks reach each other: networks, adapters, transports, files, plugins.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/effect_rules.hpp"

namespace nccl_sweep::effects {
namespace {

// All ranks must say the same; the first that does not is named.
EffectFinding judge_values(const std::vector<const Fact*>& facts, std::string_view wanted,
                           std::string_view noun) {
  if (facts.empty()) return unobservable(fmt::format("no line tells the {}", noun));
  for (const Fact* fact : facts) {
    if (!same_value(wanted, fact->value)) {
      return contradicted(fmt::format("{} {}", noun, fact->value));
    }
  }
  return proven(fmt::format("{} {}", noun, facts[0]->value));
}

// "[^][=]name[:port],..." as NCCL_IB_HCA and NCCL_SOCKET_IFNAME have it: prefixes unless "=".
class NameList {
 public:
  explicit NameList(std::string_view text) {
    excluded_ = text.starts_with('^');
    if (excluded_) text.remove_prefix(1);
    exact_ = text.starts_with('=');
    if (exact_) text.remove_prefix(1);
    while (!text.empty()) {
      const std::string_view name = text.substr(0, text.find(','));
      text.remove_prefix(std::min(name.size() + 1, text.size()));
      if (!name.empty()) names_.push_back(name);
    }
  }

  bool takes(std::string_view adapter) const {  // "mlx5_0:1", "eth0"
    const std::string_view device = adapter.substr(0, adapter.find(':'));
    const bool listed = std::ranges::any_of(names_, [&](std::string_view name) {
      if (name == adapter || name == device) return true;
      if (const std::size_t colon = name.find(':'); colon != name.npos) {
        const std::string_view port = name.substr(colon);
        if (!adapter.ends_with(port)) return false;
        name = name.substr(0, colon);
      }
      return exact_ ? device == name : device.starts_with(name);
    });
    return listed != excluded_;
  }

 private:
  std::vector<std::string_view> names_;
  bool excluded_ = false;
  bool exact_ = false;
};

// One of the two numbers of "4 x 2".
EffectFinding judge_socket_number(const Observed& seen, const Setting& setting, bool threads) {
  const auto sockets = seen.all(FactKind::sockets);
  if (sockets.empty()) return unobservable("read, but no line tells the threads and sockets");
  for (const Fact* fact : sockets) {
    const std::string_view text = fact->value;
    const std::size_t middle = text.find(" x ");
    if (middle == text.npos) return unobservable("the line about sockets is damaged");
    const std::string_view used = threads ? text.substr(0, middle) : text.substr(middle + 3);
    if (!same_value(setting.value, used)) {
      return contradicted(fmt::format("{} threads x sockets", text));
    }
  }
  return proven(fmt::format("{} threads x sockets", sockets[0]->value));
}

}  // namespace

EffectFinding check_network(const Observed& seen, const Setting& setting) {
  return judge_values(seen.all(FactKind::network), setting.value, "network");
}

EffectFinding check_ib_disable(const Observed& seen, const Setting& setting) {
  const bool used = seen.any_transport("NET/IB");
  if (setting.value == "0") {
    return used ? proven("channels go over NET/IB") : not_applicable("no channel goes over NET/IB");
  }
  if (used) return contradicted("channels go over NET/IB");
  if (seen.not_in_baseline("NET/IB")) {
    return not_applicable("no channel goes over NET/IB in the baseline either");
  }
  if (!seen.any_transport("NET/")) return not_applicable("no channel goes over a network");
  return proven("no channel goes over NET/IB");
}

EffectFinding check_queue_pairs(const Observed& seen, const Setting& setting) {
  return judge_values(seen.all(FactKind::queue_pairs), setting.value, "queue pairs per connection");
}

// With one queue pair on one port there is nothing to split over.
EffectFinding check_split(const Observed& seen, const Setting&) {
  const auto pairs = seen.all(FactKind::queue_pairs);
  const bool single = !pairs.empty() && std::ranges::all_of(pairs, [](const Fact* fact) {
    return fact->value == "1";
  });
  const auto adapters = seen.all(FactKind::adapter);
  const bool merged = std::ranges::any_of(
      adapters, [](const Fact* fact) { return fact->value.find(" ports, ") != std::string::npos; });
  if (single && !merged) return not_applicable("one queue pair per connection");
  return unobservable("read, but no line shows what it does");
}

EffectFinding check_adapters(const Observed& seen, const Setting& setting) {
  const bool sockets = setting.knob == "NCCL_SOCKET_IFNAME";
  const NameList list(setting.value);
  std::string first;
  for (const Fact* fact : seen.all(FactKind::adapter)) {
    const bool socket = fact->value == "Socket";
    const bool merged = fact->value.find(" ports, ") != std::string::npos;
    if (socket != sockets || merged || fact->value == "none") continue;
    if (!list.takes(fact->subject)) return contradicted(fact->subject + " is used");
    if (first.empty()) first = fact->subject;
  }
  if (first.empty()) return unobservable("read, but no line lists the adapters");
  return proven(first + " is used");
}

EffectFinding check_adaptive_routing(const Observed& seen, const Setting& setting) {
  bool told = false;
  for (const Fact* fact : seen.all(FactKind::adapter)) {
    if (fact->value.find(" Gb/s") == std::string::npos) continue;
    if (fact->value.find(" ports, ") != std::string::npos) continue;
    told = true;
    const bool on = fact->value.ends_with("adaptive routing");
    if (on != (setting.value == "1")) {
      return contradicted(fmt::format("{} on {}", on ? "on" : "off", fact->subject));
    }
  }
  if (!told) return unobservable("read, but no line tells");
  return proven(setting.value == "1" ? "on" : "off");
}

EffectFinding check_gid_index(const Observed& seen, const Setting& setting) {
  if (setting.value == "-1") return unobservable("-1 leaves the choice to NCCL");
  return judge_values(seen.all(FactKind::note, "GID index"), setting.value, "GID index");
}

EffectFinding check_socket_threads(const Observed& seen, const Setting& setting) {
  return judge_socket_number(seen, setting, true);
}

EffectFinding check_sockets(const Observed& seen, const Setting& setting) {
  return judge_socket_number(seen, setting, false);
}

// NCCL_P2P_DISABLE is logged only where it switches something off.
EffectFinding check_transport_off(const Observed& seen, const Setting& setting) {
  const std::string_view transport = setting.knob == "NCCL_P2P_DISABLE" ? "P2P" : "SHM";
  const bool special = seen.path && seen.path->kind != PathKind::channels;
  if (!seen.has(FactKind::transport) && !special) return unobservable("no line about channels");
  const bool used = seen.any_transport(transport) || (special && transport == "P2P");
  if (setting.value == "0") {
    const std::string none = fmt::format("no channel goes over {}", transport);
    return used ? proven(fmt::format("channels go over {}", transport)) : not_applicable(none);
  }
  if (used) return contradicted(fmt::format("channels go over {}", transport));
  if (seen.not_in_baseline(transport)) {
    return not_applicable(fmt::format("no channel goes over {} in the baseline either", transport));
  }
  return proven(fmt::format("no channel goes over {}", transport));
}

EffectFinding check_pxn(const Observed& seen, const Setting& setting) {
  const auto uses_pxn = [](const Fact& fact) {
    return fact.kind == FactKind::transport && fact.subject.find("/PXN") != std::string::npos;
  };
  const bool off = setting.value == "1";
  if (std::ranges::any_of(seen.facts, uses_pxn)) {
    return off ? contradicted("channels use PXN") : proven("channels use PXN");
  }
  if (off && std::ranges::any_of(seen.baseline, uses_pxn)) return proven("no channel uses PXN");
  return not_applicable("no channel uses PXN");
}

EffectFinding check_collnet(const Observed& seen, const Setting& setting) {
  const auto on_path = [](const std::optional<LaunchedPath>& path) {
    return path && path->algorithm.starts_with("COLLNET");
  };
  const bool used = seen.any_transport("COLLNET") || on_path(seen.path);
  if (setting.value == "0") {
    if (used) return contradicted("COLLNET is used");
    if (seen.not_in_baseline("COLLNET") && !on_path(seen.baseline_path)) {
      return not_applicable("COLLNET is not used in the baseline either");
    }
    return proven("COLLNET is not used");
  }
  if (used) return proven("COLLNET is used");
  if (find_fact(seen.facts, FactKind::plugin, "collnet") == nullptr) {
    return not_applicable("no SHARP plugin was loaded");
  }
  return contradicted("COLLNET is not used");
}

EffectFinding check_topology_file(const Observed& seen, const Setting& setting) {
  const auto results = seen.all(FactKind::topology_file, setting.value);
  if (results.empty()) return unobservable("read, but no line tells whether it was loaded");
  for (const Fact* fact : results) {
    if (fact->value.starts_with("missing")) return contradicted(fact->value);
    if (fact->value != "loaded") return not_applicable(fact->value);
  }
  return proven("loaded");
}

// Plugins call themselves otherwise than their files, so only "none" can be compared.
EffectFinding check_plugin(const Observed& seen, const Setting& setting) {
  const std::string_view kind = setting.knob == "NCCL_TUNER_PLUGIN" ? "tuner" : "net";
  const auto loaded = seen.all(FactKind::plugin, kind);
  if (loaded.empty()) {
    const bool none = setting.value == "none";
    return none ? proven("no plugin was loaded") : unobservable("no line about the plugin");
  }
  const bool is_none = loaded[0]->value == "none";
  const std::string text =
      is_none ? std::string("no plugin was loaded") : fmt::format("loaded {}", loaded[0]->value);
  return is_none == (setting.value == "none") ? proven(text) : contradicted(text);
}

// The line tells which of the three sizes was taken: the one that fits how the ranks are joined.
EffectFinding check_p2p_chunk(const Observed& seen, const Setting& setting) {
  if (seen.inside_node) {
    return setting.knob == "NCCL_P2P_NET_CHUNKSIZE"
               ? inside_node(seen)
               : unobservable("no line tells these groups' chunk size from the world's");
  }
  const bool network = seen.any_transport("NET/");
  const bool for_network = setting.knob == "NCCL_P2P_NET_CHUNKSIZE";
  if (seen.has(FactKind::transport) && network != for_network) {
    return not_applicable(network ? "channels go over a network"
                                  : "no channel goes over a network");
  }
  return judge_values(seen.all(FactKind::note, "p2p chunk size"), setting.value, "chunk size");
}

EffectFinding check_mnnvl(const Observed& seen, const Setting& setting) {
  constexpr std::string_view kLine = "multi-node NVLink";
  const bool used = find_fact(seen.facts, FactKind::note, kLine) != nullptr;
  if (setting.value == "0") {
    if (used) return contradicted("NVLink across nodes is used");
    if (!seen.baseline.empty() && find_fact(seen.baseline, FactKind::note, kLine) == nullptr) {
      return not_applicable("no NVLink across nodes is used in the baseline either");
    }
    return proven("no NVLink across nodes is used");
  }
  return used ? proven("NVLink across nodes is used")
              : not_applicable("no NVLink across nodes is used");
}

// The file's name may tell the version; otherwise it must differ from the baseline's.
EffectFinding check_library(const Observed& seen, const Setting& setting) {
  const auto versions = seen.all(FactKind::version, "nccl");
  if (versions.empty()) return unobservable("no line tells the version");
  if (versions.size() > 1) return contradicted("ranks have different versions");
  const std::string& version = versions[0]->value;
  const std::string number = version.substr(0, version.find('+'));
  if (setting.value.find(number) != setting.value.npos) return proven(version);
  const Fact* before = find_fact(seen.baseline, FactKind::version, "nccl");
  if (before != nullptr && before->value != version) return proven(version);
  return unobservable(version + ", as in the baseline");
}

}  // namespace nccl_sweep::effects
