// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Knobs of kind "config": fields of ncclConfig_t. A variable of the same meaning in the environment
// wins over them, which NCCL's log then says.
#pragma once

#include <nccl.h>

#include <map>
#include <string>

namespace nccl_sweep::worker {

// The fields that `knobs` (by their catalogue names: max_ctas ...) ask for; the others undefined.
// `library_version` as ncclGetVersion. Throws Unsupported where the library, or the nccl.h of this
// build, is older than a field: such a field would be dropped without a word. The strings of
// `knobs` must live as long as the result.
ncclConfig_t communicator_config(const std::map<std::string, std::string>& knobs,
                                 int library_version);

}  // namespace nccl_sweep::worker
