// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Planted faults of the model backend. They are real: the process hangs, dies or floods, so that
// the agent's deadlines, kill ladder and limits are exercised and not pretended.
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/model_file.hpp"

namespace nccl_sweep::worker {

class AbortSignal {  // raised by the watchdog thread, waited for by a hanging main thread
 public:
  void raise() noexcept;
  void wait();  // returns when raised

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool raised_ = false;
};

// Does what the fault is. Returns for slow and wrong_data only, which the caller applies; throws
// for error, unsupported, and for hang once it is aborted.
void commit(const ModelFault&, AbortSignal&);

}  // namespace nccl_sweep::worker
