// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The fabric as the agents see it before anything runs. What only NCCL knows comes when the records
// are read back: core/fabric.hpp.
#pragma once

#include <vector>

#include "agent/machine.hpp"
#include "agent/setup.hpp"
#include "core/model_file.hpp"
#include "core/fabric.hpp"
#include "core/span.hpp"

namespace nccl_sweep::cli {

SwitchesOfHost switches_of(const std::vector<agent::Machine>& machines);

Fabric fabric_of(const std::string& backend, const std::vector<agent::Machine>& machines,
                 const agent::Layout& layout, int ranks, const ModelFile* model);

}  // namespace nccl_sweep::cli
