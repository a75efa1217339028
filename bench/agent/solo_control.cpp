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
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
  void sum(std::vector<double>&) override {}
  void max_with_rank(std::vector<double>&, std::vector<int>&) override {}
  VoteResult vote(const Ballot& ballot, double) override { return {ballot.status, ballot.stop, true}; }
  void announce_failure(int) override {}
  bool failure_announced(int) override { return false; }
  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }
};

}  // namespace

std::unique_ptr<ControlPlane> make_solo_control() { return std::make_unique<SoloControl>(); }

}  // namespace nccl_sweep::agent
