// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "criteria.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nccl_sweep::study {
namespace {

std::string number(const Row& row, double value) {
  return row.is_share ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.1f}", value);
}

std::string limit_of(const Row& row) {
  if (row.bound == Bound::none) return "";
  return (row.bound == Bound::at_most ? "<= " : ">= ") + number(row, row.limit);
}

std::string word_of(const Row& row) {
  if (row.bound == Bound::none) return "stated";
  return row.holds() ? "holds" : "BROKEN";
}

}  // namespace

bool Row::holds() const {
  switch (bound) {
    case Bound::at_most:
      return counted <= limit;
    case Bound::at_least:
      return counted >= limit;
    case Bound::none:
      break;
  }
  return true;
}

Row Row::with_spare(double spare) const {
  Row eased = *this;
  eased.limit += spare;
  return eased;
}

bool all_hold(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.holds(); });
}

std::string table_of(const std::vector<Row>& rows) {
  std::size_t model = 5;
  std::size_t criterion = 9;
  for (const Row& row : rows) {
    model = std::max(model, row.model.size());
    criterion = std::max(criterion, row.criterion.size());
  }
  std::string text = fmt::format("  {:{}}  {:{}}  {:>8}  {:>10}\n", "model", model, "criterion",
                                 criterion, "counted", "promised");
  for (const Row& row : rows) {
    text += fmt::format("  {:{}}  {:{}}  {:>8}  {:>10}  {}\n", row.model, model, row.criterion,
                        criterion, number(row, row.counted), limit_of(row), word_of(row));
  }
  return text;
}

}  // namespace nccl_sweep::study
