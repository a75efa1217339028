// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/hidden_gpus.hpp"

#include <fmt/format.h>

#include "core/units.hpp"

namespace nccl_sweep::agent {

HiddenGpus hidden_gpus(const std::vector<Machine>& machines, const Layout& layout) {
  std::map<std::string, int> workers_on;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    workers_on[machines[i].host] += layout.workers_of_agent[i];
  }
  HiddenGpus hidden;
  for (const Machine& machine : machines) {
    const int all = static_cast<int>(machine.gpus.size());
    const int visible = machine.visible_gpus;
    if (visible <= 0 || visible >= all) continue;
    const int workers = workers_on[machine.host];
    const std::string text = fmt::format("agents see {} of {} GPUs", visible, all);
    if (visible < workers) {
      hidden.of_neighbours[fmt::format("{} beside {}", text, counted(workers, "worker"))].push_back(
          machine.host);
    } else {
      hidden.unused[text].push_back(machine.host);
    }
  }
  return hidden;
}

}  // namespace nccl_sweep::agent
