// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the report of an imported run says above its tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "importing/run_parts.hpp"

namespace nccl_sweep {
namespace {

void note_times(const std::vector<ImportedLaunch>& launches, std::vector<std::string>& notes) {
  std::string first;
  std::string last;
  for (const ImportedLaunch& launch : launches) {
    if (launch.started.empty()) continue;
    if (first.empty() || launch.started < first) first = launch.started;
    last = std::max(last, launch.started);
  }
  if (first.empty()) return;
  notes.push_back(first == last
                      ? fmt::format("launched {} (the machine's local time)", first)
                      : fmt::format("launched {} to {} (the machine's local time)", first, last));
}

// Nodes differ: a setting that ran on others may only look different.
void note_hosts(const std::vector<ImportedLaunch>& launches, const LaunchSettings& settings,
                std::vector<std::string>& notes) {
  std::map<int, std::set<std::string>> by_candidate;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!launches[i].ranks.empty()) {
      by_candidate[settings.of_launch[i]].merge(hosts_of(launches[i]));
    }
  }
  const auto differs = [&](const auto& entry) {
    return entry.second != by_candidate.begin()->second;
  };
  if (std::any_of(by_candidate.begin(), by_candidate.end(), differs)) {
    notes.emplace_back("settings ran on different hosts: their differences may be the hosts'");
  }
}

std::string launches_text(std::size_t count) {
  return fmt::format("{} launch{}", count, count == 1 ? "" : "es");
}

void note_operations(const std::vector<ImportedLaunch>& launches, std::vector<std::string>& notes) {
  std::set<int> numbers;
  for (const ImportedLaunch& launch : launches) {
    if (launch.operations > 0) numbers.insert(launch.operations);
  }
  if (numbers.size() < 2) return;
  notes.push_back(fmt::format("times are means of {} to {} operations: those of few are noisier",
                              *numbers.begin(), *numbers.rbegin()));
}

}  // namespace

std::vector<std::string> origin_notes(const ImportedFiles& files, const LaunchSettings& settings) {
  std::set<std::string> programs;
  std::set<std::string> names;
  int cut = 0;
  std::map<std::string, int> said;
  for (const ImportedLaunch& launch : files.launches) {
    if (!launch.program.empty()) programs.insert(launch.program);
    names.insert(launch.file.string());
    cut += launch.finished || !launch.failure.empty() ? 0 : 1;
    for (const std::string& note : launch.notes) ++said[note];
  }
  const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  std::vector<std::string> notes{
      fmt::format("imported: {} in {}{}{}", launches_text(files.launches.size()),
                  counted(number(names.size()), "file"), programs.empty() ? "" : ", printed by ",
                  fmt::join(programs, " and "))};
  const auto first = std::find_if(files.launches.begin(), files.launches.end(),
                                  [](const auto& launch) { return !launch.timings.empty(); });
  if (first != files.launches.end() && !first->recipe.empty()) {
    notes.push_back("recipe: " + recipe_words(*first));
  }
  if (files.repeated > 0) {
    notes.push_back(fmt::format("given twice, as text and JSON, and counted once: {}",
                                launches_text(files.repeated)));
  }
  note_times(files.launches, notes);
  notes.insert(notes.end(), settings.notes.begin(), settings.notes.end());
  note_hosts(files.launches, settings, notes);
  note_operations(files.launches, notes);
  if (cut > 0) {
    notes.push_back(fmt::format("{} without the last lines: cut off, or never ended",
                                launches_text(static_cast<std::size_t>(cut))));
  }
  for (const auto& [note, launches] : said) {
    notes.push_back(
        fmt::format("{} (of {})", note, launches_text(static_cast<std::size_t>(launches))));
  }
  if (!files.left_out.empty()) {
    notes.push_back(
        fmt::format("left out: {} of the files and launches given", files.left_out.size()));
  }
  return notes;
}

}  // namespace nccl_sweep
