// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/version.hpp"
#include "importing/imported_run.hpp"
#include "report/whole_file.hpp"

namespace nccl_sweep::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string output;
  std::string collective;
  std::vector<std::string> candidates;
  ImportOptions read;
};

void print_settings(const RunData& data) {
  for (std::size_t c = 0; c < data.run.candidates.size(); ++c) {
    std::int64_t complete = 0;
    std::int64_t failed = 0;
    for (const TrialOutcome& trial : data.trials) {
      if (trial.order.candidate != static_cast<int>(c)) continue;
      ++(trial.outcome == Outcome::complete ? complete : failed);
    }
    fmt::print("  {}: {}", name_of(data.run.candidates[c]), counted(complete, "trial"));
    if (failed > 0) fmt::print(", {} failed", failed);
    fmt::print("\n");
  }
}

void print_summary(const ImportedFiles& files, const RunData& data) {
  const RunRecord& run = data.run;
  fmt::print("{}, {}, {}\n", run.fabric.name, counted(run.ranks, "rank"),
             counted(static_cast<std::int64_t>(run.cases.size()), "case"));
  print_settings(data);
  for (const std::string& note : run.notes) fmt::print("note    {}\n", note);
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, files.left_out.size()); ++i) {
    fmt::print("left out  {}: {}\n", files.left_out[i].where, files.left_out[i].why);
  }
  if (files.left_out.size() > kShown) {
    fmt::print("left out  and {} more\n", files.left_out.size() - kShown);
  }
}

ExitCode import_files(const Options& options, const std::vector<std::string>& argv) {
  const fs::path records = fs::path(options.output) / kRecordFile;
  std::error_code ignored;
  if (fs::exists(records, ignored)) {
    throw usage_error("there is a run already", records.string(), "name another folder with -o");
  }
  ImportOptions read = options.read;
  if (!options.collective.empty()) {
    read.collective = parse_collective(options.collective, "--collective");
  }
  ImportedRunOptions about;
  for (const std::string& text : options.candidates) {
    about.settings.push_back(parse_named_setting(text));
  }
  about.version = kVersion;
  about.argv = argv;
  about.name = fs::path(options.output).lexically_normal().filename().string();
  if (about.name.empty()) {
    about.name = fs::path(options.output).lexically_normal().parent_path().filename().string();
  }
  const std::vector<fs::path> inputs(options.files.begin(), options.files.end());
  const ImportedFiles files = read_launches(inputs, read);
  RunData data;
  write_whole_file(records, [&](std::ostream& out) {
    data = write_run(files, about, [&](std::string_view lines) { out << lines; });
  });
  print_summary(files, data);
  fmt::print(stderr, "\nwritten: {}\nnext: nccl-sweep report {}\n", records.string(),
             options.output);
  return ExitCode::ok;
}

}  // namespace

void add_import_command(CLI::App& app, Chosen& chosen, const std::vector<std::string>& argv) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "import", "Make a run of nccl-tests' or rccl-tests' output, to judge it again");
  command
      ->add_option("files", options->files,
                   "text (also under mpirun, srun, Kubernetes) or JSON (-J) of any version, plain "
                   "or gzip; a folder stands for all files in it")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Folder of the new run")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--candidate", options->candidates,
                   "Setting of the launches, where they do not tell it: NAME=VALUE, or "
                   "TEXT:NAME=VALUE for files with TEXT in their path; the setting with the "
                   "fewest variables, or the first, is the default")
      ->type_name("SETTING")
      ->allow_extra_args(false);  // what follows is a file
  command->add_option("--collective", options->collective,
                      "What ran, where neither the text nor the file's name tells it");
  command->add_option("--ranks", options->read.ranks, "How many ranks, where they are not listed")
      ->check(CLI::Range(2, 1 << 24));
  command->callback([options, &chosen, &argv] {
    chosen = [options, &argv] { return import_files(*options, argv); };
  });
}

}  // namespace nccl_sweep::cli
