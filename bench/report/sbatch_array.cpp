// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/sbatch_array.hpp"

#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nccl_sweep {
namespace {

// What the tasks of an array differ in.
struct Axis {
  std::string own;     // "leaf switches"
  std::string values;  // words of the shell
  std::string change;  // what of a held task is changed: $n is its value
  std::string_view functions = "";
  std::string_view submitted = "";  // once the job is there, held
  std::string_view each = "";       // before a task is changed
  std::string_view check = "";      // in the job: it must be what was asked for
};

constexpr std::string_view kLeaves = R"sh(
# The leaf switches and their nodes: "leaf1 node1".
leaves() {
  local name list
  scontrol show topology | sed -n 's/^SwitchName=\([^ ]*\) Level=0 .*Nodes=\([^ ]*\).*/\1 \2/p' |
    while read -r name list; do scontrol show hostnames "$list" | sed "s/^/$name /"; done
}
)sh";

// After the held job is there, and for each of its tasks.
constexpr std::string_view kNodesOfSwitches = R"sh(
  # A node of each leaf switch, of those with the most idle nodes first.
  partition=$(squeue -h -j "$job" -o %P | awk 'NR == 1')
  mapfile -t one < <(awk '
    NR == FNR { state[$2] = $1; next }
    $2 in state {
      idle[$1] += state[$2] == "idle"
      if (!($1 in one) || (state[$2] == "idle" && state[one[$1]] != "idle")) one[$1] = $2
    }
    END { for (leaf in one) print idle[leaf], one[leaf] }' \
    <(sinfo -h -r -N -p "$partition" -t idle,mixed,alloc,comp -o "%t %N") <(leaves) |
    sort -k 1,1nr -k 2 | cut -d " " -f 2))sh";

constexpr std::string_view kOneOfEach = R"sh(
    # To Slurm the number is the most. It is the least, too, where a node of each is asked for.
    count=${n%@*}
    if ((count > ${#one[@]})); then
      echo "$partition has nodes under ${#one[@]} leaf switches, not $count: nothing is submitted" >&2
      scancel "$job"
      exit 1
    fi
    wanted=
    if ((count > 1)); then wanted=$(IFS=,; echo "${one[*]:0:count}"); fi)sh";

constexpr std::string_view kPartitionCheck = R"sh(
if [[ $SLURM_JOB_PARTITION != "$this" ]]; then
  echo "this is partition $SLURM_JOB_PARTITION, not $this: start the script by bash" >&2
  exit 1
fi
)sh";

constexpr std::string_view kSwitchesCheck = R"sh(
count=$(awk 'NR == FNR { mine[$1]; next } $2 in mine { print $1 }' \
  <(scontrol show hostnames "$SLURM_JOB_NODELIST") <(leaves) | sort -u | wc -l)
if ((count != ${this%@*})); then
  echo "$SLURM_JOB_NODELIST: under $count leaf switches, not ${this%@*}; nothing was measured." >&2
  echo "Start the script by bash. Slurm gives more where it has waited for max_switch_wait." >&2
  exit 1
fi
)sh";

std::string start_of(const Axis& axis) {
  return fmt::format(
      "{}\n"
      "# One task of the array for each. Started by bash, the script submits itself: held, until\n"
      "# each task has its own {}.\n"
      "each=({})\n"
      "if [[ -z ${{SLURM_JOB_ID-}} ]]; then\n"
      "  job=$(sbatch --parsable --hold \"$0\" \"$@\")\n"
      "  job=${{job%%;*}}{}\n"
      "  for i in \"${{!each[@]}}\"; do\n"
      "    n=${{each[i]}}{}\n"
      "    scontrol update JobId=\"${{job}}_$i\" {}\n"
      "  done\n"
      "  scontrol release \"$job\"\n"
      "  echo \"submitted job $job: {} ${{each[*]}}\"\n"
      "  exit\n"
      "fi\n"
      "this=${{each[SLURM_ARRAY_TASK_ID]}}\n{}",
      axis.functions, axis.own, axis.values, axis.submitted, axis.each, axis.change, axis.own,
      axis.check);
}

SbatchArray over_nodes(const SbatchScript& s) {
  const std::string change = fmt::format(
      "NumNodes=\"$n-$n\" \\\n      NumTasks={0} NumCPUs={0}", agents_on(s, "n"));
  const Axis axis{"nodes", fmt::format("{}", fmt::join(s.array_nodes, " ")), change};
  return {"number of nodes", s.array_nodes.size(), start_of(axis), "-${this}nodes",
          " --nodes=$nodes --array=$SLURM_ARRAY_TASK_ID"};
}

SbatchArray over_partitions(const SbatchScript& s) {
  Axis axis{"partition", shell_words(s.array_partitions), "Partition=\"$n\""};
  axis.check = kPartitionCheck;
  return {"partition", s.array_partitions.size(), start_of(axis), "-$this",
          " --partition=$this --array=$SLURM_ARRAY_TASK_ID"};
}

SbatchArray over_switches(const SbatchScript& s) {
  Axis axis{"leaf switches", shell_words(s.array_switches),
            "Switches=\"$n\" ReqNodeList=\"$wanted\""};
  axis.functions = kLeaves;
  axis.submitted = kNodesOfSwitches;
  axis.each = kOneOfEach;
  axis.check = kSwitchesCheck;
  return {"number of leaf switches", s.array_switches.size(), start_of(axis),
          "-${this%@*}switches", " --switches=$this --array=$SLURM_ARRAY_TASK_ID"};
}

}  // namespace

int switch_count(const std::string& text) {
  static const std::regex form("([1-9][0-9]{0,4})(@([0-9]+-)?[0-9]+(:[0-9]+){0,2})?");
  std::smatch parts;
  return std::regex_match(text, parts, form) ? std::stoi(parts[1]) : 0;
}

SbatchArray sbatch_array(const SbatchScript& s) {
  if (!s.array_nodes.empty()) return over_nodes(s);
  if (!s.array_partitions.empty()) return over_partitions(s);
  return s.array_switches.empty() ? SbatchArray{} : over_switches(s);
}

std::string agents_on(const SbatchScript& s, std::string_view nodes) {
  if (s.agents_per_node == 1) return fmt::format("\"${}\"", nodes);
  return fmt::format("\"$(({} * {}))\"", nodes, s.agents_per_node);
}

}  // namespace nccl_sweep
