// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a run was measured: its short name, and a fingerprint over what changes the network's speed,
// because results of different fabrics are never mixed. Much of it only NCCL knows: what its log
// says in the first trial of the default completes what the agents saw. Versions are recorded but
// not in the fingerprint: a new library on the same machines is compared with the old one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/fact.hpp"

namespace nccl_sweep {

struct Fabric {
  std::string name;         // short and readable: "host-amd-epyc-1x2", "h200-2-nvlink", a model's
  std::string fingerprint;  // hash over what follows, without hosts and versions
  std::string device;       // CPU or GPU model
  int nodes = 1;
  int ranks_per_node = 1;
  int ranks = 0;
  std::vector<std::string> hosts;
  std::string span = "node";  // over switches, see span.hpp; not in the fingerprint; "" unknown
  std::map<std::string, std::string> versions;  // "nccl", "driver", "cuda_driver", "kernel" ...
  std::string link;     // between GPUs of a node, as NCCL's topology has it: "NVLink 370.8 GB/s"
  std::string network;  // that NCCL uses: "IB", "Socket", a plugin's name
  std::map<std::string, std::string> adapters;  // of a node: "mlx5_0:1" -> "IB 400 Gb/s"
  std::map<std::string, std::string> plugins;   // "net", "tuner" ... -> name
};

// "NVIDIA H200" -> "h200", "AMD EPYC 9554 64-Core Processor" -> "amd-epyc-9554".
std::string short_name(std::string_view device);

// "h200-2-nvlink", "h100-8x4nodes-8xib400": GPUs a node, nodes, what joins them as far as known.
std::string gpu_fabric_name(const Fabric&);
std::string fingerprint_of(const Fabric&);

// "8 x IB 400 Gb/s, 1 x RoCE 100 Gb/s"; interfaces of the socket transport are not counted.
std::string adapters_text(const std::map<std::string, std::string>& adapters);

// "8 x IB 400 Gb/s": the kind that there are most of; the few others are for storage.
std::string most_frequent_adapters(const std::map<std::string, std::string>& adapters);

// The fabric with what the library's log adds: link, network, adapters, plugins, versions; name and
// fingerprint follow. Facts that say nothing of it leave it as it is.
Fabric refine(const Fabric&, const std::vector<Fact>&);

}  // namespace nccl_sweep
