// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A JSON document as far as it goes: of a launch that was killed the file ends anywhere. Times of
// single iterations are passed over, they are most of the text. Private to json_reader.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace nccl_sweep {

// False where the text ends early or stops being JSON; what was there until then is in `document`.
bool read_as_far_as_it_goes(std::string_view text, nlohmann::json& document);

}  // namespace nccl_sweep
