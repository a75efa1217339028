// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/sbatch_run.hpp"

#include <string_view>

#include <fmt/format.h>

namespace nccl_sweep {
namespace {

std::string run_folder(const SbatchScript& s, const SbatchArray& array) {
  const std::string_view folder = array.tasks > 0 ? "$SLURM_ARRAY_JOB_ID" : "$SLURM_JOB_ID";
  // The last task has the array's own number: what is done to it is done to all tasks.
  const std::string_view job =
      array.tasks > 0 ? "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" : "$SLURM_JOB_ID";
  return fmt::format(R"sh(
# One folder a job, the same after a requeue.
first=${{1:-results/{}-{}{}}}
job={}
interrupted=130

how_to_go_on() {{  # NODES
  echo "to go on: sbatch --nodelist=$1{} \\"
  echo "            THIS_SCRIPT $run"
}}
)sh",
                     job_name(s.name), folder, array.suffix, job, array.again);
}

std::string command(const SbatchScript& s) {
  return fmt::format(R"sh(
program={}
run=$first
sweep=("$program" run {} --output)
other=
for ((more = 2; ; ++more)); do
  if [[ ! -s $run/records.jsonl ]]; then
    if [[ -n $other ]] && ((${{SLURM_RESTART_COUNT:-0}} > 0)); then
      echo "requeued onto other nodes, $SLURM_JOB_NODELIST: nothing was measured on them"
      run=$other
      how_to_go_on "$nodes_of_run"
      exit "$interrupted"
    fi
    sweep+=("$run")
    break
  fi
  nodes_of_run=$(head -n 1 "$run/records.jsonl" |
    sed -n 's/.*"SLURM_JOB_NODELIST":"\([^"]*\)".*/\1/p')
  if [[ $nodes_of_run == "$SLURM_JOB_NODELIST" ]]; then
    sweep=("$program" run --resume "$run"{}{})
    break
  fi
  echo "$run was measured on other nodes and is left as it is"
  other=$run
  run=$first-$more
done
)sh",
                     shell_word(s.program), shell_words(s.sweep),
                     s.resumed.empty() ? "" : " ", shell_words(s.resumed));
}

// A preemption (Slurm 22.05): with GraceTime the processes of all steps get TERM, the workers too,
// and this script nothing; a job that then ends has ended. Without it, or after it, Slurm requeues
// the job and sends TERM to this script as well.
std::string signals(const SbatchScript& s) {
  // On the same nodes there is nothing to wait for.
  const bool has_switches = !s.switches.empty() || !s.array_switches.empty();
  return fmt::format(R"sh(
says() {{ scontrol show job -o "$job" | sed -n "s/.* $1=\([^ ]*\).*/\1/p" || true; }}
same_nodes() {{
  scontrol update JobId="$job" ReqNodeList="$SLURM_JOB_NODELIST"{} 2>/dev/null ||
    echo "the job may get other nodes than $SLURM_JOB_NODELIST"
}}
is_requeued() {{
  local restarts
  restarts=$(says Restarts)
  ((${{restarts:-0}} > ${{SLURM_RESTART_COUNT:-0}}))
}}

# Slurm's signal {} s before the limit (USR1): the run ends after the trial that it is in. TERM is
# scancel's, or says that Slurm has requeued the job: KillWait is left to ask for the same nodes.
trials() {{ {{ grep -s '"record":"trial"' "$run/records.jsonl" || true; }} | wc -l; }}
before=$(trials)
limit=no
signalled=no
requeued=no
soft_stop() {{
  signalled=yes
  touch "$run/STOP" || echo "the run has no folder yet: it cannot be stopped" >&2
}}
on_term() {{
  soft_stop
  if is_requeued; then
    requeued=yes
    same_nodes
  fi
}}
trap 'limit=yes; soft_stop' USR1
trap on_term TERM
)sh",
                     has_switches ? " Switches=0" : "", s.notice_seconds);
}

constexpr std::string_view kSupervision = R"sh(
"${launch[@]}" "${sweep[@]}" &
launched=$!
while true; do
  signalled=no
  code=0
  wait "$launched" || code=$?
  if [[ $signalled == no ]]; then break; fi  # else it was the signal that ended the wait
done

requeue() {  # WHY
  trap '' TERM  # the requeue ends this script, and what comes next must still be done
  if scontrol requeue "$job" || is_requeued; then
    same_nodes
    echo "$1; requeued, to go on in $run"
  else
    echo "$1; the job could not be requeued"
    how_to_go_on "$SLURM_JOB_NODELIST"
  fi
  exit "$interrupted"
}

if [[ $requeued == yes ]]; then
  echo "Slurm requeued the job, to go on in $run"
  exit "$code"
fi
# With GraceTime the steps were sent TERM, not this script. Slurm does not requeue a job that ends.
if ((code != 0)) && [[ $(says JobState) == RUNNING && $(says PreemptTime) == [0-9]* ]]; then
  requeue preempted
fi
if [[ $limit == yes ]] && ((code == interrupted)); then
  if (($(trials) <= before)); then
    echo "not one trial fits into the time limit: give the job a longer --time" >&2
    exit "$code"
  fi
  requeue "stopped before the time limit"
fi
if ((code == interrupted)); then how_to_go_on "$SLURM_JOB_NODELIST"; fi
exit "$code"
)sh";

}  // namespace

std::string sbatch_run(const SbatchScript& s, const SbatchArray& array) {
  return run_folder(s, array) + command(s) + signals(s) + std::string(kSupervision);
}

}  // namespace nccl_sweep
