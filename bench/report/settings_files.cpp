// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/settings_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/rank_order.hpp"
#include "report/run_report.hpp"
#include "report/table_words.hpp"

namespace nccl_sweep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::string nccl_version(const RunRecord& run) {
  const auto found = run.fabric.versions.find("nccl");
  return found == run.fabric.versions.end() ? "" : found->second;
}

std::optional<std::string> assignment_of(const Candidate& candidate, const std::string& name) {
  for (const auto& [knob, value] : candidate.assignments) {
    if (knob == name) return value;
  }
  return std::nullopt;
}

// Variables of the site that the run kept as they were: the verdict holds with them in place.
std::vector<std::string> site_lines(const RunRecord& run, const Candidate& setting) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : run.environment) {
    const auto varied = assignment_of(setting, name);
    const bool tried = std::any_of(
        run.candidates.begin(), run.candidates.end(),
        [&, key = name](const Candidate& c) { return assignment_of(c, key).has_value(); });
    if (varied) {
      if (*varied == value) continue;
      lines.push_back(fmt::format("replaces {}={} of the site's environment", name, value));
    } else if (!tried) {
      lines.push_back(
          fmt::format("measured with {}={} of the site's environment, not varied", name, value));
    } else if (setting.is_baseline()) {
      lines.push_back(fmt::format("the default is the site's {}={}", name, value));
    } else {
      lines.push_back(fmt::format("keeps the site's {}={}; other values were tried", name, value));
    }
  }
  return lines;
}

// How a job comes to an assignment that is no variable.
std::string way_to(const std::string& knob, const std::string& value) {
  if (knob == "nccl_library") return "advisory";
  if (knob == kRankOrder) {
    return fmt::format("srun --distribution={}, mpirun --map-by {}", value,
                       value == "cyclic" ? "node" : "slot");
  }
  if (knob == kNodeOrder) {
    return fmt::format("nodes {}, as mpirun --hostfile or srun --distribution=arbitrary take them",
                       value == "by_switch" ? "leaf switch by leaf switch"
                                            : "from the leaf switches in turn");
  }
  return "needs a change in the job";
}

std::vector<std::string> comment_lines(const RunData& data, const RunFindings& findings,
                                       const Recommendation& found, std::string_view run_name) {
  const RunRecord& run = data.run;
  const Candidate& setting = run.candidates[index(found.candidate)];
  std::vector<std::string> lines;
  if (run.simulated) {
    lines.emplace_back("SIMULATED: from a model of a fabric, not from hardware. Do not use.");
  }
  lines.push_back(fmt::format("nccl-sweep {}, {}run {}{}", run.version,
                              run.imported ? "imported " : "", run_name,
                              run.started.empty() ? "" : " of " + run.started));
  const std::string nccl = nccl_version(run);
  lines.push_back(fmt::format("fabric {}, {}, {}workload {}", run.fabric.name,
                              counted(run.ranks, "rank"),
                              nccl.empty() ? "" : fmt::format("NCCL {}, ", nccl),
                              run.workload ? run.workload->name : "none: sizes of the spec"));
  for (const std::string& line : conclusion_lines(data, findings, found)) lines.push_back(line);
  for (const auto& [name, value] : other_assignments(setting)) {
    lines.push_back(
        fmt::format("not set by this file: {}={} ({}; without it the verdict does not hold)", name,
                    value, way_to(name, value)));
  }
  for (const std::string& line : site_lines(run, setting)) lines.push_back(line);
  lines.push_back(
      fmt::format("expires with another NCCL{}, another driver or other nodes: measure again",
                  nccl.empty() ? "" : " than " + nccl));
  return lines;
}

std::string commented(const std::vector<std::string>& lines, bool without_equals) {
  std::string text;
  for (std::string line : lines) {
    // NCCL's conf reader takes any line with '=' in it for a setting, '#' or not, in old versions.
    if (without_equals) std::replace(line.begin(), line.end(), '=', ':');
    text += "# " + line + "\n";
  }
  return text;
}

std::string launch_lines(const Assignments& assignments) {
  std::string sbatch = "# in the batch script, before srun:\n";
  std::string options;
  for (const auto& [name, value] : assignments) {
    if (value == kUnset) {
      sbatch += fmt::format("unset {}\n", name);
      continue;
    }
    sbatch += fmt::format("export {}={}\n", name, shell_quoted(value));
    options += fmt::format(" -x {}", shell_quoted(fmt::format("{}={}", name, value)));
  }
  if (assignments.empty()) return "# no variables to add to srun or mpirun\n";
  return sbatch + "# srun --export=NONE or a container may drop them: check inside the job\n" +
         fmt::format("# with Open MPI:\n# mpirun{} ...\n", options);
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kHarmless =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,+-@%=";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::vector<SettingsFile> settings_files(const RunData& data, const RunFindings& findings,
                                         const Recommendation& found, std::string_view run_name) {
  const std::vector<std::string> comments = comment_lines(data, findings, found, run_name);
  const Assignments assignments =
      environment_assignments(data.run.candidates[index(found.candidate)]);
  std::string env = commented(comments, false);
  std::string shell = commented(comments, false);
  std::string conf = commented(comments, true);
  for (const auto& [name, value] : assignments) {
    if (value == kUnset) {
      env += fmt::format("# {} must not be set\n", name);
      shell += fmt::format("unset {}\n", name);
      conf += fmt::format("# {} must not be set\n", name);
      continue;
    }
    env += fmt::format("{}={}\n", name, value);
    shell += fmt::format("export {}={}\n", name, shell_quoted(value));
    if (name.starts_with("NCCL_")) conf += fmt::format("{}={}\n", name, value);
  }
  return {{"recommended.env", env},
          {"recommended.sh", shell},
          {"nccl.conf", conf},
          {"recommended.launch", commented(comments, false) + launch_lines(assignments)}};
}

}  // namespace nccl_sweep
