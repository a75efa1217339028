// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/sbatch_script.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/sbatch_array.hpp"
#include "report/sbatch_run.hpp"

namespace nccl_sweep {
namespace {

std::string head(const SbatchScript& s, const SbatchArray& array) {
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# shellcheck disable=SC2016,SC2054,SC2317\n"
      "# Written by: {}\n"
      "# Planned: {}\n"
      "#\n",
      s.command, s.plan);
  if (array.tasks > 0) {
    text += fmt::format("#   bash THIS_SCRIPT                starts a sweep for each {}\n",
                        array.word);
  } else {
    text += "#   sbatch THIS_SCRIPT              starts the sweep\n";
  }
  return text +
         "#   sbatch ... THIS_SCRIPT FOLDER   goes on with a run that was stopped; the job that was\n"
         "#                                   stopped says how\n"
         "#\n";
}

std::string directives(const SbatchScript& s, const SbatchArray& array) {
  std::vector<std::string> options{fmt::format("job-name={}", job_name(s.name)),
                                   fmt::format("nodes={}", s.nodes),
                                   fmt::format("ntasks-per-node={}", s.agents_per_node)};
  if (s.gpus_per_node > 0) options.push_back(fmt::format("gpus-per-node={}", s.gpus_per_node));
  // Of an array the first value: the default partition may refuse the job, and its tasks take over
  // how long Slurm waits for switches.
  const std::string& partition =
      s.array_partitions.empty() ? s.partition : s.array_partitions.front();
  const std::string& switches = s.array_switches.empty() ? s.switches : s.array_switches.front();
  if (!partition.empty()) options.push_back("partition=" + partition);
  if (!s.account.empty()) options.push_back("account=" + s.account);
  if (!switches.empty()) options.push_back("switches=" + switches);
  if (array.tasks > 0) options.push_back(fmt::format("array=0-{}", array.tasks - 1));
  options.insert(options.end(),
                 {"exclusive", "mem=0",
                  fmt::format("time={:02}:{:02}:00", s.minutes / 60, s.minutes % 60),
                  fmt::format("signal=B:USR1@{}", s.notice_seconds), "requeue",
                  "open-mode=append",
                  array.tasks > 0 ? "output=%x-%A_%a.out" : "output=%x-%j.out"});
  std::string text;
  for (const std::string& option : options) text += "#SBATCH --" + option + "\n";
  return text + "set -euo pipefail\n";
}

std::string environment(const SbatchScript& s) {
  std::string text =
      "\n"
      "# After sbatch --export=NONE the steps would start without PATH.\n"
      "export SLURM_EXPORT_ENV=ALL\n"
      "\n"
      "# On each node's own disk: what is staged there, what workers print. The job's own folder where\n"
      "# the site makes one; that of the login node may not be here.\n"
      "export TMPDIR=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}\n"
      "if [[ ! -d $TMPDIR ]]; then TMPDIR=/tmp; fi\n"
      "\n"
      "# Agents talk over TCP, so that a fabric that hangs under test cannot hang what watches it.\n"
      "# Where the fabric has IP addresses too (ib0), name the other network:\n"
      "# export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0\n"
      "export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} OMPI_MCA_btl=${OMPI_MCA_btl:-self,tcp}\n"
      "export OMPI_MCA_coll_hcoll_enable=0 OMPI_MCA_coll_ucc_enable=0\n";
  if (s.container != Container::none) {
    text += fmt::format("\nexport NCCL_SWEEP_CONTAINER={}  # for the record\n",
                        shell_word(s.image));
  }
  return text;
}

// Which nodes, and how a command is started on all of them.
std::string launch(const SbatchScript& s) {
  std::string text = "\n# No CPU binding: agents bind their workers, which need room for NCCL's threads.\n";
  if (s.array_nodes.empty()) {
    text += "nodes=$SLURM_JOB_NUM_NODES\n";
  } else {
    text += "nodes=$this  # of more, where the script was submitted by sbatch\n";
  }
  if (s.launcher == SlurmLauncher::mpirun) {
    return text + fmt::format("launch=(mpirun -np {} --map-by ppr:{}:node --bind-to none)\n",
                              agents_on(s, "nodes"), s.agents_per_node);
  }
  return text + fmt::format("launch=(srun --mpi=pmix --cpu-bind=none --nodes=\"$nodes\"\n"
                            "        --ntasks={} --ntasks-per-node={})\n",
                            agents_on(s, "nodes"), s.agents_per_node);
}

std::string expected_files(const SbatchScript& s) {
  std::string text =
      "\n"
      "# Files that NCCL reads. Where a variable or its file does not reach the ranks, NCCL goes on\n"
      "# without a word, 2 to 4 times slower.\n"
      "files=()\n"
      "for name in NCCL_TOPO_FILE NCCL_GRAPH_FILE NCCL_CONF_FILE NCCL_TUNER_CONFIG_FILE; do\n"
      "  if [[ -n ${!name-} ]]; then files+=(\"$name=${!name}\"); fi\n"
      "done\n"
      "for file in \"$HOME/.nccl.conf\" /etc/nccl.conf; do\n"
      "  if [[ -e $file ]]; then files+=(\"=$file\"); fi\n"
      "done\n";
  if (s.container == Container::none) return text;
  return text + fmt::format(
                    "mounts=(\"$PWD\" \"$TMPDIR\"{}{})\n"
                    "for file in \"${{files[@]}}\"; do mounts+=(\"${{file#*=}}\"); done\n",
                    s.mounts.empty() ? "" : " ", shell_words(s.mounts));
}

// What is put between the launcher and the program.
std::string container(const SbatchScript& s) {
  constexpr std::string_view kJoin =
      "\n"
      "# \"/a\" is mounted as /a:/a.\n"
      "for i in \"${!mounts[@]}\"; do\n"
      "  if [[ ${mounts[i]} != *:* ]]; then mounts[i]+=:${mounts[i]}; fi\n"
      "done\n"
      "joined=$(IFS=,; echo \"${mounts[*]}\")\n";
  if (s.container == Container::none) return {};
  if (s.container == Container::pyxis) {
    return fmt::format(
        "{}"
        "launch+=(--container-image={} --container-mounts=\"$joined\"\n"
        "         --container-workdir=\"$PWD\")\n"
        "# What the image sets would win over the job's own variables.\n"
        "names=$(compgen -e | grep -E '^(NCCL|UCX|SHARP)_' | paste -sd, || true)\n"
        "if [[ -n $names ]]; then launch+=(--container-env=\"$names\"); fi\n",
        kJoin, shell_word(s.image));
  }
  const bool apptainer = s.container == Container::apptainer;
  return fmt::format("{}launch+=({} exec{} --pwd \"$PWD\" --bind \"$joined\" {})\n", kJoin,
                     apptainer ? "apptainer" : "singularity", s.gpus_per_node > 0 ? " --nv" : "",
                     shell_word(s.image));
}

constexpr std::string_view kCheck = R"sh(
check='
for item in "$@"; do
  name=${item%%=*}
  file=${item#*=}
  if [ -n "$name" ] && [ "$(printenv "$name")" != "$file" ]; then
    echo "$(hostname): $name=$file did not arrive here" >&2
    exit 2
  fi
  if [ ! -r "$file" ]; then
    echo "$(hostname): ${name:+$name: }$file cannot be read here" >&2
    exit 2
  fi
done'
if ((${#files[@]} > 0)) && ! "${launch[@]}" sh -c "$check" sh "${files[@]}"; then
  echo "nothing was measured: make these files and variables reach every node" >&2
  exit 2
fi
)sh";

}  // namespace

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:,=+@%^").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string shell_words(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(shell_word(text));
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::string job_name(std::string_view text) {
  std::string name(text.empty() ? "sweep" : text);
  for (char& c : name) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (!fine) c = '-';
  }
  return name;
}

std::string to_text(const SbatchScript& s) {
  const SbatchArray array = sbatch_array(s);
  return head(s, array) + directives(s, array) + array.start + environment(s) + launch(s) +
         expected_files(s) + container(s) + std::string(kCheck) + sbatch_run(s, array);
}

}  // namespace nccl_sweep
