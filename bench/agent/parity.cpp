// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/parity.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/cpu_binding.hpp"
#include "core/hash.hpp"

namespace nccl_sweep::agent {
namespace {

constexpr std::size_t kHostsShown = 4;
constexpr std::size_t kValuesShown = 3;
constexpr std::size_t kLinesShown = 8;
constexpr std::size_t kLongestValue = 80;

// Two long lists may begin alike: the checksum tells them apart.
std::string shortened(const std::string& value) {
  if (value.size() <= kLongestValue) return value;
  return fmt::format("{}... ({} letters, {:08x})", value.substr(0, kLongestValue - 30),
                     value.size(), fnv1a(value) & 0xffffffffU);
}

using Value = std::optional<std::string>;

// One thing as all agents have it, or have it not.
struct Thing {
  std::string name;
  std::string absent;     // "NCCL_X unset"
  std::string separator;  // between name and value
  std::vector<Value> values;

  bool alike() const {
    return std::all_of(values.begin(), values.end(),
                       [&](const Value& v) { return v == values.front(); });
  }
  bool on_all() const {
    return std::all_of(values.begin(), values.end(), [](const Value& v) { return v.has_value(); });
  }
};

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", cpu_list_text(ranks));
}

// "host2 (rank 1), host7 (ranks 48-55) and 3 more hosts"
std::string places_text(const std::vector<int>& agents, const std::vector<Machine>& machines) {
  std::vector<std::pair<std::string, std::vector<int>>> hosts;
  for (const int agent : agents) {
    const std::string& host = machines[static_cast<std::size_t>(agent)].host;
    const auto known =
        std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.first == host; });
    if (known == hosts.end()) {
      hosts.push_back({host, {agent}});
    } else {
      known->second.push_back(agent);
    }
  }
  const std::size_t shown = std::min(hosts.size(), kHostsShown);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shown; ++i) {
    texts.push_back(fmt::format("{} ({})", hosts[i].first, ranks_text(hosts[i].second)));
  }
  std::string text = fmt::format("{}", fmt::join(texts, ", "));
  if (hosts.size() > shown) text += fmt::format(" and {} more", hosts.size() - shown);
  return text;
}

// "NCCL_X=1 on host2 (rank 1); NCCL_X unset on host1 (rank 0), host3 (rank 2)"
std::string line_of(const Thing& thing, const std::vector<Machine>& machines) {
  std::map<Value, std::vector<int>> agents_with;
  for (std::size_t agent = 0; agent < thing.values.size(); ++agent) {
    agents_with[thing.values[agent]].push_back(static_cast<int>(agent));
  }
  std::vector<std::pair<Value, std::vector<int>>> order(agents_with.begin(), agents_with.end());
  // The rarest first; of equally rare ones, rank 0's is what the others are seen to differ from.
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.size(), a.second.front() == 0) <
           std::pair(b.second.size(), b.second.front() == 0);
  });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(order.size(), kValuesShown); ++i) {
    const auto& [value, agents] = order[i];
    parts.push_back(fmt::format("{} on {}",
                                value ? thing.name + thing.separator + shortened(*value)
                                      : thing.absent,
                                places_text(agents, machines)));
  }
  std::string line = fmt::format("{}", fmt::join(parts, "; "));
  if (order.size() > kValuesShown) {
    line += fmt::format("; {} other values elsewhere", order.size() - kValuesShown);
  }
  return line;
}

using Named = std::map<std::string, std::string>;

// The things of one kind: a map of names to values that each machine has.
std::vector<Thing> things_of(const std::vector<Machine>& machines, const std::string& prefix,
                             const std::string& separator, const std::string& absent,
                             const std::function<Named(const Machine&)>& of) {
  std::vector<Named> all;
  std::set<std::string> names;
  for (const Machine& machine : machines) {
    all.push_back(of(machine));
    for (const auto& entry : all.back()) names.insert(entry.first);
  }
  std::vector<Thing> things;
  for (const std::string& name : names) {
    Thing thing{prefix + name, prefix + name + " " + absent, separator, {}};
    for (const Named& named : all) {
      const auto found = named.find(name);
      thing.values.push_back(found == named.end() ? Value() : Value(found->second));
    }
    things.push_back(std::move(thing));
  }
  return things;
}

// "8 x NVIDIA H200" and the driver.
Named gpus_of(const Machine& machine) {
  std::map<std::string, int> counts;
  for (const std::string& model : machine.gpus) ++counts[model];
  std::vector<std::string> parts;
  for (const auto& [model, count] : counts) parts.push_back(fmt::format("{} x {}", count, model));
  Named found;
  if (!parts.empty()) found["GPUs:"] = fmt::format("{}", fmt::join(parts, " + "));
  if (!machine.driver.empty()) found["NVIDIA driver"] = machine.driver;
  return found;
}

