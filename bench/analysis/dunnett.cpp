// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/dunnett.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <vector>

#include "analysis/statistics.hpp"

namespace nccl_sweep::statistics {
namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

struct Node {
  double at = 0;
  double weight = 0;
};

// The trapezoid rule, weights adding up to 1: exact to many digits for densities that vanish at
// both ends.
template <typename Density>
std::vector<Node> nodes(double low, double high, int count, const Density& density) {
  std::vector<Node> found;
  double sum = 0;
  for (int i = 0; i <= count; ++i) {
    const double at = low + (high - low) * i / count;
    found.push_back({at, density(at)});
    sum += found.back().weight;
  }
  for (Node& node : found) node.weight /= sum;
  return found;
}

// Of the estimated deviation / the true one: the root of chi squared / degrees of freedom.
std::vector<Node> deviation_nodes(double degrees_of_freedom) {
  constexpr double kReach = 7;  // deviations of that root, which are about 1 / sqrt(2 df)
  const double reach = kReach / std::sqrt(2 * degrees_of_freedom);
  return nodes(std::max(1e-9, 1 - reach), 1 + reach, 48, [&](double s) {
    return std::exp((degrees_of_freedom - 1) * std::log(s) - degrees_of_freedom * (s * s - 1) / 2);
  });
}

class Distribution {
 public:
  Distribution(std::span<const double> shares, double degrees_of_freedom)
      : baseline_(nodes(-7, 7, 48, [](double z) { return std::exp(-z * z / 2); })),
        deviation_(deviation_nodes(degrees_of_freedom)) {
    for (const double share : shares) ++settings_[share];
  }

  // That no difference exceeds `critical` standard errors: given the baseline's error and the
  // estimated deviation, the settings are independent.
  double probability(double critical) const {
    double total = 0;
    for (const Node& s : deviation_) {
      for (const Node& z : baseline_) {
        total += s.weight * z.weight * all_within(critical * s.at, z.at);
      }
    }
    return total;
  }

 private:
  double all_within(double reach, double baseline) const {
    double product = 1;
    for (const auto& [share, count] : settings_) {
      const double own = std::sqrt(1 - share);
      const double shift = std::sqrt(share) * baseline;
      const double within = normal_cdf((reach + shift) / own) - normal_cdf((-reach + shift) / own);
      product *= std::pow(within, count);
    }
    return product;
  }

  std::vector<Node> baseline_;
  std::vector<Node> deviation_;
  std::map<double, int> settings_;  // share -> how many have it
};

double search_critical(double confidence, std::span<const double> shares,
                       double degrees_of_freedom) {
  if (shares.size() == 1) return student_t_quantile(0.5 + confidence / 2, degrees_of_freedom);
  const Distribution distribution(shares, degrees_of_freedom);
  double low = 0;
  double high = 2;
  while (distribution.probability(high) < confidence && high < 1e6) {
    low = high;
    high *= 2;
  }
  constexpr double kPrecision = 1e-5;
  while (high - low > kPrecision * high) {
    const double middle = (low + high) / 2;
    (distribution.probability(middle) < confidence ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double dunnett_critical(double confidence, std::span<const double> shares,
                        double degrees_of_freedom) {
  using Key = std::tuple<double, std::vector<double>, double>;
  // Milliseconds each, and a report asks for the same ones case after case.
  thread_local std::map<Key, double> known;
  const Key key{confidence, {shares.begin(), shares.end()}, degrees_of_freedom};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, search_critical(confidence, shares, degrees_of_freedom)).first->second;
}

}  // namespace nccl_sweep::statistics
