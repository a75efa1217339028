// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Just enough JSON Schema to hold our own files against sweeps/schemas: type, required, properties,
// additionalProperties, items, minItems, enum, const, minimum, oneOf, $ref into $defs. A keyword
// that it does not know fails, so that a schema cannot promise more than is checked.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace nccl_sweep::checks {

// What is wrong, as "/pointer: text"; empty where the value fits the schema.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace nccl_sweep::checks
