// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/table_words.hpp"

#include <fmt/format.h>

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return Tone::good;
    case Verdict::worse:
    case Verdict::failed:
    case Verdict::wrong_data:
      return Tone::bad;
    case Verdict::baseline:
    case Verdict::not_confirmed:
    case Verdict::undecided:
      return Tone::faint;
    case Verdict::no_gain:
      break;
  }
  return Tone::plain;
}

}  // namespace

std::string setting_name(const RunData& data, int candidate) {
  return name_of(data.run.candidates[index(candidate)]);
}

std::string titled(const RunRecord& run, std::string title) {
  return run.simulated ? title + "  SIMULATED" : title;
}

Cell verdict_cell(const Finding& finding) {
  if (finding.verdict == Verdict::baseline) return {"", std::string(to_string(finding.verdict))};
  return {std::string(to_string(finding.verdict)), tone_of(finding.verdict)};
}

Cell gain_cell(const Finding& finding) {
  if (finding.verdict == Verdict::baseline) return {"1.00x", 1.0};
  if (!finding.gain) return {"", CellValue{}};
  return {format_gain(*finding.gain), finding.gain->ratio};
}

std::vector<std::string> point_notes(const RunData& data, const Point& point) {
  const Case& c = data.run.cases[index(point.case_index)];
  std::vector<std::string> notes;
  if (point.launch_bound) notes.emplace_back("launch-bound");
  if (point.unsteady) notes.emplace_back("unsteady");
  if (c.scaled()) notes.push_back(scaled_note(c));
  if (point.finding.verdict == Verdict::undecided && point.finding.pairs_needed > 0) {
    notes.push_back(fmt::format("about {} pairs needed", point.finding.pairs_needed));
  }
  return notes;
}

double nine_digits(double value) { return std::stod(fmt::format("{:.9g}", value)); }

std::string format_gain(const Gain& gain) {
  if (gain.confidence <= 0) return fmt::format("{:.2f}x", gain.ratio);
  const double reach = (gain.interval.high - gain.interval.low) / 2;
  constexpr double kFine = 0.005;  // two decimals would show +-0.00
  const int decimals = reach < kFine ? 3 : 2;
  return fmt::format("{0:.{2}f}x +-{1:.{2}f}", gain.ratio, reach, decimals);
}

}  // namespace nccl_sweep
