// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

constexpr double kKibi = 1024.0;

// Splits "1.5G" into 1.5 and "G"; nothing if it does not start with a non-negative number.
struct NumberAndUnit {
  double number;
  std::string_view unit;
};

std::optional<NumberAndUnit> split_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0) || !std::isfinite(number)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  return NumberAndUnit{number, unit};
}

std::optional<double> size_factor(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1.0;
  constexpr std::string_view kPrefixes = "KMGT";
  const char upper = unit.front() == 'k' ? 'K' : unit.front() == 'm'   ? 'M'
                                             : unit.front() == 'g' ? 'G'
                                                                   : unit.front();
  const std::size_t power = kPrefixes.find(upper);
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "iB")) return std::nullopt;
  return std::pow(kKibi, static_cast<double>(power + 1));
}

}  // namespace

Bytes parse_size(std::string_view text, std::string_view where) {
  const auto bad = [&](std::string_view hint) {
    return usage_error(fmt::format("'{}' is not a size", text), std::string(where),
                       std::string(hint));
  };
  const auto parts = split_number(text);
  if (!parts) throw bad("write bytes or a binary unit: 8, 64K, 1.5G");
  const auto factor = size_factor(parts->unit);
  if (!factor) throw bad("units are binary as in nccl-tests: K, M, G, T or KiB, MiB, GiB, TiB");
  const double bytes = parts->number * *factor;
  constexpr double kLargest = 9.0e18;  // below 2^63
  if (bytes > kLargest) throw bad("larger than 8 EiB");
  return Bytes{static_cast<std::int64_t>(std::llround(bytes))};
}

Seconds parse_duration(std::string_view text, std::string_view where) {
  const auto parts = split_number(text);
  if (parts) {
    const std::string_view unit = parts->unit;
    if (unit.empty() || unit == "s") return Seconds{parts->number};
    if (unit == "ms") return Seconds{parts->number / 1000};
    if (unit == "m" || unit == "min") return Seconds{parts->number * 60};
    if (unit == "h") return Seconds{parts->number * 3600};
  }
  throw usage_error(fmt::format("'{}' is not a duration", text), std::string(where),
                    "write 90s, 30m or 2h");
}

std::string format_size(Bytes size) {
  const double bytes = static_cast<double>(size.value);
  if (bytes < kKibi) return fmt::format("{} B", size.value);
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  double value = bytes / kKibi;
  std::size_t unit = 0;
  while (value >= kKibi && unit + 1 < kUnits.size()) {
    value /= kKibi;
    ++unit;
  }
  if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, kUnits[unit]);
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string format_size_exact(Bytes size) {
  constexpr std::string_view kUnits = "TGMK";
  std::int64_t factor = std::int64_t{1} << 40;
  for (const char unit : kUnits) {
    if (size.value >= factor && size.value % factor == 0) {
      return fmt::format("{}{}", size.value / factor, unit);
    }
    factor >>= 10;
  }
  return fmt::format("{}", size.value);
}

std::string format_seconds(Seconds time) {
  const double s = time.count();
  if (!std::isfinite(s)) return "-";
  const auto three_digits = [](double value) {
    return value < 10 ? fmt::format("{:.2f}", value)
                      : value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
  };
  if (std::abs(s) < 1e-3) return three_digits(s * 1e6) + " us";
  if (std::abs(s) < 1) return three_digits(s * 1e3) + " ms";
  if (std::abs(s) < 120) return three_digits(s) + " s";
  const auto whole = static_cast<long long>(std::llround(s));
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string format_bandwidth(Bandwidth rate) {
  const double gigabytes = rate.bytes_per_second / 1e9;
  if (gigabytes < 10) return fmt::format("{:.2f} GB/s", gigabytes);
  if (gigabytes < 100) return fmt::format("{:.1f} GB/s", gigabytes);
  return fmt::format("{:.0f} GB/s", gigabytes);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace nccl_sweep
