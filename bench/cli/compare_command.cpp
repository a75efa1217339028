// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analysis/baseline_comparison.hpp"
#include "analysis/baseline_of_run.hpp"
#include "cli/baseline_files.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/comparison_report.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string run;
  std::string baseline = "auto";
  std::string workload;
  std::string format = "text";
  CompareOptions compare;
};

bool is_run(const std::string& named) {
  std::error_code ignored;
  return fs::path(named).filename() == kRecordFile || fs::is_directory(named, ignored);
}

std::vector<BaselineFile> baselines_named(const std::string& named) {
  std::vector<BaselineFile> files;
  if (named == "auto") {
    for (const fs::path& file : known_baselines()) files.push_back(load_baseline(file));
    return files;
  }
  if (is_run(named)) {
    files.push_back(baseline_of_run(read_run(run_folder(named)), named));
  } else {
    files.push_back(load_baseline(find_baseline(named)));
  }
  return files;
}

ExitCode exit_code(Standing standing) {
  switch (standing) {
    case Standing::pass:
      return ExitCode::ok;
    case Standing::fail:
      return ExitCode::below_threshold;
    case Standing::undecided:
    case Standing::not_comparable:
      break;
  }
  return ExitCode::undecided;
}

ExitCode compare(const Options& options) {
  const ReportFormat format = parse_report_format(options.format);
  const RunData data = read_run(run_folder(options.run));
  CompareOptions wanted = options.compare;
  wanted.matching_only = options.baseline == "auto";
  if (!options.workload.empty()) wanted.workload = load_workload(options.workload).cases;
  const BaselineComparison comparison =
      compare_with_baselines(data, baselines_named(options.baseline), wanted);
  fmt::print("{}", render_comparison(data.run, comparison, format, colour_wanted()));
  return exit_code(comparison.standing);
}

}  // namespace

void add_compare_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "Is this fabric as fast as a reference? Exit code 0 yes, 4 no, 5 undecided");
  command->add_option("RUN", options->run, "run folder (default: the newest under ./results)");
  command
      ->add_option(
          "--baseline", options->baseline,
          "a file, a name from `baseline list`, another run's folder, or auto: all that is "
          "known of this fabric")
      ->capture_default_str();
  command
      ->add_option("--threshold", options->compare.rule.threshold,
                   "share of the reference's busbw to be reached")
      ->check(CLI::Range(0.01, 10.0))
      ->capture_default_str();
  command->add_option("--workload", options->workload,
                      "weigh the sizes by the calls of this workload file (default: the run's own "
                      "workload, else the geometric mean of the sizes from 1 MiB on)");
  command->add_flag("--single", options->compare.rule.single_launch,
                    "judge fewer than 3 launches by their value alone");
  command->add_flag("--all-classes", options->compare.all_classes,
                    "floors, expert statements and derived figures decide too");
  command->add_flag("--any-nccl", options->compare.any_nccl,
                    "compare different NCCL versions: before and after an upgrade");
  command->add_option("--format", options->format, "text, markdown, csv or json")
      ->capture_default_str();
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace nccl_sweep::cli
