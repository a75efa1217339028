// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nccl_sweep {
namespace {

std::string full_text(const std::string& what, const std::string& where, const std::string& hint) {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Insertions, deletions, substitutions and swaps of neighbours, the commonest slip of all.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                           same_letter(a[i - 2], b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

Error::Error(ExitCode code, std::string what, std::string where, std::string hint)
    : std::runtime_error(full_text(what, where, hint)),
      code_(code),
      message_(std::move(what)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

Error usage_error(std::string what, std::string where, std::string hint) {
  return {ExitCode::usage, std::move(what), std::move(where), std::move(hint)};
}

Error environment_error(std::string what, std::string where, std::string hint) {
  return {ExitCode::environment, std::move(what), std::move(where), std::move(hint)};
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string* nearest = nullptr;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  if (nearest != nullptr) return fmt::format("did you mean '{}'?", *nearest);
  constexpr std::size_t kReadableList = 16;
  if (!known.empty() && known.size() <= kReadableList) {
    return fmt::format("known: {}", fmt::join(known, ", "));
  }
  return {};
}

}  // namespace nccl_sweep
