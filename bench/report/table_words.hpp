// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The words and cells that all tables of a run share: names of settings, verdicts with their
// colour, gains, and the mark of simulated figures.
#pragma once

#include <string>
#include <vector>

#include "analysis/verdict.hpp"
#include "report/table.hpp"

namespace nccl_sweep {

std::string setting_name(const RunData&, int candidate);
std::string titled(const RunRecord&, std::string title);  // marked where simulated, or nodes differed
Cell verdict_cell(const Finding&);
Cell gain_cell(const Finding&);
// "launch-bound", "unsteady", "scaled from 4 ranks", "about 240 pairs needed".
std::vector<std::string> point_notes(const RunData&, const Point&);
// "partly scaled from 4 ranks" where a case that has a weight in the workload is, else empty.
std::string partly_scaled(const RunRecord&);

// Nine significant digits: more than any measurement has, and the same text on every processor.
double nine_digits(double value);

// "1.26x +-0.02" for people: half the interval's width; "0.87x (0.03x to 20.5x)" where it is
// wide; the bare ratio without an interval worth showing.
std::string format_gain(const Gain&);

}  // namespace nccl_sweep
