// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what NCCL 2.23 to 2.30 prints with NCCL_DEBUG=INFO into facts (core/fact.hpp): variables
// read, transports, adapters, topology file, plugins, versions, and per operation the algorithm,
// protocol and channels. Lines that it does not know are passed over; older versions best effort.
// Agents call it on the logs of their own workers.
#pragma once

#include <istream>
#include <string_view>
#include <vector>

#include "core/fact.hpp"

namespace nccl_sweep::evidence {

// What a worker's log is asked for: at start-up only (no line per operation), or everything.
inline constexpr std::string_view kQuietSubsystems = "INIT,ENV,NET,GRAPH";
inline constexpr std::string_view kAllSubsystems =
    "INIT,ENV,NET,GRAPH,P2P,SHM,NVLS,REG,COLL,TUNING";

// The facts of one log file: one rank, or several ranks interleaved. Merged, sorted. A rank is a
// process here, because the threads of NCCL's network proxy print another device than their rank's.
// Never throws for what the log says: torn and garbled lines are passed over.
std::vector<Fact> read_nccl_log(std::istream& log);

}  // namespace nccl_sweep::evidence
