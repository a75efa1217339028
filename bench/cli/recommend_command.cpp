// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/run_report.hpp"
#include "report/settings_files.hpp"
#include "report/settings_store.hpp"
#include "report/whole_file.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string run;
  std::string output;
  std::string settings = std::string(kResultsFolder) + "/settings";
  bool allow_regressions = false;
};

ExitCode recommend_settings(const Options& options) {
  const fs::path folder = run_folder(options.run);
  const RunData data = read_run(folder);
  const RunFindings findings = find(data);
  const Recommendation found =
      recommend(data, findings, {.allow_regressions = options.allow_regressions});
  if (findings.design == Design::baseline_only) {
    throw usage_error("nothing was varied in this run, so there is nothing to recommend",
                      folder.string(), "recommend needs a run made with --vary or a sweep spec");
  }
  if (const std::string why = why_not_comparable(data, findings); !why.empty()) {
    throw usage_error(why, folder.string());
  }
  const std::string name = fs::absolute(folder).filename().string();
  for (const std::string& line : conclusion_lines(data, findings, found)) {
    fmt::print("{}\n", line);
  }
  fmt::print("\n");
  const fs::path output = options.output.empty() ? folder : fs::path(options.output);
  for (const SettingsFile& file : settings_files(data, findings, found, name)) {
    write_whole_file(output / file.name, file.content);
    fmt::print("wrote {}\n", (output / file.name).string());
  }
  const fs::path kept = remember_setting(options.settings, data.run.fabric.name,
                                         settings_entry(data, findings, found, name));
  fmt::print("wrote {}\n", kept.string());
  return ExitCode::ok;
}

}  // namespace

void add_recommend_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "recommend", "Write the best setting of a run as files for jobs, or keep the default");
  command->add_option("RUN", options->run, "run folder (default: the newest under ./results)");
  command->add_option("-o,--output", options->output, "folder for the files (default: RUN)");
  command->add_option("--settings", options->settings, "folder of the best settings per fabric")
      ->capture_default_str();
  command->add_flag("--allow-regressions", options->allow_regressions,
                    "also a winner that makes a case of the workload slower, or failed once");
  command->callback(
      [options, &chosen] { chosen = [options] { return recommend_settings(*options); }; });
}

}  // namespace nccl_sweep::cli
