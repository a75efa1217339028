// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "launches.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/units.hpp"

namespace nccl_sweep::study {
namespace {

constexpr double kMicrosecond = 1e-6;

LaunchSeries parse_series(const std::string& line) {
  std::istringstream fields(line);
  LaunchSeries series;
  std::string field;
  std::getline(fields, series.transport, ',');
  std::getline(fields, series.collective, ',');
  std::getline(fields, series.placement, ',');
  std::getline(fields, field, ',');
  series.bytes = std::stoll(field);
  while (std::getline(fields, field, ',')) {
    series.seconds.push_back(std::stod(field) * kMicrosecond);
  }
  return series;
}

}  // namespace

std::string LaunchSeries::name() const {
  const std::string where = placement == "in_place" ? " in place" : "";
  return transport + " " + collective + " " + format_size(Bytes{bytes}) + where;
}

std::vector<LaunchSeries> read_launches(const std::filesystem::path& csv) {
  std::ifstream in(csv);
  if (!in) throw std::runtime_error("no launches in " + csv.string());
  std::vector<LaunchSeries> all;
  std::string line;
  std::getline(in, line);  // the columns' names
  while (std::getline(in, line)) all.push_back(parse_series(line));
  return all;
}

}  // namespace nccl_sweep::study
