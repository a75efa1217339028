// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/model/model_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "kernels/pattern.hpp"

namespace nccl_sweep::worker {
namespace {

using kernels::kGolden;
using kernels::mix;

double uniform(std::uint64_t counter) {  // in (0, 1)
  return (static_cast<double>(mix(counter) >> 11) + 0.5) * 0x1p-53;
}

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
  return mix(hash + kGolden * (value + 1));
}

std::uint64_t hash_of(const Case& what) {
  std::uint64_t hash = 0;
  for (char c : describe(what)) hash = combine(hash, static_cast<unsigned char>(c));
  return hash;
}

// What each kind of noise is keyed with, so that they are independent.
enum class Noise : std::uint64_t { launch, launch_of_case, block, rank };

}  // namespace

double gaussian(std::uint64_t counter) {
  const double radius = std::sqrt(-2 * std::log(uniform(counter)));
  return radius * std::cos(2 * std::numbers::pi * uniform(counter ^ kGolden));
}

double standard_draw(ModelDistribution distribution, std::uint64_t counter) {
  const double z = gaussian(counter);
  const double u = uniform(combine(counter, 1));
  if (distribution == ModelDistribution::two_humped) return (u < 0.5 ? -0.8 : 0.8) + 0.6 * z;
  if (distribution == ModelDistribution::outliers) {
    // 95 % N(0, s), 5 % shifted up by 6 s; mean 0.3 s and variance s^2 (1 + 36 x 0.05 x 0.95).
    constexpr double kScale = 0.6075;  // 1 / sqrt(2.71)
    return kScale * (z + (u < 0.05 ? 6 : 0) - 0.3);
  }
  return z;
}

ModelFabric::ModelFabric(ModelFile model, KnobValues values, int ranks)
    : model_(std::move(model)), values_(std::move(values)), ranks_(ranks) {
  KnobCatalogue declared;
  for (const Knob& knob : model_.knobs) declared.add(knob);
  for (const auto& [name, value] : values_) {
    declared.check_value(declared.require("model", name), value, name);
  }
  if (!model_.streams_knob.empty()) {
    streams_ = std::max(1, std::atoi(value_of(model_.streams_knob).c_str()));
  }
}

std::string ModelFabric::value_of(const std::string& knob) const {
  if (const auto found = values_.find(knob); found != values_.end()) return found->second;
  for (const Knob& declared : model_.knobs) {
    // "0 (1 before 2.20)": the history after the value is for people.
    if (declared.name == knob) {
      return declared.default_value.substr(0, declared.default_value.find(' '));
    }
  }
  return {};
}

bool ModelFabric::matches(const KnobValues& when) const {
  return std::all_of(when.begin(), when.end(),
                     [&](const auto& item) { return value_of(item.first) == item.second; });
}

ModelFabric::Factors ModelFabric::factors_of(const Case& what) const {
  Factors factors;
  for (const ModelEffect& effect : model_.effects) {
    if (effect.collective && *effect.collective != what.collective) continue;
    if (what.size < effect.from || (effect.to.value > 0 && what.size > effect.to)) continue;
    if (!matches(effect.when)) continue;
    factors.bandwidth *= effect.bandwidth;
    factors.latency *= effect.latency;
    factors.cpu *= effect.cpu;
  }
  return factors;
}

Seconds ModelFabric::true_time(const Case& what) const {
  const ModelRates& rates = model_.rates.at(what.collective);
  const Factors factors = factors_of(what);
  const int n = what.group_size > 0 ? what.group_size : ranks_;
  double rate = rates.link.bytes_per_second;
  if (rates.stream.bytes_per_second > 0) {
    rate = std::min(rate, rates.stream.bytes_per_second * streams_);
  }
  const Seconds latency =
      rates.latency + rates.latency_per_rank * n + rates.latency_per_stream * streams_;
  const double bytes = static_cast<double>(what.size.value) * busbw_factor(what.collective, n);
  return latency * factors.latency + Seconds{bytes / (rate * factors.bandwidth)};
}

double ModelFabric::cpu_per_second(const Case& what) const {
  return (model_.cpu_per_worker + model_.cpu_per_stream * streams_) * factors_of(what).cpu;
}

double ModelFabric::launch_cv(Bytes size) const {
  for (const auto& band : model_.noise.launch) {
    if (band.up_to.value == 0 || size <= band.up_to) return band.cv;
  }
  return 0;
}

Seconds ModelFabric::seen_time(const Case& what, std::uint64_t seed, int trial, int block,
                               int rank) const {
  const ModelNoise& noise = model_.noise;
  const auto key = [&](Noise kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const auto start =
        combine(combine(seed, static_cast<std::uint64_t>(trial)), static_cast<std::uint64_t>(kind));
    return combine(combine(combine(start, a), b), c);
  };
  const std::uint64_t which = hash_of(what);
  const auto the_block = static_cast<std::uint64_t>(block);
  const double launch =
      std::sqrt(noise.shared) * standard_draw(noise.distribution, key(Noise::launch, 0, 0, 0)) +
      std::sqrt(1 - noise.shared) *
          standard_draw(noise.distribution, key(Noise::launch_of_case, which, 0, 0));
  const double exponent =
      launch_cv(what.size) * launch +
      noise.block * gaussian(key(Noise::block, which, the_block, 0)) +
      noise.rank * gaussian(key(Noise::rank, which, the_block, static_cast<std::uint64_t>(rank)));
  const double first = trial == 0 ? noise.first_trial : 1;
  return true_time(what) * std::exp(exponent) * (1 + noise.drift_per_trial * trial) * first;
}

}  // namespace nccl_sweep::worker
