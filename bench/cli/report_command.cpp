// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/run_report.hpp"

namespace nccl_sweep::cli {
namespace {

struct Options {
  std::string run;
  std::string format = "text";
  bool all = false;
};

ExitCode report(const Options& options) {
  ReportOptions wanted;
  wanted.format = parse_report_format(options.format);
  wanted.colour = colour_wanted();
  wanted.all_settings = options.all;
  fmt::print("{}", render_report(read_run(run_folder(options.run)), wanted));
  return ExitCode::ok;
}

}  // namespace

void add_report_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "Show a run: busbw per size, verdicts, failures, the best setting");
  command->add_option("RUN", options->run, "run folder (default: the newest under ./results)");
  command->add_option("--format", options->format, "text, markdown, csv, json or nccl-tests")
      ->capture_default_str();
  command->add_flag("--all", options->all,
                    "text and markdown: rows of every setting at every size");
  command->callback([options, &chosen] { chosen = [options] { return report(*options); }; });
}

}  // namespace nccl_sweep::cli
