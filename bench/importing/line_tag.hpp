// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What launchers and log collectors put before a line: mpirun --tag-output, srun --label, the
// stamps and pod names of Kubernetes, docker compose, Ray. Lines of several processes in one file
// can be told apart by it.
#pragma once

#include <string_view>

namespace nccl_sweep {

struct TaggedLine {
  std::string_view process;  // "1,0" of mpirun, "3" of srun, a pod; empty where nothing tells
  bool one_job = false;      // the tag is of a launcher that started all processes together
  std::string_view text;     // the line as the program printed it
};

TaggedLine without_tag(std::string_view line);

}  // namespace nccl_sweep
