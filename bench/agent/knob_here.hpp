// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a knob of NCCL can do something on this machine, judged by /proc and /sys alone: what the
// catalogue's "no effect when" means here. NCCL's own log is the proof, and comes with a run.
#pragma once

#include <string>

#include "agent/machine.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::agent {

// "no effect: no active IB or RoCE port", "may act: 8 x IB 400 Gb/s"; "" for the knobs of
// other backends.
std::string knob_here(const Knob&, const Machine&);

}  // namespace nccl_sweep::agent
