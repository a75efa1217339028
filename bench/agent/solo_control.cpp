// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "agent/control.hpp"

namespace nccl_sweep::agent {
namespace {

class SoloControl final : public ControlPlane {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string broadcast(std::string text) override { return text; }
  std::string exchange(const Combine& combine, Patience) override { return combine({}); }
  void deliver(std::vector<Parcel>&, double) override {}
  void announce_failure(int) override {}
  bool failure_announced(int) override { return false; }
  [[noreturn]] void report_lost(const NodeLost& lost) override { throw lost; }
  void heed(const LauncherSignals&, std::function<void(const std::vector<int>&)>) override {}
  Traffic traffic() const override { return {}; }
  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }
};

}  // namespace

std::unique_ptr<ControlPlane> make_solo_control() { return std::make_unique<SoloControl>(); }

}  // namespace nccl_sweep::agent