class Comparison {
 public:
  explicit Comparison(const std::vector<Machine>& machines) : machines_(machines) {}

  // NCCL would read a variable on the node where it is set: so does the comparison. What names a
  // node's own hardware may have a value of each node's own; set here and unset there it is rather
  // a launcher that did not pass it on.
  void variables() {
    std::vector<std::string> not_passed_on;
    for (const Thing& thing : things_of(machines_, "", "=", "unset",
                                        [](const Machine& m) { return m.library; })) {
      if (thing.alike()) continue;
      if (is_node_variable(thing.name)) keep_own(thing);
      if (is_log_variable(thing.name) || (is_node_variable(thing.name) && thing.on_all())) {
        note(thing);
        continue;
      }
      mismatch(thing);
      not_passed_on.push_back("-x " + thing.name);
    }
    if (not_passed_on.empty()) return;
    constexpr std::size_t kNamesShown = 6;
    if (not_passed_on.size() > kNamesShown) {
      not_passed_on.resize(kNamesShown);
      not_passed_on.emplace_back("...");
    }
    remedy(fmt::format("set variables alike everywhere: mpirun {}, or srun --export=ALL",
                       fmt::join(not_passed_on, " ")));
  }

  void conf_variables() {
    const auto lines = [](const Machine& m) { return m.conf.value_or(Variables{}); };
    compare(things_of(machines_, "conf file's ", "=", "unset", lines),
            "give all nodes the same conf files");
  }

  void files(bool gpus) {
    std::vector<Thing> things = things_of(machines_, "", " ", "absent",
                                          [](const Machine& m) { return m.files; });
    // Where one node's loader finds NCCL elsewhere, only the workers will know which it is.
    std::erase_if(things, [&](const Thing& thing) {
      return thing.name.starts_with("libnccl") && (!gpus || !thing.on_all());
    });
    compare(things, "give all nodes (and containers) the same files at the same paths");
  }

  void hardware() {
    compare(things_of(machines_, "", " ", "none", gpus_of), "leave such nodes out of the job");
    compare(things_of(machines_, "HCA ", " ", "not active",
                      [](const Machine& m) { return m.adapters; }),
            "leave such nodes out of the job");
  }

  void harmless() {
    for (const Thing& thing : things_of(machines_, "", " ", "unknown", [](const Machine& m) {
           return Named{{"kernel", m.kernel}, {"processor", m.cpu}};
         })) {
      if (!thing.alike()) note(thing);
    }
  }

  Parity finish() {
    const std::size_t all = parity_.mismatches.size();
    if (all > kLinesShown) {
      parity_.mismatches.resize(kLinesShown);
      parity_.mismatches.push_back(fmt::format("and {} more", all - kLinesShown));
    }
    return std::move(parity_);
  }

 private:
  void note(const Thing& thing) {
    if (parity_.notes.size() < kLinesShown) parity_.notes.push_back(line_of(thing, machines_));
  }
  void mismatch(const Thing& thing) { parity_.mismatches.push_back(line_of(thing, machines_)); }
  void remedy(const std::string& text) {
    auto& all = parity_.remedies;
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
  void compare(const std::vector<Thing>& things, const std::string& remedy_text) {
    for (const Thing& thing : things) {
      if (thing.alike()) continue;
      mismatch(thing);
      remedy(remedy_text);
    }
  }
  void keep_own(const Thing& thing) {
    parity_.own_variables.resize(machines_.size());
    for (std::size_t agent = 0; agent < machines_.size(); ++agent) {
      parity_.own_variables[agent][thing.name] = thing.values[agent].value_or(std::string(kUnset));
    }
  }

  const std::vector<Machine>& machines_;
  Parity parity_;
};

}  // namespace

Parity parity_of(const std::vector<Machine>& machines, std::string_view backend) {
  Comparison comparison(machines);
  comparison.variables();
  comparison.conf_variables();
  comparison.files(backend == "nccl");
  if (backend == "nccl") comparison.hardware();
  comparison.harmless();
  return comparison.finish();
}

Error mismatch_error(const Parity& parity) {
  return environment_error(
      fmt::format("the nodes differ in what decides the figures:\n  {}",
                  fmt::join(parity.mismatches, "\n  ")),
      {},
      fmt::format("{}; --allow-mismatch goes on and marks every record",
                  fmt::join(parity.remedies, "; ")));
}

}  // namespace nccl_sweep::agent
