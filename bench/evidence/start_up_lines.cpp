// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is printed once a process or communicator: variables, configuration, versions, plugins,
// numbers of channels, multicast.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence/rank_facts.hpp"
#include "evidence/text_scan.hpp"

namespace nccl_sweep::evidence {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Numbers are followed by a full stop, texts are not and may end with one of their own.
std::string_view without_stop(std::string_view value) {
  if (value.ends_with('.') && is_number(value.substr(0, value.size() - 1))) {
    value.remove_suffix(1);
  }
  return value;
}

bool starts_with_variable(std::string_view text, std::string_view& name) {
  if (!text.starts_with("NCCL_")) return false;
  name = text.substr(0, std::min(text.find(' '), text.size()));
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return name.find_first_not_of(kLetters) == name.npos;
}

void add_variable(std::string_view name, std::string_view value, RankFacts& facts) {
  facts.add(FactKind::variable, name, value);
  if (name == "NCCL_TOPO_FILE") facts.topology_file = value;
}

// "Invalid value four for NCCL_X, using default 1."
bool read_bad_value(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  std::string_view value;
  std::string_view name;
  if (!scan.skip("Invalid value ") || !scan.until(" for NCCL_", value)) return false;
  if (!scan.until(", using default", name)) return false;
  facts.add(FactKind::bad_value, fmt::format("NCCL_{}", name), value);
  return true;
}

// "Comm config maxCTAs set to 4", "... reset to NCCL_MAX_CTAS=4", "... reset to 1 by NCCL_X=2"
bool read_config(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (!scan.skip("Comm config ")) return false;
  const std::string_view field = scan.word();
  if (scan.skip(" set to ")) {
    facts.add(FactKind::config, field, scan.rest());
    return true;
  }
  if (!scan.skip(" reset to ")) return false;
  std::string_view assignment = scan.rest();
  if (const std::size_t by = assignment.find(" by NCCL_"); by != assignment.npos) {
    assignment.remove_prefix(by + std::string_view(" by ").size());
  }
  facts.add(FactKind::config_reset, field, assignment);
  // Texts such as NCCL_NET have no line of their own. (NCCL 2.27 to 2.30 print the name
  // NCCL_MAX_CGA_CLUSTER_SIZE for NCCL_CGA_CLUSTER_SIZE, which does have one.)
  TextScan variable(assignment);
  std::string_view name;
  if (variable.until("=", name) && name != "NCCL_MAX_CGA_CLUSTER_SIZE") {
    add_variable(name, variable.rest(), facts);
  }
  return true;
}

// What NCCL made of contradictory numbers of thread blocks.
bool read_clamped(std::string_view text, RankFacts& facts) {
  const bool clamped = text.find(" is too low, leaving it set at ") != text.npos ||
                       text.find(" is larger than maxCTAs ") != text.npos ||
                       text.find(" is larger than #channels upper limit ") != text.npos;
  if (!clamped) return false;
  TextScan scan(text);
  const std::string_view subject = scan.word();
  scan.skip_blanks();
  facts.add(FactKind::note, subject, scan.rest());
  return true;
}

bool read_version(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (scan.skip("NCCL version ")) {
    facts.add(FactKind::version, "nccl", scan.word());
    return true;
  }
  int driver = 0;
  if (!scan.skip("cudaDriverVersion ") || !scan.number(driver)) return false;
  facts.add(FactKind::version, "cuda_driver",
            fmt::format("{}.{}", driver / 1000, driver % 1000 / 10));
  return true;
}

bool read_network(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (!scan.skip("Using network ")) return false;
  facts.add(FactKind::network, "network", scan.rest());
  return true;
}

// A name wins over "none": of a list of plugins, some may be missing.
bool set_plugin(RankFacts& facts, std::string_view kind, std::string_view name) {
  std::string& known = facts.plugins[std::string(kind)];
  if (known.empty() || known == "none") known = name;
  return true;
}

// "TUNER/Plugin: Could not find: libnccl-tuner.so", "NET/Plugin: Loaded net plugin X (v8)", ...
bool read_plugin(std::string_view text, RankFacts& facts) {
  struct Kind {
    std::string_view prefix;
    std::string_view word;
  };
  constexpr std::array kKinds{Kind{"NET", "net"},           Kind{"TUNER", "tuner"},
                              Kind{"PROFILER", "profiler"}, Kind{"ENV", "env"},
                              Kind{"GIN", "gin"},           Kind{"RMA", "rma"}};
  TextScan scan(text);
  std::string_view prefix;
  if (!scan.until("/Plugin: ", prefix)) return false;
  const auto kind = std::ranges::find(kKinds, prefix, &Kind::prefix);
  if (kind == kKinds.end()) return false;
  if (scan.skip("Could not find:")) return set_plugin(facts, kind->word, "none");
  if (scan.rest().starts_with("Using internal")) return set_plugin(facts, kind->word, "none");
  if (scan.skip("Assigned plugin ")) return set_plugin(facts, kind->word, scan.word());
  if (scan.skip("Loaded collnet plugin ")) return set_plugin(facts, "collnet", scan.word());
  const bool named = scan.skip("Loaded ") || scan.skip("Using ");
  if (!named) return false;
  std::string_view name = scan.rest();
  // "net plugin X (v8)", "tuner plugin X", "X (v5)"; names may have blanks: "AWS Libfabric".
  if (const std::size_t at = name.find("plugin "); at != name.npos) {
    name.remove_prefix(at + std::string_view("plugin ").size());
  }
  return set_plugin(facts, kind->word, name.substr(0, name.find(" (v")));
}

// Wordings without the plugin's kind in front.
bool read_other_plugin(std::string_view text, RankFacts& facts) {
  struct Wording {
    std::string_view text;
    std::string_view kind;
  };
  constexpr std::array kWordings{
      Wording{"Successfully loaded external network plugin ", "net"},
      Wording{"Successfully loaded external tuner plugin ", "tuner"},
      Wording{"Successfully loaded external profiler plugin ", "profiler"},
      Wording{"Successfully loaded external env plugin ", "env"},
      Wording{"Using tuner plugin: ", "tuner"}};
  TextScan scan(text);
  for (const Wording& wording : kWordings) {
    if (scan.skip(wording.text)) return set_plugin(facts, wording.kind, scan.rest());
  }
  std::string_view name;
  if (!scan.skip("Assigned GIN plugin ") || !scan.until(" to comm", name)) return false;
  return set_plugin(facts, "gin", name);
}

// "24 coll channels, 24 collnet channels, 0 nvls channels, 32 p2p channels, 32 p2p channels per
// peer". The collnet number has repeated the first since 2.22 and says nothing.
bool read_channel_counts(std::string_view text, RankFacts& facts) {
  if (text.find(" coll channels, ") == text.npos) return false;
  TextScan scan(text);
  int count = 0;
  while (scan.number(count)) {
    if (!scan.skip(" ")) return false;
    std::string_view item = scan.rest().substr(0, scan.rest().find(','));
    constexpr std::string_view kChannels = " channels";
    const std::size_t at = item.find(kChannels);
    if (at == item.npos) return false;
    const std::string subject =
        fmt::format("{}{}", item.substr(0, at), item.substr(at + kChannels.size()));
    if (subject != "collnet") {
      facts.add(FactKind::channels, subject, fmt::format("{}", count));
    }
    if (!scan.skip_past(", ")) return true;
  }
  return true;
}

// "comm 0x1 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0"
bool read_communicator(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int ranks = 0;
  int nodes = 0;
  int across_nodes = 0;
  if (!scan.skip("comm 0x") || !scan.skip_past(" nRanks ") || !scan.number(ranks)) return false;
  if (!scan.skip(" nNodes ") || !scan.number(nodes)) return false;
  facts.communicator_ranks = ranks;
  facts.add(FactKind::note, "communicator",
            fmt::format("{} ranks on {} {}", ranks, nodes, nodes == 1 ? "node" : "nodes"));
  if (scan.skip_past(" MNNVL ") && scan.number(across_nodes) && across_nodes != 0) {
    facts.add(FactKind::note, "multi-node NVLink", "used");
  }
  return true;
}

bool read_multicast(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  constexpr std::string_view kSubject = "NVLink SHARP";
  if (scan.skip("NVLS multicast support is ")) {
    const bool available = scan.rest().starts_with("available");
    facts.add(FactKind::multicast, kSubject, available ? "available" : "not available");
    return true;
  }
  if (scan.skip("Failed to bind NVLink SHARP")) {
    facts.add(FactKind::multicast, kSubject, "bind failed");
    return true;
  }
  if (!scan.skip("NVLS comm 0x")) return false;
  facts.add(FactKind::multicast, "NVLink SHARP buffers", "set up");
  return true;
}

bool read_chunk_sizes(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (scan.skip("P2P Chunksize set to ")) {
    facts.add(FactKind::note, "p2p chunk size", scan.word());
    return true;
  }
  if (!scan.skip("NVLS tuning: ")) return false;
  facts.add(FactKind::note, "NVLS tuning", scan.rest());
  return true;
}

bool read_rings(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (!scan.skip("Connected all rings, use ring ")) return false;
  facts.add(FactKind::note, "rings", scan.rest());  // "PXN 0 GDR 0"
  return true;
}

constexpr std::array<LineReader, 12> kReaders{
    read_bad_value,    read_config,    read_clamped,      read_version,
    read_network,      read_plugin,    read_other_plugin, read_channel_counts,
    read_communicator, read_multicast, read_chunk_sizes,  read_rings};

}  // namespace

bool read_variable_line(std::string_view text, bool cut, RankFacts& facts) {
  TextScan scan(text);
  scan.skip("TUNER/Plugin: ");
  std::string_view name;
  if (!starts_with_variable(scan.rest(), name)) return false;
  scan.skip(name);
  if (!scan.skip(" set by environment to ") && !scan.skip(" set to ")) return false;
  // Long lists of adapters exceed the line: the dots keep a part from looking like the whole.
  const std::string value = fmt::format("{}{}", without_stop(scan.rest()), cut ? "..." : "");
  add_variable(name, value, facts);
  return true;
}

bool read_start_up_line(std::string_view text, RankFacts& facts) {
  return std::ranges::any_of(kReaders, [&](LineReader read) { return read(text, facts); });
}

}  // namespace nccl_sweep::evidence
