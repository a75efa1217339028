// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The baseline's results in the form that nccl-tests prints (layout and number formats of 2.19.6),
// so that eyes and scripts trained on it work at once. The first line says who printed it. One
// block per collective x dtype x group, as from one nccl-tests program each.
#pragma once

#include <string>

#include "core/records.hpp"

namespace nccl_sweep {

std::string nccl_tests_tables(const RunData&);

// nccl-tests' number formats: as many decimals (2, 1, 0) as fit the width, else 1.6e+07.
std::string nccl_tests_number(double value, int width);

}  // namespace nccl_sweep
