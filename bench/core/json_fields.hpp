// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How the core types stand in JSON, once for records, wire messages and specs. Only .cpp files
// that include nlohmann/json.hpp call these.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/candidate.hpp"
#include "core/case.hpp"
#include "core/fact.hpp"
#include "core/policy.hpp"

namespace nccl_sweep {

// The found functions by name lookup of nlohmann's j = value and j.get<T>().
void to_json(nlohmann::json&, const Case&);
void from_json(const nlohmann::json&, Case&);
void to_json(nlohmann::json&, const Candidate&);
void from_json(const nlohmann::json&, Candidate&);
void to_json(nlohmann::json&, const Collapsed&);
void from_json(const nlohmann::json&, Collapsed&);
void to_json(nlohmann::json&, const Fact&);
void from_json(const nlohmann::json&, Fact&);
void to_json(nlohmann::json&, const PolicyFile&);
void from_json(const nlohmann::json&, PolicyFile&);

}  // namespace nccl_sweep
