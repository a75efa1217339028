// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "analysis/statistics.hpp"
#include "analysis/trial_queue.hpp"

namespace nccl_sweep::statistics {
namespace {

using Table = std::vector<std::vector<double>>;
using Values = std::vector<double>;

constexpr int kRelabellings = 2000;
// Ties, the seen labelling among them, must not be lost to rounding.
constexpr double kRounding = 1 - 1e-9;

double log_factorial(std::size_t n) {
  double sum = 0;
  for (std::size_t i = 2; i <= n; ++i) sum += std::log(static_cast<double>(i));
  return sum;
}

double difference_t(double difference, double standard_error) {
  if (standard_error > 0) return std::abs(difference) / standard_error;
  return difference == 0 ? 0 : HUGE_VAL;
}

// |t| of each setting against the first, noise pooled within settings.
Values launch_statistics(std::span<const Values> launches) {
  double squares = 0;
  double freedom = 0;
  Values means;
  for (const Values& values : launches) {
    means.push_back(mean(values));
    for (const double v : values) squares += (v - means.back()) * (v - means.back());
    freedom += static_cast<double>(values.size()) - 1;
  }
  const double deviation = std::sqrt(squares / freedom);
  Values found;
  for (std::size_t i = 1; i < launches.size(); ++i) {
    const double share =
        1 / static_cast<double>(launches[0].size()) + 1 / static_cast<double>(launches[i].size());
    found.push_back(difference_t(means[i] - means[0], deviation * std::sqrt(share)));
  }
  return found;
}

Values round_statistics(std::span<const Values> table) {
  const double deviation = two_way_noise(table).standard_deviation;
  const double error = deviation * std::sqrt(2 / static_cast<double>(table.size()));
  Values found;
  for (std::size_t c = 1; c < table.front().size(); ++c) {
    double sum = 0;
    for (const Values& row : table) sum += row[c] - row[0];
    found.push_back(difference_t(sum / static_cast<double>(table.size()), error));
  }
  return found;
}

Values p_values(const Values& seen, const std::function<Values()>& relabelled) {
  std::vector<int> at_least(seen.size(), 1);  // the seen labelling is one of them
  for (int i = 1; i < kRelabellings; ++i) {
    const Values other = relabelled();
    const double largest = *std::max_element(other.begin(), other.end());
    for (std::size_t c = 0; c < seen.size(); ++c) at_least[c] += largest >= seen[c] * kRounding;
  }
  Values found;
  for (const int count : at_least) found.push_back(static_cast<double>(count) / kRelabellings);
  return found;
}

void shuffle_values(Values& values, std::mt19937_64& random) {
  std::vector<int> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  shuffle(order, random);
  Values shuffled;
  for (const int i : order) shuffled.push_back(values[static_cast<std::size_t>(i)]);
  values = std::move(shuffled);
}

// The smallest p value that either the labellings or our number of them could give.
bool can_object(double log_labellings, double level) {
  constexpr double kSpare = 2;  // a claim must be possible, not only just
  const double log_tried = std::min(log_labellings, std::log(static_cast<double>(kRelabellings)));
  return log_tried >= std::log(kSpare / level);
}

}  // namespace

std::vector<double> permutation_p_values(std::span<const std::vector<double>> launches,
                                         double level) {
  Values all;
  double log_labellings = 0;
  for (const Values& values : launches) {
    all.insert(all.end(), values.begin(), values.end());
    log_labellings -= log_factorial(values.size());
  }
  log_labellings += log_factorial(all.size());
  if (!can_object(log_labellings, level)) return Values(launches.size() - 1, 0);
  std::mt19937_64 random(1);
  Table relabelled(launches.begin(), launches.end());
  return p_values(launch_statistics(launches), [&] {
    shuffle_values(all, random);
    auto next = all.begin();
    for (Values& values : relabelled) {
      for (double& value : values) value = *next++;
    }
    return launch_statistics(relabelled);
  });
}

std::vector<double> permutation_p_values_of_rounds(std::span<const std::vector<double>> table,
                                                   double level) {
  const double log_labellings =
      static_cast<double>(table.size()) * log_factorial(table.front().size());
  if (!can_object(log_labellings, level)) return Values(table.front().size() - 1, 0);
  std::mt19937_64 random(1);
  Table relabelled(table.begin(), table.end());
  return p_values(round_statistics(table), [&] {
    for (Values& row : relabelled) shuffle_values(row, random);
    return round_statistics(relabelled);
  });
}

}  // namespace nccl_sweep::statistics
