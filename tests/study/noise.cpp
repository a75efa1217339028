// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "noise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace nccl_sweep::study {
namespace {

constexpr double kDeviation = 0.01;  // of a launch, but in gaussian-3
constexpr double kChange = 0.10;     // of the machine over the run: drift, step

Noise with_random(std::uint64_t seed, const std::function<double(Random&, int)>& draw) {
  return
      [random = std::make_shared<Random>(seed), draw](int trial) { return draw(*random, trial); };
}

Noise gaussian(std::uint64_t seed, int) {
  return with_random(seed, [](Random& random, int) { return kDeviation * random.normal(); });
}

Noise gaussian_3(std::uint64_t seed, int) {
  return with_random(seed, [](Random& random, int) { return 3 * kDeviation * random.normal(); });
}

// Student's t with 3 degrees of freedom has variance 3: scaled to the same deviation.
Noise student_3(std::uint64_t seed, int) {
  return with_random(seed, [](Random& random, int) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(random.normal(), 2);
    return kDeviation / std::sqrt(3.0) * random.normal() / std::sqrt(squares / 3);
  });
}

Noise outliers(std::uint64_t seed, int) {
  return with_random(seed, [](Random& random, int) {
    const double hit = random.uniform() < 0.05 ? std::log(1.1 + 0.4 * random.uniform()) : 0;
    return hit + kDeviation * random.normal();
  });
}

// Where a launch's memory or ring order happens to fall: one of two levels, 9 % apart.
Noise two_humped(std::uint64_t seed, int) {
  return with_random(seed, [](Random& random, int) {
    const double hump = random.uniform() < 0.5 ? std::log(1.09) : 0;
    return hump + kDeviation * random.normal();
  });
}

Noise drift(std::uint64_t seed, int planned_trials) {
  const double per_trial = std::log1p(kChange) / planned_trials;
  return with_random(seed, [per_trial](Random& random, int trial) {
    return per_trial * trial + kDeviation * random.normal();
  });
}

// Anywhere in the middle half of the run: in a round of the screening or among the pairs.
Noise step(std::uint64_t seed, int planned_trials) {
  Random where(~seed);
  const int at = planned_trials / 4 +
                 static_cast<int>(where.below(static_cast<std::size_t>(planned_trials / 2)));
  return with_random(seed, [at](Random& random, int trial) {
    return (trial >= at ? std::log1p(kChange) : 0) + kDeviation * random.normal();
  });
}

}  // namespace

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Random::bits() {
  std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

double Random::uniform() {
  constexpr double kUnit = 0x1p-53;
  return (static_cast<double>(bits() >> 11) + 0.5) * kUnit;
}

double Random::normal() {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::size_t Random::below(std::size_t bound) {
  return std::min(bound - 1, static_cast<std::size_t>(uniform() * static_cast<double>(bound)));
}

const std::vector<NoiseModel>& noise_models() {
  static const std::vector<NoiseModel> models{{"gaussian", gaussian},    {"t3", student_3},
                                              {"outliers", outliers},    {"two-humped", two_humped},
                                              {"drift", drift},          {"step", step},
                                              {"gaussian-3", gaussian_3}};
  return models;
}

NoiseModel resampled(const LaunchSeries& series) {
  std::vector<double> sorted(series.seconds.begin() + 1, series.seconds.end());
  std::vector<double> logs;
  std::sort(sorted.begin(), sorted.end());
  for (const double s : sorted) logs.push_back(std::log(s / sorted[sorted.size() / 2]));
  return {series.name(), [logs](std::uint64_t seed, int) {
            return with_random(
                seed, [logs](Random& random, int) { return logs[random.below(logs.size())]; });
          }};
}

}  // namespace nccl_sweep::study
