#!/bin/bash
# shellcheck disable=SC2016,SC2054,SC2317
# Written by: nccl-sweep sbatch sweeps/ib-qps.json --nodes 64 --gpus-per-node 8
# Planned: 7 candidates x 20 cases, about 46 trials (40 to 76), at most 31 min
#
#   bash THIS_SCRIPT                starts a sweep for each number of leaf switches
#   sbatch ... THIS_SCRIPT FOLDER   goes on with a run that was stopped; the job that was
#                                   stopped says how
#
#SBATCH --job-name=ib-qps
#SBATCH --nodes=64
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --switches=1@2:00:00
#SBATCH --array=0-2
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=01:45:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%A_%a.out
set -euo pipefail

# The leaf switches and their nodes: "leaf1 node1".
leaves() {
  local name list
  scontrol show topology | sed -n 's/^SwitchName=\([^ ]*\) Level=0 .*Nodes=\([^ ]*\).*/\1 \2/p' |
    while read -r name list; do scontrol show hostnames "$list" | sed "s/^/$name /"; done
}

# One task of the array for each. Started by bash, the script submits itself: held, until
# each task has its own leaf switches.
each=(1@2:00:00 2 4)
if [[ -z ${SLURM_JOB_ID-} ]]; then
  job=$(sbatch --parsable --hold "$0" "$@")
  job=${job%%;*}
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
    sort -k 1,1nr -k 2 | cut -d " " -f 2)
  for i in "${!each[@]}"; do
    n=${each[i]}
    # To Slurm the number is the most. It is the least, too, where a node of each is asked for.
    count=${n%@*}
    if ((count > ${#one[@]})); then
      echo "$partition has nodes under ${#one[@]} leaf switches, not $count: nothing is submitted" >&2
      scancel "$job"
      exit 1
    fi
    wanted=
    if ((count > 1)); then wanted=$(IFS=,; echo "${one[*]:0:count}"); fi
    scontrol update JobId="${job}_$i" Switches="$n" ReqNodeList="$wanted"
  done
  scontrol release "$job"
  echo "submitted job $job: leaf switches ${each[*]}"
  exit
fi
this=${each[SLURM_ARRAY_TASK_ID]}

count=$(awk 'NR == FNR { mine[$1]; next } $2 in mine { print $1 }' \
  <(scontrol show hostnames "$SLURM_JOB_NODELIST") <(leaves) | sort -u | wc -l)
if ((count != ${this%@*})); then
  echo "$SLURM_JOB_NODELIST: under $count leaf switches, not ${this%@*}; nothing was measured." >&2
  echo "Start the script by bash. Slurm gives more where it has waited for max_switch_wait." >&2
  exit 1
fi

# After sbatch --export=NONE the steps would start without PATH.
export SLURM_EXPORT_ENV=ALL

# On each node's own disk: what is staged there, what workers print. The job's own folder where
# the site makes one; that of the login node may not be here.
export TMPDIR=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}
if [[ ! -d $TMPDIR ]]; then TMPDIR=/tmp; fi

# Agents talk over TCP, so that a fabric that hangs under test cannot hang what watches it.
# Where the fabric has IP addresses too (ib0), name the other network:
# export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0
export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} OMPI_MCA_btl=${OMPI_MCA_btl:-self,tcp}
export OMPI_MCA_coll_hcoll_enable=0 OMPI_MCA_coll_ucc_enable=0

# No CPU binding: agents bind their workers, which need room for NCCL's threads.
nodes=$SLURM_JOB_NUM_NODES
launch=(mpirun -np "$nodes" --map-by ppr:1:node --bind-to none)

# Files that NCCL reads. Where a variable or its file does not reach the ranks, NCCL goes on
# without a word, 2 to 4 times slower.
files=()
for name in NCCL_TOPO_FILE NCCL_GRAPH_FILE NCCL_CONF_FILE NCCL_TUNER_CONFIG_FILE; do
  if [[ -n ${!name-} ]]; then files+=("$name=${!name}"); fi
done
for file in "$HOME/.nccl.conf" /etc/nccl.conf; do
  if [[ -e $file ]]; then files+=("=$file"); fi
done

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

# One folder a job, the same after a requeue.
first=${1:-results/ib-qps-$SLURM_ARRAY_JOB_ID-${this%@*}switches}
job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
interrupted=130

how_to_go_on() {  # NODES
  echo "to go on: sbatch --nodelist=$1 --switches=$this --array=$SLURM_ARRAY_TASK_ID \\"
  echo "            THIS_SCRIPT $run"
}

program=nccl-sweep
run=$first
sweep=("$program" run sweeps/ib-qps.json --output)
other=
for ((more = 2; ; ++more)); do
  if [[ ! -s $run/records.jsonl ]]; then
    if [[ -n $other ]] && ((${SLURM_RESTART_COUNT:-0} > 0)); then
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
    sweep=("$program" run --resume "$run")
    break
  fi
  echo "$run was measured on other nodes and is left as it is"
  other=$run
  run=$first-$more
done

says() { scontrol show job -o "$job" | sed -n "s/.* $1=\([^ ]*\).*/\1/p" || true; }
same_nodes() {
  scontrol update JobId="$job" ReqNodeList="$SLURM_JOB_NODELIST" Switches=0 2>/dev/null ||
    echo "the job may get other nodes than $SLURM_JOB_NODELIST"
}
is_requeued() {
  local restarts
  restarts=$(says Restarts)
  ((${restarts:-0} > ${SLURM_RESTART_COUNT:-0}))
}

# Slurm's signal 120 s before the limit (USR1): the run ends after the trial that it is in. TERM is
# scancel's, or says that Slurm has requeued the job: KillWait is left to ask for the same nodes.
trials() { { grep -s '"record":"trial"' "$run/records.jsonl" || true; } | wc -l; }
before=$(trials)
limit=no
signalled=no
requeued=no
soft_stop() {
  signalled=yes
  touch "$run/STOP" || echo "the run has no folder yet: it cannot be stopped" >&2
}
on_term() {
  soft_stop
  if is_requeued; then
    requeued=yes
    same_nodes
  fi
}
trap 'limit=yes; soft_stop' USR1
trap on_term TERM

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
