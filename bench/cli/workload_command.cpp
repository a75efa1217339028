// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/collective.hpp"
#include "core/units.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep::cli {
namespace {

struct WorkloadOptions {
  std::vector<std::string> files;
  std::string output;
  std::string name;
  ReadOptions read;
};

using Row = std::array<std::string, 8>;

Row row_of(const WorkloadCase& it, double total) {
  const double bytes = it.calls * static_cast<double>(it.bytes.value);
  return {std::string(to_string(it.collective)),
          std::string(to_string(it.dtype)),
          reduces(it.collective) ? std::string(to_string(it.op)) : "-",
          it.group_stride > 0 ? fmt::format("{}/{}", it.group_stride, it.group_size)
                              : fmt::format("?/{}", it.group_size),
          fmt::format("{:g}", it.calls),
          std::to_string(it.bytes.value),
          format_size({static_cast<std::int64_t>(std::min(bytes, 9e18))}),
          fmt::format("{:.1f} %", total > 0 ? 100 * bytes / total : 0.0)};
}

void print_table(const Workload& workload) {
  double total = 0;
  for (const WorkloadCase& it : workload.cases) {
    total += it.calls * static_cast<double>(it.bytes.value);
  }
  const std::string per = workload.iterations > 0 ? "bytes/iteration" : "bytes in all";
  std::vector<Row> rows{
      {"collective", "dtype", "op", "group", "calls", "bytes each", per, "share"}};
  for (const WorkloadCase& it : workload.cases) rows.push_back(row_of(it, total));
  std::array<std::size_t, 8> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {:>{}}\n", row[0], width[0],
               row[1], width[1], row[2], width[2], row[3], width[3], row[4], width[4], row[5],
               width[5], row[6], width[6], row[7], width[7]);
  }
}

void print_workload(const Workload& workload) {
  for (const WorkloadSource& source : workload.sources) {
    const std::string rank =
        source.rank >= 0 ? fmt::format("rank {}", source.rank) : "rank unknown";
    fmt::print("{}: {}, {}, {}\n", source.file, source.format, source.producer, rank);
  }
  if (workload.iterations > 0) {
    fmt::print("calls per iteration, from {:g} iterations", workload.iterations);
  } else {
    fmt::print("calls of the whole run");
  }
  if (workload.world_size > 0) fmt::print("; the job has {} ranks", workload.world_size);
  fmt::print("; group is stride/size, bytes are nccl-tests' size\n\n");
  print_table(workload);
  if (!workload.notes.empty()) fmt::print("\nnotes\n");
  for (const std::string& note : workload.notes) fmt::print("  {}\n", note);
}

ExitCode run_workload(const WorkloadOptions& options) {
  // A trace may take minutes to read; an output that cannot be written fails before that.
  if (!options.output.empty()) check_writable(options.output);
  const std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  Workload workload = read_traces(files, options.read);
  if (!options.name.empty()) workload.name = options.name;
  if (!options.output.empty()) save_workload(workload, options.output);
  print_workload(workload);
  if (!options.output.empty()) {
    fmt::print(stderr, "\nwritten: {}\nnext: nccl-sweep run SPEC --workload {}\n", options.output,
               options.output);
  }
  return ExitCode::ok;
}

}  // namespace

void add_workload_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("workload", "Read what a job sends from its profiler traces or NCCL logs");
  auto options = std::make_shared<WorkloadOptions>();
  command
      ->add_option("files", options->files,
                   "PyTorch profiler (Kineto) traces or NCCL_DEBUG COLL logs of one job, plain or "
                   "gzip; one file a rank, one rank is enough")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Write the workload to this file")
      ->type_name("FILE");
  command->add_option("--name", options->name, "Name of the workload (default: the file's)");
  command
      ->add_option("--iters", options->read.iterations,
                   "Iterations that the files cover, where they do not mark them")
      ->check(CLI::PositiveNumber);
  command->add_flag("--keep-partial", options->read.keep_partial,
                    "Read a truncated file as far as it goes");
  command->callback([options, &chosen] { chosen = [options] { return run_workload(*options); }; });
}

}  // namespace nccl_sweep::cli
