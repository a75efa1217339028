// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// SIGUSR1 (Slurm's warning), SIGTERM and the first Ctrl-C ask for a soft stop: the running trial
// is finished and written. A second Ctrl-C ends at once; workers die with their agent.
#pragma once

#include "agent/control.hpp"

namespace nccl_sweep::cli {

// Installs the handlers for the life of the process, also those that note what a launcher sends; the
// flag becomes true on the first signal that asks for a stop.
const bool volatile* install_soft_stop();
const agent::LauncherSignals& launcher_signals();

}  // namespace nccl_sweep::cli
