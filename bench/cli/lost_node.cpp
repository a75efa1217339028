// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/lost_node.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace nccl_sweep::cli {
namespace {

std::string host_of(int agent, const Whereabouts& where) {
  const auto i = static_cast<std::size_t>(agent);
  if (i >= where.hosts.size()) return fmt::format("the node of agent {}", agent);
  return fmt::format("{} (agent {})", where.hosts[i], agent);
}

std::string how_to_go_on(const Whereabouts& where) {
  if (where.folder.empty()) return "nothing was measured";
  return fmt::format("`nccl-sweep run --resume {}` goes on with these nodes", where.folder);
}

}  // namespace

std::string lost_node_line(const agent::NodeLost& lost, const Whereabouts& where) {
  return fmt::format("nccl-sweep: lost node {}: {}; {}", host_of(lost.agent(), where),
                     lost.message(), how_to_go_on(where));
}

std::string launcher_ends_line(const std::vector<int>& silent, const Whereabouts& where) {
  std::vector<std::string> hosts;
  for (const int agent : silent) hosts.push_back(host_of(agent, where));
  const std::string who =
      hosts.empty() ? "" : fmt::format(", and there is no answer from {}", fmt::join(hosts, ", "));
  return fmt::format("nccl-sweep: the launcher ends the run{}; {}", who, how_to_go_on(where));
}

void abort_run(agent::ControlPlane& control, const std::exception& error,
               const Whereabouts& where) {
  const auto* lost = dynamic_cast<const agent::NodeLost*>(&error);
  const std::string line = lost != nullptr ? lost_node_line(*lost, where)
                                           : fmt::format("nccl-sweep: {}", error.what());
  std::fprintf(stderr, "%s\n", line.c_str());  // which does not throw where stderr is closed
  std::fflush(nullptr);
  control.abort(static_cast<int>(ExitCode::environment));
  std::abort();  // not reached; not every compiler believes a virtual function's noreturn
}

}  // namespace nccl_sweep::cli
