// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "analysis/baseline_of_run.hpp"
#include "cli/baseline_files.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "core/records.hpp"
#include "report/baseline_tables.hpp"
#include "report/whole_file.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  std::string run;
  std::string output;
  bool anyway = false;
  bool replace = false;
};

ExitCode list() {
  std::vector<BaselineFile> files;
  for (const fs::path& file : known_baselines()) files.push_back(load_baseline(file));
  if (files.empty()) {
    throw usage_error("no baselines are known", own_baselines().string(),
                      "nccl-sweep baseline make RUN makes one from a good run");
  }
  fmt::print("{}", to_text(baseline_list(files), colour_wanted()));
  return ExitCode::ok;
}

ExitCode show(const std::string& name) {
  const BaselineFile file = load_baseline(find_baseline(name));
  bool first = true;
  for (const Table& table : baseline_tables(file)) {
    fmt::print("{}{}", first ? "" : "\n", to_text(table, colour_wanted()));
    first = false;
  }
  const std::vector<std::string> lines = contradiction_lines(file);
  if (!lines.empty()) fmt::print("\n{}\n", fmt::join(lines, "\n"));
  return ExitCode::ok;
}

ExitCode check(const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const std::string& name : names) files.push_back(find_baseline(name));
  if (names.empty()) files = known_baselines();
  for (const fs::path& path : files) {
    const BaselineFile file = load_baseline(path);
    std::int64_t figures = 0;
    for (const BaselineSeries& series : file.series) {
      figures += static_cast<std::int64_t>(series.figures.size());
    }
    fmt::print("{}: good, {} of {}\n", path.string(), counted(figures, "figure"),
               counted(static_cast<std::int64_t>(file.sources.size()), "source"));
  }
  return ExitCode::ok;
}

ExitCode make(const MakeOptions& options) {
  const fs::path folder = run_folder(options.run);
  const RunData data = read_run(folder);
  const std::vector<std::string> doubts = doubts_about(data);
  if (!doubts.empty() && !options.anyway) {
    throw usage_error(fmt::format("not a run to hold others against: {}", fmt::join(doubts, "; ")),
                      folder.string(),
                      data.run.imported ? "import more launches, or --anyway"
                                        : "run more rounds, or --anyway");
  }
  const fs::path output = options.output.empty()
                              ? own_baselines() / (data.run.fabric.name + ".json")
                              : fs::path(options.output);
  BaselineFile file = baseline_of_run(data, output.stem().string());
  if (!doubts.empty()) file.sources.front().note = fmt::format("{}", fmt::join(doubts, "; "));
  std::error_code ignored;
  if (fs::exists(output, ignored) && !options.replace) {
    throw usage_error("there is a baseline already", output.string(),
                      "--replace writes it anew, -o FILE writes another");
  }
  write_whole_file(output, to_json_text(file));
  fmt::print("wrote {}\n", output.string());
  fmt::print(stderr, "next: nccl-sweep compare RUN --baseline {}\n", output.string());
  return ExitCode::ok;
}

void add_make(CLI::App& parent, Chosen& chosen) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App* command = parent.add_subcommand("make", "Make a baseline of a good run's default");
  command->add_option("RUN", options->run, "run folder (default: the newest under ./results)");
  command->add_option("-o,--output", options->output,
                      "file (default: results/baselines/FABRIC.json)");
  command->add_flag("--replace", options->replace, "write over a file that is there");
  command->add_flag(
      "--anyway", options->anyway,
      "also of a run with failures, few launches or unverified data; noted in the file");
  command->callback([options, &chosen] { chosen = [options] { return make(*options); }; });
}

}  // namespace

void add_baseline_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "baseline", "Reference busbw: what is known, and making one of your own good run");
  command->require_subcommand(1);
  add_make(*command, chosen);
  command->add_subcommand("list", "What is known: fabrics, figures, classes")->callback([&chosen] {
    chosen = [] { return list(); };
  });
  auto name = std::make_shared<std::string>();
  CLI::App* shown =
      command->add_subcommand("show", "Figures of one, with sources and contradictions");
  shown->add_option("NAME", *name, "file, or a name from the list")->required();
  shown->callback([name, &chosen] { chosen = [name] { return show(*name); }; });
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* checked = command->add_subcommand("check", "Do these files read well?");
  checked->add_option("NAME", *names, "files, or names from the list (default: all known)");
  checked->callback([names, &chosen] { chosen = [names] { return check(*names); }; });
}

}  // namespace nccl_sweep::cli
