// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Real launches of one and the same setting (tests/data/launches): noise whose truth is "no
// difference". One series per transport, collective, placement and size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nccl_sweep::study {

struct LaunchSeries {
  std::string transport;
  std::string collective;
  std::string placement;
  std::int64_t bytes = 0;
  std::vector<double> seconds;  // median op of each launch, in the order launched

  std::string name() const;  // "nvlink all_gather 2 MiB"; in-place ones say so
};

// Throws std::runtime_error where the file is not there or a line is broken.
std::vector<LaunchSeries> read_launches(const std::filesystem::path& csv);

}  // namespace nccl_sweep::study
