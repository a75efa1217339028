// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How far a run is spread over the switches of its fabric. A setting that is best under one leaf
// switch need not be best across several, so results are kept apart by it.
#pragma once

#include <map>
#include <string>

namespace nccl_sweep {

// Host -> the switches above it, from the top: "spine.leaf1"; empty where nobody said.
using SwitchesOfHost = std::map<std::string, std::string>;

// The switch right above a node, of "spine.leaf1".
std::string leaf_of(const std::string& switches);

// "node", "leaf" (all hosts under one), "leaves-3"; empty where a host's switches are unknown.
std::string span_of(const SwitchesOfHost& hosts);

// "leaf1: node1 node2; leaf2: node3"; empty where nothing is known.
std::string switches_text(const SwitchesOfHost& hosts);

// For people, behind "4 nodes": ", one leaf switch", ", 3 leaf switches", ", switches unknown";
// nothing for one node.
std::string span_words(const std::string& span);

}  // namespace nccl_sweep
