// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which collective a launch measured and on how many ranks. Old versions print neither, and people
// rename files; the bandwidths tell whether an answer can be true: busbw / algbw is 2(n-1)/n,
// (n-1)/n or 1 by collective.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "importing/readers.hpp"

namespace nccl_sweep {
namespace {

constexpr std::string_view kNotBuiltWithMpi =
    "nccl-tests was not built with MPI (MPI=1), so nothing went between the copies";

std::string lower_without_marks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

// Row by row, as far as two decimals tell; nothing where no row can tell.
std::optional<bool> factor_fits(const ImportedLaunch& launch, double factor) {
  constexpr double kSmallest = 0.1;    // GB/s
  constexpr double kRounding = 0.011;  // of both columns
  constexpr double kShare = 0.002;
  int fit = 0;
  int rows = 0;
  for (const ImportedTiming& timing : launch.timings) {
    if (timing.algbw < kSmallest) continue;
    ++rows;
    const double distance = std::abs(timing.busbw - factor * timing.algbw);
    fit += distance <= kRounding + kShare * timing.algbw ? 1 : 0;
  }
  if (rows == 0) return std::nullopt;
  return 2 * fit > rows;
}

// Until June 2020 the algbw of all_gather and reduce_scatter was (n-1)/n of today's: busbw.
bool is_old_convention(const ImportedLaunch& launch, Collective collective, int ranks) {
  if (collective != Collective::all_gather && collective != Collective::reduce_scatter) {
    return false;
  }
  const bool equal = factor_fits(launch, 1).value_or(false);
  const auto largest = std::max_element(
      launch.timings.begin(), launch.timings.end(),
      [](const ImportedTiming& a, const ImportedTiming& b) { return a.size < b.size; });
  if (!equal || largest == launch.timings.end()) return false;
  const double busbw =
      bus_bandwidth(collective, largest->size, ranks, largest->time).bytes_per_second / 1e9;
  constexpr double kRounding = 0.05;
  return std::abs(busbw - largest->busbw) <= kRounding * largest->busbw;
}

// Of a collective whose size is the sum over ranks, size / count is their number.
std::optional<int> ranks_by_count(const ImportedLaunch& launch) {
  for (const ImportedTiming& timing : launch.timings) {
    const std::int64_t element = element_bytes(timing.dtype);
    if (timing.count <= 0 || timing.size.value <= 0 || timing.count > INT64_MAX / element) continue;
    const std::int64_t share = timing.count * element;
    const std::int64_t ranks = timing.size.value / share;
    constexpr std::int64_t kMost = 1 << 24;
    if (timing.size.value % share == 0 && ranks <= kMost) return static_cast<int>(ranks);
  }
  return std::nullopt;
}

// By the ratio of the bandwidths, where it is clear enough to tell n from its neighbours.
std::optional<int> ranks_by_factor(const ImportedLaunch& launch, Collective collective) {
  constexpr int kMost = 16;
  std::optional<int> found;
  if (busbw_factor(collective, 2) == busbw_factor(collective, 3)) return std::nullopt;
  for (int n = 1; n <= kMost; ++n) {
    if (!factor_fits(launch, busbw_factor(collective, n)).value_or(false)) continue;
    if (found) return std::nullopt;
    found = n;
  }
  return found;
}

std::string fitting(const ImportedLaunch& launch, int ranks) {
  std::vector<std::string_view> names;
  for (const Collective c : all_collectives()) {
    if (factor_fits(launch, busbw_factor(c, ranks)).value_or(false)) names.push_back(to_string(c));
  }
  return names.empty() ? "no collective does" : fmt::format("{} would", fmt::join(names, ", "));
}

void describe_ranks(ImportedLaunch& launch) {
  std::set<std::string> hosts;
  for (const ImportedRank& rank : launch.ranks) hosts.insert(rank.host);
  launch.nodes = static_cast<int>(hosts.size());
  launch.world = std::max(launch.world, static_cast<int>(launch.ranks.size()));
  if (launch.ranks.empty()) return;
  // With NCCL_TESTS_SPLIT the figures are of the first rank's group.
  std::vector<int> members;
  for (const ImportedRank& rank : launch.ranks) {
    if (rank.group == launch.ranks.front().group) members.push_back(rank.rank);
  }
  launch.group_size = launch.world;
  if (members.size() == launch.ranks.size()) return;
  const auto listed = static_cast<int>(launch.ranks.size());
  launch.group_size = static_cast<int>(members.size()) * (launch.world / listed);
  const int stride = members.size() > 1 ? std::max(1, members[1] - members[0]) : 1;
  launch.group = {GroupKind::strided, stride, launch.group_size};
}

std::string find_collective(ImportedLaunch& launch, const ImportOptions& options) {
  const auto named = collective_in(launch.program_name);
  const auto by_file = collective_in(launch.file.filename().string());
  if (!launch.program_name.empty() && !named) {
    return fmt::format("{} is none of the collectives that are measured here", launch.program_name);
  }
  if (named && options.collective && *named != *options.collective) {
    return fmt::format("it ran {}, not {}", launch.program_name, to_string(*options.collective));
  }
  const auto found = named ? named : options.collective ? options.collective : by_file;
  if (!found) return "neither the text nor the file's name tells the collective: --collective NAME";
  launch.collective = *found;
  return {};
}

std::string find_ranks(ImportedLaunch& launch, const ImportOptions& options) {
  const bool total = size_is_total_over_ranks(launch.collective);
  const auto by_count = total ? ranks_by_count(launch) : std::nullopt;
  if (launch.group_size == 0) {
    const auto derived = options.ranks > 0 ? std::optional(options.ranks)
                         : by_count        ? by_count
                                           : ranks_by_factor(launch, launch.collective);
    if (!derived) return "it does not list its ranks: --ranks N";
    launch.world = launch.group_size = *derived;
    return {};
  }
  // A report of a group's figures lists all ranks of the run.
  const double factor = busbw_factor(launch.collective, launch.group_size);
  const bool fits = factor_fits(launch, factor).value_or(true);
  const bool divides = by_count && *by_count > 1 && launch.group_size % *by_count == 0;
  if (!fits && divides && factor_fits(launch, busbw_factor(launch.collective, *by_count))) {
    launch.group_size = *by_count;
    launch.group = {GroupKind::strided, 1, *by_count};
  }
  return {};
}

// A column or a unit that was taken for another: size / time is algbw in every version.
std::string check_times(const ImportedLaunch& launch) {
  constexpr double kSmallest = 0.1;    // GB/s
  constexpr double kRounding = 0.011;  // of algbw; times have two digits and more
  constexpr double kShare = 0.06;
  int rows = 0;
  int odd = 0;
  std::string example;
  for (const ImportedTiming& timing : launch.timings) {
    if (timing.algbw < kSmallest) continue;
    ++rows;
    const double by_time = algorithm_bandwidth(timing.size, timing.time).bytes_per_second / 1e9;
    if (std::abs(by_time - timing.algbw) <= kRounding + kShare * timing.algbw) continue;
    if (odd++ == 0) {
      example = fmt::format("{} bytes in {:.4g} us are {:.4g} GB/s, not {:.4g}", timing.size.value,
                            timing.time.count() * 1e6, by_time, timing.algbw);
    }
  }
  if (2 * odd <= rows) return {};
  return fmt::format("its times contradict its algbw ({}): other columns or units than are known",
                     example);
}

std::string check_bandwidths(ImportedLaunch& launch) {
  const int ranks = launch.group_size;
  const double factor = busbw_factor(launch.collective, ranks);
  if (factor_fits(launch, factor).value_or(true)) return check_times(launch);
  if (is_old_convention(launch, launch.collective, ranks)) {
    launch.notes.emplace_back("its algbw is of before June 2020; time and busbw are not affected");
    return {};
  }
  return fmt::format("busbw is not {:.3g} x algbw, as it would be for {} on {} ranks; {} fit",
                     factor, to_string(launch.collective), ranks, fitting(launch, ranks));
}

std::string why_unusable(RawLaunch& raw, const ImportOptions& options) {
  ImportedLaunch& launch = raw.launch;
  describe_ranks(launch);
  if (raw.copies > 1) {
    std::set<int> each;
    for (const ImportedRank& rank : launch.ranks) each.insert(rank.rank);
    return fmt::format("{} copies ran side by side, of {} each: {}", raw.copies,
                       counted(std::max<std::int64_t>(1, std::ssize(each)), "rank"),
                       kNotBuiltWithMpi);
  }
  if (launch.timings.empty()) {
    // A launch that died has a place in the run, one that never was has none.
    if (launch.failure.empty()) {
      return fmt::format("no row of a table in it{}{}", launch.notes.empty() ? "" : "; ",
                         launch.notes.empty() ? "" : launch.notes.front());
    }
    if (const std::string why = find_collective(launch, options); !why.empty()) return why;
    return {};
  }
  if (const std::string why = find_collective(launch, options); !why.empty()) return why;
  if (const std::string why = find_ranks(launch, options); !why.empty()) return why;
  if (launch.group_size < 2) {
    return fmt::format("one rank, busbw 0: nothing was sent. Under mpirun this means that {}",
                       kNotBuiltWithMpi);
  }
  return check_bandwidths(launch);
}

}  // namespace

std::optional<Collective> collective_in(std::string_view name) {
  const std::string text = lower_without_marks(name);
  // Longer names first: "reduce" is a part of others.
  constexpr std::array<std::pair<std::string_view, Collective>, 11> kNames{
      {{"reducescatter", Collective::reduce_scatter},
       {"allreduce", Collective::all_reduce},
       {"allgather", Collective::all_gather},
       {"broadcast", Collective::broadcast},
       {"alltoall", Collective::alltoall},
       {"all2all", Collective::alltoall},
       {"sendrecv", Collective::sendrecv},
       {"scatter", Collective::scatter},
       {"gather", Collective::gather},
       {"reduce", Collective::reduce},
       {"bcast", Collective::broadcast}}};
  if (text.find("alltoallv") != std::string::npos || text.find("hypercube") != std::string::npos) {
    return std::nullopt;
  }
  for (const auto& [word, collective] : kNames) {
    if (text.find(word) != std::string::npos) return collective;
  }
  return std::nullopt;
}

std::string version_text(std::int64_t code) {
  // Until 2.8 it was major x 1000 + minor x 100 + patch.
  constexpr std::int64_t kFirstNew = 10000;
  const std::int64_t major = code < kFirstNew ? code / 1000 : code / 10000;
  const std::int64_t minor = code < kFirstNew ? code % 1000 / 100 : code % 10000 / 100;
  return fmt::format("{}.{}.{}", major, minor, code % 100);
}

bool may_be_kept(std::string_view variable) {
  constexpr std::array<std::string_view, 8> kFamilies{"NCCL_", "UCX_", "CUDA_", "RCCL_",
                                                      "HSA_",  "FI_",  "OFI_",  "SHARP_"};
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](std::string_view family) { return variable.starts_with(family); });
}

std::string ImportedLaunch::where() const {
  return line > 0 ? fmt::format("{}:{}", file.string(), line) : file.string();
}

std::variant<ImportedLaunch, LeftOut> resolve(RawLaunch raw, const ImportOptions& options) {
  const std::string why = why_unusable(raw, options);
  if (!why.empty()) return LeftOut{raw.launch.where(), why};
  return std::move(raw.launch);
}

}  // namespace nccl_sweep
