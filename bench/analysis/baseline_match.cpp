// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/words.hpp"

namespace nccl_sweep {
namespace {

// The AWS plugin calls itself "AWS Libfabric" or "Libfabric", everybody else says EFA.
std::string network_key(const std::string& network) {
  const std::string word = lower_case(network);
  if (word.find("libfabric") != std::string::npos) return "efa";
  return word.starts_with("ib") ? "ib" : word;
}

std::string link_key(const std::string& link) {
  return lower_case(link.substr(0, link.find(' ')));
}

bool is_adapter_network(const std::string& key) { return key == "ib" || key == "roce"; }

std::string count_mismatch(const char* what, int there, int here, bool lenient) {
  if (there == 0) return lenient ? "" : fmt::format("{} not stated by the source", what);
  return there == here ? "" : fmt::format("{}: {} there, {} here", what, there, here);
}

// What carries traffic between nodes; asked of several nodes only.
std::string network_mismatch(const BaselineFabric& there, const BaselineFabric& here,
                             bool lenient) {
  const std::string ours = network_key(here.network);
  const std::string theirs = network_key(there.network);
  if (theirs.empty()) return lenient ? "" : "network between nodes not stated by the source";
  if (theirs != ours) {
    return fmt::format("network: {} there, {} here", there.network,
                       here.network.empty() ? "unknown" : here.network);
  }
  const bool needs_adapters = is_adapter_network(theirs) && !lenient;
  const auto part = [&](const char* what, int their_value, int our_value) -> std::string {
    if (our_value == 0 && their_value != 0) return fmt::format("{} not known here", what);
    return count_mismatch(what, their_value, our_value, !needs_adapters);
  };
  const std::string adapters = part("adapters of a node", there.adapters, here.adapters);
  return adapters.empty() ? part("Gb/s of an adapter", there.gbit_per_s, here.gbit_per_s)
                          : adapters;
}

std::string own_run_mismatch(const BaselineFabric& there, const BaselineFabric& here) {
  if (there.name != here.name)
    return fmt::format("fabric: {} there, {} here", there.name, here.name);
  return fmt::format("fabric {}: fingerprint {} there, {} here", there.name, there.fingerprint,
                     here.fingerprint);
}

std::string shape_mismatch(const BaselineFabric& there, const BaselineFabric& here, bool lenient) {
  if (there.nodes == 0 && there.network.empty() && there.link.empty()) {
    return "neither nodes nor network stated by the source";
  }
  if (there.nodes == 0 && !there.network.empty() && here.nodes == 1) {
    return "several nodes there, one here";
  }
  std::string reason = count_mismatch("nodes", there.nodes, here.nodes, lenient);
  if (!reason.empty()) return reason;
  // On one node all hangs on how many GPUs take part.
  return count_mismatch("GPUs of a node", there.gpus_per_node, here.gpus_per_node,
                        lenient && there.nodes != 1);
}

bool joined_by_mnnvl(const BaselineFabric& fabric) { return link_key(fabric.link) == "mnnvl"; }

std::string group_key(const std::string& group, int group_size, int ranks) {
  return group_size > 0 && group_size == ranks ? "world" : group;
}

std::string major_minor(const std::string& version) {
  const std::size_t first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

}  // namespace

std::string gpu_key(const std::string& device) {
  std::string words = lower_case(device);
  if (words.starts_with("nvidia ")) words.erase(0, 7);
  const std::string all = words;
  const std::size_t digit = words.find_first_of("0123456789");
  if (digit != std::string::npos)
    words.erase(std::min(words.size(), words.find_first_of(" -", digit)));
  std::replace(words.begin(), words.end(), ' ', '-');
  for (const char* board : {"nvl", "pcie"}) {
    if (all.find(std::string(" ") + board) != std::string::npos) words += std::string("-") + board;
  }
  return words;
}

BaselineFabric baseline_fabric(const RunRecord& run) {
  const Fabric& fabric = run.fabric;
  BaselineFabric key{fabric.name,
                     fabric.fingerprint,
                     fabric.device,
                     fabric.nodes,
                     fabric.ranks_per_node,
                     run.ranks,
                     fabric.link,
                     fabric.network,
                     0,
                     0,
                     run.simulated,
                     run.imported};
  if (fabric.nodes == 1) key.network.clear();  // nothing goes over it
  const bool plugin = !fabric.network.empty() && !fabric.network.starts_with("IB");
  const std::string adapters = plugin ? "" : most_frequent_adapters(fabric.adapters);
  if (fabric.nodes == 1 || adapters.empty()) return key;  // "8 x IB 400 Gb/s"
  key.adapters = std::atoi(adapters.c_str());
  const std::string kind = adapters.substr(adapters.find(" x ") + 3);
  key.network = kind.substr(0, kind.find(' '));
  const std::size_t speed = kind.find_first_of("0123456789");
  if (speed != std::string::npos) key.gbit_per_s = std::atoi(kind.c_str() + speed);
  return key;
}

std::string fabric_mismatch(const BaselineFabric& there, const BaselineFabric& here,
                            FigureClass figure_class) {
  if (there.simulated != here.simulated) return "simulated and real figures are not compared";
  const bool known = !there.fingerprint.empty() && !here.fingerprint.empty();
  if (known && there.fingerprint == here.fingerprint) return {};
  if (known && !there.imported && !here.imported) return own_run_mismatch(there, here);
  const bool lenient = !is_measured(figure_class);
  if (gpu_key(there.gpu) != gpu_key(here.gpu)) {
    return fmt::format("GPU: {} there, {} here", there.gpu, here.gpu);
  }
  if (std::string reason = shape_mismatch(there, here, lenient); !reason.empty()) return reason;
  const bool links_known = !there.link.empty() && !here.link.empty();
  if (links_known && link_key(there.link) != link_key(here.link)) {
    return fmt::format("link between GPUs: {} there, {} here", there.link, here.link);
  }
  const bool one_domain = joined_by_mnnvl(there) && joined_by_mnnvl(here);
  return here.nodes == 1 || one_domain ? "" : network_mismatch(there, here, lenient);
}

std::string nccl_mismatch(const std::string& there, const std::string& here) {
  if (there.empty() || here.empty() || major_minor(there) == major_minor(here)) return {};
  return fmt::format("NCCL {} there, {} here", major_minor(there), major_minor(here));
}

std::string recipe_of(const RunRecord& run) { return run.imported ? run.recipe : "nccl-sweep"; }

std::string recipe_mismatch(const std::string& there, const std::string& here) {
  // nccl-sweep takes the mean over ranks of the host's clock, as nccl-tests does by default.
  const auto is_usual = [](const std::string& recipe) {
    return recipe.find(" with ") == std::string::npos;
  };
  const bool alike = there == here || (is_usual(there) && is_usual(here));
  if (there.empty() || here.empty() || alike) return {};
  return fmt::format("recipe: {} there, {} here", there, here);
}

std::string series_mismatch(const BaselineSeries& series, const BaselineFabric& fabric,
                            const Case& c, int run_ranks) {
  const auto differ = [](const char* what, std::string_view there, std::string_view here) {
    return fmt::format("{}: {} there, {} here", what, there, here);
  };
  if (series.collective != c.collective) {
    return fmt::format("no figure of {}", to_string(c.collective));
  }
  if (series.group_size != 0 && series.group_size != c.group_size) {
    return fmt::format("ranks: {} there, {} here", series.group_size, c.group_size);
  }
  const std::string there = group_key(series.group, series.group_size, fabric.ranks);
  const std::string here = group_key(to_string(c.group), c.group_size, run_ranks);
  if (there != here) return differ("group", there, here);
  if (series.graph != c.graph) {
    return differ("CUDA graph", series.graph ? "yes" : "no", c.graph ? "yes" : "no");
  }
  if (series.placement && *series.placement != c.placement) {
    return differ("placement", to_string(*series.placement), to_string(c.placement));
  }
  if (series.dtype && *series.dtype != c.dtype) {
    return differ("dtype", to_string(*series.dtype), to_string(c.dtype));
  }
  if (series.op && reduces(c.collective) && *series.op != c.op) {
    return differ("op", to_string(*series.op), to_string(c.op));
  }
  return {};
}

FigureMatch match_case(const std::vector<const BaselineSeries*>& series,
                       const BaselineFabric& fabric, const Case& c, int run_ranks) {
  FigureMatch match;
  if (c.size.value == 0) {
    match.reason = "0 bytes after nccl-tests' rounding";
    return match;
  }
  match.reason = fmt::format("no figure of {}", to_string(c.collective));
  for (const BaselineSeries* one : series) {
    const std::string reason = series_mismatch(*one, fabric, c, run_ranks);
    if (!reason.empty()) {
      // Of several series the one of this collective says most.
      if (one->collective == c.collective && match.reason.starts_with("no figure of")) {
        match.reason = reason;
      }
      continue;
    }
    match.reason = "no figure at this size";
    for (const Figure& figure : one->figures) {
      if (figure.kind != FigureKind::at_size) continue;
      const Bytes run = nccl_tests_size(c.collective, c.dtype, figure.size, c.group_size).size;
      if (run != c.size && figure.size != c.size) continue;
      FigureMatch found{one, &figure, {}, {}};
      if (!one->dtype) found.notes.emplace_back("dtype there not stated");
      if (!one->placement) found.notes.emplace_back("placement there not stated");
      return found;
    }
  }
  return match;
}

}  // namespace nccl_sweep
