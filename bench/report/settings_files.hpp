// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The recommendation as files that can be used as they are: recommended.env (NAME=VALUE),
// recommended.sh (to be sourced), nccl.conf, recommended.launch (sbatch and mpirun lines). "Keep
// the default" is files too, with comments only. Texts only; `recommend` writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/recommendation.hpp"

namespace nccl_sweep {

struct SettingsFile {
  std::string name;
  std::string content;
};

// `run_name` is what the files cite as their source: the run folder's name.
std::vector<SettingsFile> settings_files(const RunData&, const RunFindings&, const Recommendation&,
                                         std::string_view run_name);

// 'it'\''s' where the shell would not take the word as it is.
std::string shell_quoted(std::string_view word);

}  // namespace nccl_sweep
