// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of a trial's conversation (wire/messages.hpp): one thread blocks in receive()
// and watches for Abort and for the agent's end, the main thread answers and measures.
#pragma once

#include "wire/channel.hpp"

namespace nccl_sweep::worker {

// Runs one trial and returns the process's exit code: 0, or 1 after a Failed message. Ends the
// process at once where the agent is gone. The reader thread still runs on return: _exit() then.
int run_session(wire::Channel channel);

}  // namespace nccl_sweep::worker
