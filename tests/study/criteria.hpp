// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the study promises and what it counted: rows of one table, and whether all hold.
#pragma once

#include <string>
#include <vector>

namespace nccl_sweep::study {

enum class Bound { none, at_most, at_least };

struct Row {
  std::string model;
  std::string criterion;
  double counted = 0;
  Bound bound = Bound::none;  // none: stated, promises nothing
  double limit = 0;
  bool is_share = true;  // printed in percent

  bool holds() const;
  Row with_spare(double spare) const;  // the limit moved by it
};

bool all_hold(const std::vector<Row>& rows);
// Every row, the broken ones marked.
std::string table_of(const std::vector<Row>& rows);

}  // namespace nccl_sweep::study
