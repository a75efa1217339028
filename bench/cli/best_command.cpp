// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/settings_store.hpp"

namespace nccl_sweep::cli {
namespace {

struct Options {
  std::string fabric;
  std::string settings = std::string(kResultsFolder) + "/settings";
};

ExitCode best(const Options& options) {
  std::vector<FabricSettings> all = load_all_settings(options.settings);
  if (all.empty()) {
    throw usage_error("no settings are kept here", options.settings,
                      "nccl-sweep recommend RUN puts them here");
  }
  if (!options.fabric.empty()) {
    std::vector<std::string> known;
    for (const FabricSettings& settings : all) known.push_back(settings.fabric);
    std::erase_if(all, [&](const auto& settings) { return settings.fabric != options.fabric; });
    if (all.empty()) {
      throw usage_error(fmt::format("no settings for a fabric '{}'", options.fabric),
                        options.settings, did_you_mean(options.fabric, known));
    }
  }
  bool first = true;
  for (const FabricSettings& settings : all) {
    fmt::print("{}{}", first ? "" : "\n", to_text(settings_history(settings), colour_wanted()));
    first = false;
  }
  return ExitCode::ok;
}

}  // namespace

void add_best_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("best", "Show the best settings known per fabric, with their history");
  command->add_option("FABRIC", options->fabric, "name of the fabric (default: all)");
  command->add_option("--settings", options->settings, "folder of the best settings per fabric")
      ->capture_default_str();
  command->callback([options, &chosen] { chosen = [options] { return best(*options); }; });
}

}  // namespace nccl_sweep::cli
