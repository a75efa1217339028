// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// InfiniBand and RoCE ports of this node from /sys/class/infiniband, which anybody may read. So a
// fabric has a good name before NCCL says which of the adapters it uses.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace nccl_sweep::agent {

// "mlx5_0:1" -> "IB 400 Gb/s" or "RoCE 100 Gb/s"; active ports only. `root` is "/".
std::map<std::string, std::string> active_adapters(const std::filesystem::path& root);

}  // namespace nccl_sweep::agent
