// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The fabric's short name and fingerprint. Results of different fabrics are never mixed, so what
// changes the network's speed is in the fingerprint: devices, nodes, ranks a node.
#pragma once

#include <vector>

#include "agent/machine.hpp"
#include "agent/setup.hpp"
#include "core/model_file.hpp"
#include "core/records.hpp"

namespace nccl_sweep::cli {

Fabric fabric_of(const std::string& backend, const std::vector<agent::Machine>& machines,
                 const agent::Layout& layout, int ranks, const ModelFile* model);

}  // namespace nccl_sweep::cli
