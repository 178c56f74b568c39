# shellcheck shell=bash
# What the batch scripts share: one step of the run and its restarts, signals, the requeue. Sourced by them; in an salloc shell and outside Slurm they work the same way, but a
# shell is not requeued: it is told to run the same command again.

readonly EXIT_USAGE=1 EXIT_WITH_FAILURES=2 EXIT_RESUMABLE=75 # as ptxbatch's own

PTXBATCH_HOME=${PTXBATCH_HOME:-${SLURM_SUBMIT_DIR:-$PWD}}
export PTXBATCH_HOME

say() { printf '%s [job %s] %s\n' "$(date '+%F %T')" "${SLURM_JOB_ID:-none}" "$*"; }

# Ends the servers that were submitted for this job alone.
release_servers() {
  [[ -z ${PTXBATCH_SERVERS:-} ]] || scancel ${PTXBATCH_SERVERS:+$PTXBATCH_SERVERS}
}

die() {
  say "error: $*" >&2
  release_servers
  exit "$EXIT_USAGE"
}

# shellcheck source=slurm/settings.sh
. "$PTXBATCH_HOME/slurm/settings.sh" || exit 1

# `PTXBATCH_LIST=1 bash FILE.sbatch` only says which experiment files it would run: for submit.sh.
list_and_leave() {
  [[ -n ${PTXBATCH_LIST:-} ]] || return 0
  (($# == 0)) || printf '%s\n' "$@"
  exit 0
}

prepare_job() {
  site_environment
  read_keys
  [[ -z $PTXBATCH_SCRATCH ]] || export TMPDIR=$PTXBATCH_SCRATCH
  mkdir -p "$PTXBATCH_RESULTS" || die "PTXBATCH_RESULTS cannot be written: $PTXBATCH_RESULTS"
  [[ -x $PTXBATCH_PROGRAM ]] ||
    die "there is no $PTXBATCH_PROGRAM: build it, or set PTXBATCH_PROGRAM (slurm/profile.sh)"
  say "restart ${SLURM_RESTART_COUNT:-0}; nodes ${SLURM_JOB_NODELIST:-$(hostname)}"
}

# --- signals and the time that is left -------------------------------------------------------------

stop_requested=  # by which signal
interrupted=     # a trap ran since this was last cleared: `wait` came back early
step_pid=

# srun and mpirun hand USR1 on to all ranks; the coordinator obeys it, and the step ends with 75.
on_signal() {
  interrupted=yes
  say "signal $1: stopping in good order"
  stop_requested=$1
  [[ -z $step_pid ]] || kill -USR1 "$step_pid" 2>/dev/null
}
trap 'on_signal USR1' USR1
trap 'on_signal TERM' TERM
trap 'on_signal INT' INT

# Sleeps, and wakes up for a signal.
pause() {
  sleep "$1" &
  wait $!
}

# Empty where there is no limit, or no Slurm.
seconds_left() {
  local left days=0 fields
  [[ -n ${SLURM_JOB_ID:-} ]] || return 0
  left=$(squeue -h -j "$SLURM_JOB_ID" -o %L 2>/dev/null | head -n 1)
  [[ $left =~ ^[0-9:-]+$ ]] || return 0
  [[ $left != *-* ]] || { days=${left%%-*} left=${left#*-}; }
  IFS=: read -ra fields <<<"$left"
  while ((${#fields[@]} < 3)); do fields=(0 "${fields[@]}"); done
  echo $((days * 86400 + 10#${fields[0]} * 3600 + 10#${fields[1]} * 60 + 10#${fields[2]}))
}

time_is_short() {
  local left
  left=$(seconds_left)
  [[ -n $left ]] && ((left < 60))
}

# --- one step --------------------------------------------------------------------------------------

ranks_per_node() {
  if [[ -n $PTXBATCH_RANKS_PER_NODE ]]; then
    echo "$PTXBATCH_RANKS_PER_NODE"
  elif [[ ${SLURM_GPUS_ON_NODE:-} =~ ^[1-9][0-9]*$ ]]; then
    echo "$SLURM_GPUS_ON_NODE"
  else
    local gpus
    gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c ^GPU)
    echo $((gpus > 0 ? gpus : 1))
  fi
}

# Sets `launcher`, the words before ptxbatch: one rank for each GPU, dealt out node by node, and one
# more, which falls on the first node and is rank 0 there, the coordinator.
set_launcher() {
  local further
  read -ra further <<<"$PTXBATCH_LAUNCH_OPTIONS"
  if [[ -z ${SLURM_JOB_ID:-} || $PTXBATCH_LAUNCHER == mpirun ]]; then
    launcher=(mpirun -n $((${SLURM_NNODES:-1} * $(ranks_per_node) + 1)) --map-by node --bind-to none
      "${further[@]}")
    return
  fi
  launcher=(srun "--mpi=$PTXBATCH_MPI" --cpu-bind=none)
  if [[ -n ${SLURM_HET_SIZE:-} ]]; then
    launcher+=("--het-group=0,1") # the first component is the coordinator, the second the ranks
  else
    unset SLURM_NTASKS_PER_NODE # the step is dealt out by --distribution, and srun would warn
    launcher+=("--nodes=$SLURM_NNODES" "--ntasks=$((SLURM_NNODES * $(ranks_per_node) + 1))"
      --distribution=cyclic)
    [[ -z ${SLURM_CPUS_PER_TASK:-} ]] || launcher+=("--cpus-per-task=$SLURM_CPUS_PER_TASK")
  fi
  launcher+=("${further[@]}")
}

# In the background, so that signals are not held back until it ends. Returns its exit code.
run_step() {
  local code next
  say "step: $*"
  interrupted=
  "$@" &
  step_pid=$!
  [[ -z $stop_requested ]] || kill -USR1 "$step_pid"
  wait "$step_pid"
  code=$?
  while [[ -n $interrupted ]]; do
    interrupted=
    wait "$step_pid"
    next=$?
    ((next == 127)) || code=$next # 127: it had ended already
  done
  step_pid=
  return "$code"
}

# What is known of a run, as JSON; nothing before it has begun.
run_status() {
  [[ ! -e $1 && ! -e $1.journal ]] || "$PTXBATCH_PROGRAM" status --json "$1" 2>/dev/null
}

turns_done() {
  local turns
  turns=$(run_status "$1" | sed -n 's/.*"turns": *\([0-9]*\).*/\1/p' | head -n 1)
  echo "${turns:-0}"
}

limit_reached() { run_status "$1" | grep -q '"limit_reached": *true'; }

# Whether trajectories that failed are worth a further step, which tries them again: those of a
# served model fail when its server goes away, and the next step waits for its new address.
worth_another_step() {
  local attempts=$1
  [[ -n ${PTXBATCH_AWAIT:-} ]] || return 1
  ((attempts == 0)) || { ((attempts < PTXBATCH_ATTEMPTS)) && ! served_models_answer; }
}

# Runs an experiment, again and again while its step dies. 0 or 2: finished; 75: not yet; else an
# error that a further attempt would meet again.
run_experiment() {
  local file=$1 results=$2 code before after attempts=0 options
  shift 2
  read -ra options <<<"$PTXBATCH_RUN_OPTIONS"
  set_launcher
  while true; do
    [[ -z $stop_requested ]] && ! time_is_short || return "$EXIT_RESUMABLE"
    await_endpoints || return
    export_endpoints
    [[ -z $stop_requested ]] || return "$EXIT_RESUMABLE"
    before=$(turns_done "$results")
    run_step "${launcher[@]}" "$PTXBATCH_PROGRAM" run "$file" -o "$results" "${options[@]}" "$@"
    code=$?
    ((code != 0)) || return 0
    after=$(turns_done "$results")
    if [[ $after != "$before" ]]; then attempts=0; else ((++attempts)); fi
    ((code != EXIT_WITH_FAILURES)) || worth_another_step "$attempts" || return "$code"
    say "the step ended with $code; turns done: $before -> $after"
    if limit_reached "$results"; then
      say "error: the run has reached its spending limit; to go on, submit it again with a larger one" \
        "(--max-tokens or --max-cost-usd in PTXBATCH_RUN_OPTIONS)"
      return "$EXIT_USAGE"
    fi
    [[ -z $stop_requested ]] || return "$EXIT_RESUMABLE"
    if ((attempts >= PTXBATCH_ATTEMPTS || (code == EXIT_USAGE && attempts >= 2))); then
      say "error: $attempts steps in a row ended without one more turn; what they said stands above"
      return "$EXIT_USAGE"
    fi
    job_goes_on || return "$EXIT_RESUMABLE"
  done
}

# --- the job ---------------------------------------------------------------------------------------

# What Slurm says of this job; nothing where it does not say: a controller may be busy, or away for
# a minute.
job_facts() {
  local facts attempt
  for attempt in 1 2 3; do
    facts=$(timeout 30 scontrol --oneliner show job "$SLURM_JOB_ID" 2>/dev/null | head -n 1)
    [[ $facts != *" JobState="* ]] || { echo " $facts" && return; }
    ((attempt == 3)) || pause 5
  done
}

# False when the job itself is being ended: cancelled, at its time limit, a node lost.
job_goes_on() {
  local facts
  [[ -n ${SLURM_JOB_ID:-} ]] || return 0
  facts=$(job_facts)
  [[ -z $facts || $facts == *" JobState=RUNNING "* ]]
}

# Whether somebody has requeued the job while it ran: it is one restart further than this script.
was_requeued() { [[ $1 =~ \ Restarts=([0-9]+)\  ]] && ((BASH_REMATCH[1] > ${SLURM_RESTART_COUNT:-0})); }

# Whether a job that is not done comes back under the same number; sees to it where it can.
comes_back() {
  local facts
  [[ -n ${SLURM_JOB_ID:-} ]] || return 1
  facts=$(job_facts)
  if was_requeued "$facts"; then
    say "not done yet: the job was requeued and goes on from here"
    return 0
  elif [[ -n $facts && $facts != *" JobState=RUNNING "* ]]; then
    say "the job is being ended from outside; submit it again, and it goes on from here"
  elif [[ -n $facts && $facts != *" BatchFlag=1 "* ]]; then
    say "not done yet: run the same command again"
  elif ((${SLURM_RESTART_COUNT:-0} >= PTXBATCH_MAX_REQUEUES)); then
    say "not done after ${SLURM_RESTART_COUNT:-0} requeues: submit it again to go on"
  else
    trap '' TERM # of the requeue itself
    if timeout 60 scontrol requeue "$SLURM_JOB_ID" || was_requeued "$(job_facts)"; then
      say "not done yet: the job is requeued and goes on from here"
      return 0
    fi
    say "error: not done yet, and Slurm did not requeue the job; submit it again, and it goes on from here"
  fi
  return 1
}

# Ends the script; a batch job that is not done comes back.
leave() {
  local code=$1
  { ((code == EXIT_RESUMABLE)) && comes_back; } || release_servers
  exit "$code"
}

# --- models that the cluster serves ----------------------------------------------------------------

# Whether anything answers at an address; true where that cannot be found out.
answers() {
  ! command -v curl >/dev/null ||
    curl --silent --insecure --output /dev/null --max-time 10 --noproxy '*' "$1/models"
}

# Whether a server stands behind the address that is written for a variable. A server that was killed
# leaves its address behind.
is_served() {
  local file=$PTXBATCH_ENDPOINTS/$1
  [[ -s $file ]] && answers "$(<"$file")"
}

# Those that PTXBATCH_AWAIT names (submit.sh --serve).
served_models_answer() {
  local name
  for name in ${PTXBATCH_AWAIT:-}; do is_served "$name" || return 1; done
}

# Whether the servers of this job alone are no jobs any more: nobody would answer then.
servers_ended() {
  local states
  [[ -n ${PTXBATCH_SERVERS:-} ]] || return 1
  if states=$(timeout 30 squeue -h -j "$PTXBATCH_SERVERS" -o %T 2>&1); then
    [[ -z $states ]]
  else
    [[ $states == *"Invalid job id"* ]]
  fi
}

# Waits for them, before each step: a server that was started again may have moved. Returns the exit
# code when it does not get there.
await_endpoints() {
  local end=$((SECONDS + PTXBATCH_AWAIT_S)) asked=0
  until served_models_answer; do
    [[ -z $stop_requested ]] || return "$EXIT_RESUMABLE"
    if ((SECONDS >= end)); then
      say "error: no server answers; see the log of its job (squeue -n ptxbatch-serve)"
      return "$EXIT_RESUMABLE"
    elif ((asked % 15 == 5)) && servers_ended; then
      say "error: the server of $PTXBATCH_AWAIT has ended; see $PTXBATCH_RESULTS/slurm/ptxbatch-serve-$PTXBATCH_SERVERS.log"
      return "$EXIT_USAGE"
    fi
    ((asked++ > 0)) || say "waiting for the server of $PTXBATCH_AWAIT (at most $PTXBATCH_AWAIT_S s)"
    pause 2
  done
}

# --- what comes out --------------------------------------------------------------------------------

# What a command prints, as a file that is whole or as it was. Returns the command's exit code.
print_to() {
  local file=$1 code
  shift
  "$@" >"$file.part"
  code=$?
  if ((code == 0 || code == EXIT_WITH_FAILURES)); then mv "$file.part" "$file"; else rm -f "$file.part"; fi
  return "$code"
}

# Tables, figures and one page of one finished results file, beside it.
show_results() {
  local results=$1 name=${1%.h5}
  print_to "$name-tables.md" "$PTXBATCH_PROGRAM" tables "$results" --format markdown &&
    cat "$name-tables.md"
  "$PTXBATCH_PROGRAM" figures "$results" -o "$name-figures" >/dev/null ||
    say "the figures could not be made (is gnuplot there?); the results are complete"
  "$PTXBATCH_PROGRAM" report "$results" -o "$name.html" >/dev/null &&
    say "$results, $name-tables.md, $name-figures/, $name.html"
}

# The numbers of the given results files beside the paper's.
show_check() {
  local file=$1
  shift
  print_to "$file" "$PTXBATCH_PROGRAM" check --paper "$@"
  case $? in
    0) ;;
    "$EXIT_WITH_FAILURES") say "some numbers differ from the paper's: $file" ;;
    *) say "error: the numbers could not be held against the paper's; why stands above" ;;
  esac
}

# The paper's tables, figures and the check against its numbers, of all given results files.
show_paper() {
  local folder=$1 format
  shift
  for format in markdown csv latex; do
    print_to "$folder/tables.$format" \
      "$PTXBATCH_PROGRAM" tables --paper 1,3,4,7,8,9 "$@" --format "$format" ||
      say "error: no $folder/tables.$format was made; why stands above"
  done
  [[ ! -e $folder/tables.markdown ]] || cat "$folder/tables.markdown"
  "$PTXBATCH_PROGRAM" figures "$@" --figures "$PTXBATCH_HOME/experiments/paper/figures.toml" \
    -o "$folder/figures" >/dev/null || say "the figures could not be made (is gnuplot there?)"
  "$PTXBATCH_PROGRAM" report "$@" -o "$folder/report.html" >/dev/null || say "no report was made"
  show_check "$folder/check.txt" "$@"
  say "what was made is in $folder"
}

# Where the paper's experiments go; results/paper holds the paper's own numbers.
paper_folder() { echo "$PTXBATCH_RESULTS/paper_runs"; }

# "hopper" or "blackwell": PTXBATCH_TARGET, else what GPUs this node or the profile's GPU type is.
gpu_target() {
  local capability
  [[ -z ${PTXBATCH_TARGET:-} ]] || { echo "$PTXBATCH_TARGET" && return; }
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
  case "$capability/$PTXBATCH_GPU_TYPE" in
    9.0/* | /[hH]100* | /[hH]200* | /gh200*) echo hopper ;;
    10.0/* | /[bB]200* | /[gG][bB]200*) echo blackwell ;;
    *) return 1 ;;
  esac
}
