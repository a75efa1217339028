// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/baseline_files.hpp"

#include <fmt/format.h>

#include <set>

#include "cli/terminal.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::cli {

namespace fs = std::filesystem;

namespace {

// Beside the catalogue where installed, in results/ of the source tree.
fs::path shipped_baselines() {
  std::error_code ignored;
  const fs::path data = data_folder();
  const fs::path installed = data / "baselines";
  return fs::is_directory(installed, ignored) ? installed
                                              : data.parent_path() / kResultsFolder / "baselines";
}

}  // namespace

fs::path own_baselines() { return fs::path(kResultsFolder) / "baselines"; }

std::vector<fs::path> known_baselines() {
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  for (const fs::path& folder : {own_baselines(), shipped_baselines()}) {
    for (const fs::path& file : baseline_files(folder)) {
      std::error_code ignored;
      if (seen.insert(fs::weakly_canonical(file, ignored)).second) files.push_back(file);
    }
  }
  return files;
}

fs::path find_baseline(const std::string& named) {
  std::error_code ignored;
  if (fs::exists(named, ignored)) return named;
  std::vector<std::string> names;
  for (const fs::path& file : known_baselines()) {
    names.push_back(file.stem().string());
    if (named == names.back() || named == names.back() + ".json") return file;
  }
  const std::string hint = did_you_mean(named, names);
  throw usage_error("no baseline of this name, and no file", named,
                    hint.empty() ? "nccl-sweep baseline list shows those that are known" : hint);
}

}  // namespace nccl_sweep::cli
