// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Baseline files for people: what there is, and what one holds with its sources, contradictions
// side by side.
#pragma once

#include <string>
#include <vector>

#include "core/baseline_file.hpp"
#include "report/table.hpp"

namespace nccl_sweep {

// "Azure/AI-benchmarking-guide@8fd0c6e  Azure ND H100 v5  (measured and published, NVLS off)"
std::string source_words(const BaselineSource& source);

Table baseline_list(const std::vector<BaselineFile>& files);  // a row a fabric

std::vector<Table> baseline_tables(const BaselineFile& file);  // one a fabric

// What contradicts, and below it each of the sources with its figures.
std::vector<std::string> contradiction_lines(const BaselineFile& file);

}  // namespace nccl_sweep
