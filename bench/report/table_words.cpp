// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/table_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

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

// Three digits, and no more than two decimals: "0.03x", "20.5x", "43409x".
std::string bound_text(double ratio) {
  return fmt::format("{:.{}f}x", ratio, ratio < 10 ? 2 : ratio < 100 ? 1 : 0);
}

}  // namespace

std::string setting_name(const RunData& data, int candidate) {
  return name_of(setting_of(data.run, candidate));
}

std::string titled(const RunRecord& run, std::string title) {
  if (run.simulated) title += "  SIMULATED";
  return run.mismatches.empty() ? title : title + "  NODES DIFFER";
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
  if (point.clocks_differ) notes.emplace_back("host and device clocks differ");
  const Effect effect = point.effect.effect;
  if (effect == Effect::contradicted || effect == Effect::not_applicable) {
    notes.push_back(point.effect.why);
  }
  if (c.scaled()) notes.push_back(scaled_note(c));
  if (point.finding.verdict == Verdict::undecided && point.finding.pairs_needed > 0) {
    notes.push_back(data.run.imported
                        ? fmt::format("about {} launches needed", point.finding.pairs_needed)
                        : fmt::format("about {} needed",
                                      counted(point.finding.pairs_needed, "pair")));
  }
  return notes;
}

std::string partly_scaled(const RunRecord& run) {
  std::set<int> sizes;
  for (const Case& c : run.cases) {
    if (c.scaled() && c.calls > 0) sizes.insert(c.group_size);
  }
  if (sizes.empty()) return {};
  return fmt::format("partly scaled from {} rank{}", fmt::join(sizes, " and "),
                     *sizes.rbegin() == 1 ? "" : "s");
}

double nine_digits(double value) { return std::stod(fmt::format("{:.9g}", value)); }

std::string format_gain(const Gain& gain) {
  if (!gain.has_interval()) return fmt::format("{:.2f}x", gain.ratio);
  if (gain.is_wide()) {
    return fmt::format("{:.2f}x ({} to {})", gain.ratio, bound_text(gain.interval.low),
                       bound_text(gain.interval.high));
  }
  const double reach = (gain.interval.high - gain.interval.low) / 2;
  constexpr double kFine = 0.005;  // two decimals would show +-0.00
  const int decimals = reach < kFine ? 3 : 2;
  return fmt::format("{0:.{2}f}x +-{1:.{2}f}", gain.ratio, reach, decimals);
}

}  // namespace nccl_sweep
