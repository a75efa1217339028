// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/knob_here.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/fabric.hpp"

namespace nccl_sweep::agent {
namespace {

// Whether the catalogue gives this reason: "one node" of "one node, or no SHARP plugin; ...".
bool has_reason(const Knob& knob, std::string_view reason) {
  std::string_view rest = knob.no_op_when;
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",;");
    std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with("or ")) one.remove_prefix(3);
    if (one == reason) return true;
  }
  return false;
}

bool any_model(const Machine& machine, const auto& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return !machine.gpus.empty() && machine.gpus.front().find(name) != std::string::npos;
  });
}

constexpr std::array<std::string_view, 4> kBlackwell{"B100", "B200", "B300", "GB10"};
constexpr std::array<std::string_view, 5> kHopper{"H100", "H200", "H800", "H20", "GH200"};

bool hopper_or_later(const Machine& machine) {
  return any_model(machine, kHopper) || any_model(machine, kBlackwell);
}

bool needs_ib(const Knob& knob) {
  return knob.name.starts_with("NCCL_IB_") || has_reason(knob, "no channel goes over NET/IB");
}

bool needs_sockets(const Knob& knob) {
  return has_reason(knob, "no channel goes over NET/Socket");
}

bool needs_hopper(const Knob& knob) {
  return has_reason(knob, "before Hopper") || has_reason(knob, "no NVSwitch") ||
         has_reason(knob, "no NVLink SHARP on the node");
}

// What takes the knob its effect on this machine, or "".
std::string obstacle(const Knob& knob, const Machine& machine) {
  if (needs_ib(knob) && machine.adapters.empty()) {
    return "no active IB or RoCE port in /sys/class/infiniband";
  }
  if (machine.gpus.empty()) return "no NVIDIA driver on this machine";
  if (has_reason(knob, "one GPU a node") && machine.gpus.size() < 2) return "one GPU on this node";
  if (needs_hopper(knob) && !hopper_or_later(machine)) {
    return fmt::format("{} is older than Hopper", machine.gpus.front());
  }
  if (has_reason(knob, "before Blackwell") && !any_model(machine, kBlackwell)) {
    return fmt::format("{} is older than Blackwell", machine.gpus.front());
  }
  if (needs_sockets(knob) && !machine.adapters.empty()) {
    return fmt::format("{} come before sockets, unless NCCL_NET=Socket",
                       adapters_text(machine.adapters));
  }
  return {};
}

// What its effect hangs on besides.
std::string condition(const Knob& knob, const Machine& machine) {
  const bool network = needs_ib(knob) || needs_sockets(knob) || has_reason(knob, "one node");
  if (!network) return fmt::format("{} x {}", machine.gpus.size(), machine.gpus.front());
  const std::string adapters = adapters_text(machine.adapters);
  return fmt::format("{}, with ranks on several nodes",
                     adapters.empty() ? "sockets, as no IB or RoCE port is active" : adapters);
}

}  // namespace

std::string knob_here(const Knob& knob, const Machine& machine) {
  if (knob.backend != "nccl") return {};
  const std::string why = obstacle(knob, machine);
  if (!why.empty()) return "no effect: " + why;
  return "may act: " + condition(knob, machine);
}

}  // namespace nccl_sweep::agent
