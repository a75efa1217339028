// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/dataset.hpp"

namespace nccl_sweep {
namespace {

constexpr double kGiga = 1e9;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double busbw_at(const Case& c, double seconds) {
  return bus_bandwidth(c.collective, c.size, c.group_size, Seconds{seconds}).bytes_per_second /
         kGiga;
}

double seconds_at(const Case& c, double busbw) {
  return busbw_at(c, 1.0) / busbw;  // busbw and time are inverse to each other
}

DefaultLaunches::DefaultLaunches(const RunData& data) : cases_(data.run.cases) {
  const Dataset dataset(data);
  for (const Sample& sample : dataset.all()) {
    if (sample.order.candidate == 0 && is_analysed(sample.order.stage)) {
      seconds_.push_back(sample.seconds);
    }
  }
}

template <class Fold>
std::vector<double> DefaultLaunches::folded(const std::vector<int>& cases, Fold&& fold) const {
  std::vector<double> values;
  for (const std::vector<double>& launch : seconds_) {
    std::vector<double> of_cases;
    for (const int i : cases) {
      const double seconds = launch[static_cast<std::size_t>(i)];
      if (seconds > 0) of_cases.push_back(seconds);  // NaN is not
    }
    if (!cases.empty() && of_cases.size() == cases.size()) values.push_back(fold(of_cases));
  }
  return values;
}

std::vector<double> DefaultLaunches::log_busbw(int case_index) const {
  return mean_log_busbw({case_index});
}

std::vector<double> DefaultLaunches::mean_log_busbw(const std::vector<int>& cases) const {
  return folded(cases, [&](std::vector<double> seconds) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] = std::log(busbw_at(cases_[static_cast<std::size_t>(cases[i])], seconds[i]));
    }
    return mean(seconds);
  });
}

std::vector<double> DefaultLaunches::log_mean_busbw(const std::vector<int>& cases) const {
  return folded(cases, [&](std::vector<double> seconds) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] = busbw_at(cases_[static_cast<std::size_t>(cases[i])], seconds[i]);
    }
    return std::log(mean(seconds));
  });
}

std::vector<double> DefaultLaunches::log_peak_busbw(const std::vector<int>& cases) const {
  return folded(cases, [&](const std::vector<double>& seconds) {
    double best = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      best = std::max(best, busbw_at(cases_[static_cast<std::size_t>(cases[i])], seconds[i]));
    }
    return std::log(best);
  });
}

std::vector<double> DefaultLaunches::log_speed(const std::vector<int>& cases,
                                               const std::vector<double>& calls) const {
  return folded(cases, [&](const std::vector<double>& seconds) {
    return -std::log(std::inner_product(seconds.begin(), seconds.end(), calls.begin(), 0.0));
  });
}

}  // namespace nccl_sweep
