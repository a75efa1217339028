// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The line of a `blocks` record, without a JSON document in between: nearly all of a record file is
// of them, and an imported one has millions. Private to records.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/records.hpp"

namespace nccl_sweep {

std::string blocks_line(const BlocksRecord& record);

// Of a line as blocks_line() writes it; nothing of any other, which may be a record all the same.
std::optional<BlocksRecord> read_blocks_line(std::string_view line);

}  // namespace nccl_sweep
