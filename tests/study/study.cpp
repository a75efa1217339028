// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The study of the verdicts as a program; scripts/study builds and runs it. Exit status 1 where a
// promise is broken.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "parts.hpp"

namespace nccl_sweep::study {
namespace {

constexpr const char* kUsage =
    "usage: study LAUNCHES.csv FROM TO [MODEL...]\n"
    "Without models: all parts. With models: only their sweeps.";

bool show(const char* title, const std::vector<Row>& rows) {
  fmt::print("{}\n{}\n", title, table_of(rows));
  std::fflush(stdout);
  return all_hold(rows);
}

template <typename Part, typename Of>
std::vector<Row> rows_of(const std::vector<Of>& all, const Part& part) {
  std::vector<Row> rows;
  for (const Of& one : all) {
    for (Row& row : part(one)) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<LaunchSeries> studied(const std::vector<LaunchSeries>& all, const char* transport) {
  std::vector<LaunchSeries> chosen;
  for (const LaunchSeries& series : all) {
    if (series.transport == transport && series.placement == "out_of_place") {
      chosen.push_back(series);
    }
  }
  return chosen;
}

bool study_models(const std::vector<std::string>& names, const Seeds& seeds) {
  std::vector<NoiseModel> models = noise_models();
  if (!names.empty()) {
    std::erase_if(models, [&](const NoiseModel& m) {
      return std::find(names.begin(), names.end(), m.name) == names.end();
    });
  }
  return show("SIMULATED: sweeps under noise models",
              rows_of(models, [&](const NoiseModel& m) { return judge_model(m, seeds); }));
}

bool study_everything(const std::vector<LaunchSeries>& launches, const Seeds& seeds) {
  bool fine = study_models({}, seeds);
  const std::vector<LaunchSeries> nvlink = studied(launches, "nvlink");
  std::vector<LaunchSeries> all;
  for (const LaunchSeries& series : nvlink) {
    const bool as_loud_as_its_neighbour = series.bytes == 256 << 10 || series.bytes == 16 << 20;
    if (!as_loud_as_its_neighbour) all.push_back(series);
  }
  all.push_back(studied(launches, "socket").back());
  fine &= show("SIMULATED sweeps, real noise: launches drawn with replacement",
               rows_of(all, [&](const LaunchSeries& s) { return judge_real_noise(s, seeds); }));
  fine &= show("Real launches of one setting, relabelled",
               rows_of(nvlink, [&](const LaunchSeries& s) { return judge_relabelled(s, seeds); }));
  std::vector<NoiseModel> models = noise_models();
  std::erase_if(models, [](const NoiseModel& m) {
    return m.name != "gaussian" && m.name != "outliers" && m.name != "two-humped";
  });
  return show("SIMULATED: the same truth judged in three ways",
              rows_of(models, [&](const NoiseModel& m) { return contrast(m, seeds); })) &&
         fine;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    fmt::print(stderr, "{}\n", kUsage);
    return 2;
  }
  const Seeds seeds{std::stoull(arguments[1]), std::stoull(arguments[2])};
  const std::vector<std::string> models(arguments.begin() + 3, arguments.end());
  const auto launches = read_launches(arguments[0]);
  fmt::print("seeds {} to {}\n\n", seeds.from, seeds.to);
  const bool fine =
      models.empty() ? study_everything(launches, seeds) : study_models(models, seeds);
  fmt::print("{}\n", fine ? "all promises hold" : "a promise is BROKEN");
  return fine ? 0 : 1;
}

}  // namespace
}  // namespace nccl_sweep::study

int main(int argc, char** argv) {
  try {
    return nccl_sweep::study::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "study: {}\n", error.what());
    return 2;
  }
}
