// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/phase_report.hpp"

#include <algorithm>

#include "agent/packing.hpp"

namespace nccl_sweep::agent {

void merge(PhaseReport& into, const PhaseReport& other) {
  into.same_trial = into.same_trial && other.same_trial && into.trial == other.trial;
  // Where one failed, the shapes differ because of that.
  const bool both_fine = into.status == 0 && other.status == 0;
  const bool same_here = !both_fine || into.shape == other.shape;
  into.same_shape = into.same_shape && other.same_shape && same_here;
  into.stop = into.stop || other.stop;
  into.findings = merge(std::move(into.findings), other.findings);
  into.status = std::max(into.status, other.status);
}

std::string to_text(const PhaseReport& report) {
  Packer packed;
  packed.put(report.trial);
  packed.put(report.status);
  packed.put(report.shape);
  packed.put(report.stop);
  packed.put(report.same_trial);
  packed.put(report.same_shape);
  packed.text(to_text(report.findings));
  packed.text(report.status != 0 ? std::string() : report.cargo);
  return packed.take();
}

PhaseReport report_from_text(const std::string& text) {
  Unpacker packed(text);
  PhaseReport report;
  report.trial = packed.get<int>();
  report.status = packed.get<int>();
  report.shape = packed.get<int>();
  report.stop = packed.get<bool>();
  report.same_trial = packed.get<bool>();
  report.same_shape = packed.get<bool>();
  report.findings = findings_from_text(std::string(packed.text()));
  report.cargo = packed.text();
  return report;
}

std::string to_text(const Verdict& verdict) {
  Packer packed;
  packed.put(verdict.status);
  packed.put(verdict.stop);
  packed.put(verdict.same_shape);
  packed.put(verdict.blamed_rank);
  packed.put(static_cast<int>(verdict.outcome));
  packed.text(verdict.cargo);
  return packed.take();
}

Verdict verdict_from_text(const std::string& text) {
  Unpacker packed(text);
  Verdict verdict;
  verdict.status = packed.get<int>();
  verdict.stop = packed.get<bool>();
  verdict.same_shape = packed.get<bool>();
  verdict.blamed_rank = packed.get<int>();
  verdict.outcome = static_cast<Outcome>(packed.get<int>());
  verdict.cargo = packed.text();
  return verdict;
}

}  // namespace nccl_sweep::agent
