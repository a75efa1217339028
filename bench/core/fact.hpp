// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a library's own log says that it did, in one trial over all ranks. Requested is not
// effective: verdicts show facts beside figures. Facts are read where the log was written, merged
// over ranks, and kept in the records; what follows from them is computed later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep {

enum class FactKind {
  variable,       // subject NCCL_X, value as the library read it ("4", "Ring")
  bad_value,      // subject NCCL_X, value that could not be read: the default is used
  conf_file,      // subject NCCL_X, value that came from a conf file, not from the environment
  config,         // subject maxCTAs, value that the communicator took from the caller
  config_reset,   // subject maxCTAs, value "NCCL_MAX_CTAS=4": a variable won over the caller
  transport,      // subject "P2P/CUMEM", "NET/IB/GDRDMA", "SHM"; value its channels "24 + 32 p2p"
  adapter,        // subject "mlx5_0:1", value "IB 400 Gb/s", "RoCE", "Socket eth0"
  queue_pairs,    // subject "mlx5_0:1", value: queue pairs of one connection
  sockets,        // subject "threads x sockets", value "4 x 2"
  topology_file,  // subject the path, value "loaded", "missing: <reason>" or "not reached"
  link,           // subject "NVL", "PCI": as the topology print names it, value "2 x 370.8 GB/s"
  channels,       // subject "coll", "p2p", "nvls" ..., value their number
  multicast,      // subject "NVLink SHARP", value "available", "not available", "bind failed"
  plugin,         // subject "net", "tuner", "profiler", "env", "gin"; value its name, "none"
  version,        // subject "nccl", "cuda_driver" ..., value
  network,        // subject "network", value "IB", "Socket": what "Using network" names
  path,           // subject: path_subject() of a case, value "RING SIMPLE 24 channels"
  note            // subject: what it is about, value: the line, for what fits nowhere else
};

struct Fact {
  FactKind kind = FactKind::note;
  std::string subject;
  std::string value;
  int ranks = 1;  // how many ranks say so
  auto operator<=>(const Fact&) const = default;
};

std::string_view to_string(FactKind);
FactKind parse_fact_kind(std::string_view);  // throws a usage Error: only read from record files

// Facts that are equal but for `ranks` become one, the ranks added; sorted.
std::vector<Fact> merge(std::vector<Fact> facts);

// The first fact of a kind and subject, or null.
const Fact* find_fact(const std::vector<Fact>& facts, FactKind kind, std::string_view subject);

}  // namespace nccl_sweep
