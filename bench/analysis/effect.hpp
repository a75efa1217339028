// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Did a setting take effect? Judged from the facts in the records, never from the figures.
#pragma once

#include <string>
#include <string_view>

#include "core/records.hpp"

namespace nccl_sweep {

enum class Effect {
  unknown,         // no log was read: other backends, old records
  proven,          // read by the library, and what it acts on shows the value
  not_applicable,  // what it acts on is not there: IB variables without an IB channel
  unobservable,    // read, but no line tells whether it acted on this case
  contradicted     // the library read or did something else
};

std::string_view to_string(Effect);  // "not applicable"; "" for unknown

struct EffectFinding {
  Effect effect = Effect::unknown;
  std::string why;  // one clause: "no channel goes over IB", "coll channels 4"
};

// Of a candidate's assignments on a case. The baseline has none: unknown.
EffectFinding find_effect(const RunData& data, int candidate, int case_index);

// What the candidate's evidence trial launched for the case: "RING SIMPLE 24 channels", several
// joined by " / "; empty where there is no such trial, or where groups of another shape run the same
// operation, which the log does not tell apart.
std::string launched_path(const RunData& data, int candidate, int case_index);

}  // namespace nccl_sweep
