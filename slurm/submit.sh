#!/usr/bin/env bash
# From a login node to a job: checks first, shows what it will cost, says what it submits, submits.
# usage: bash slurm/submit.sh [OPTIONS] EXPERIMENT.toml|FILE.sbatch [ARGUMENTS...]
#   --dry-run               check and print, submit nothing
#   --serve MODEL VARIABLE  also submit a server for MODEL, whose address the run finds in VARIABLE
#   --no-doctor             do not ask the model endpoints (two short replies each)
# Partition, account, GPUs, time and the rest: slurm/profile.sh.
set -uo pipefail
PTXBATCH_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PTXBATCH_HOME

die() {
  printf 'submit: %s\n' "$@" >&2
  exit 1
}
# shellcheck source=slurm/settings.sh
. "$PTXBATCH_HOME/slurm/settings.sh" || exit 1
usage() { sed -n '3,7s/^# //p' "${BASH_SOURCE[0]}"; }

dry_run='' doctor=yes serve=()
while (($#)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --no-doctor) doctor='' ;;
    --serve)
      (($# >= 3)) || die "--serve takes a model and the name of a variable"
      serve=("$2" "$3")
      is_variable "$3" || die "--serve takes the name of an environment variable, not $3"
      shift 2
      ;;
    -h | --help) usage && exit 0 ;;
    -*) die "unknown option $1" "$(usage)" ;;
    *) break ;;
  esac
  shift
done
(($# >= 1)) || die "which experiment?" "$(usage)"
[[ $1 != *.toml ]] || set -- "$PTXBATCH_HOME/slurm/sweep.sbatch" "$(realpath "$1")" "${@:2}"
[[ -f $1 ]] || die "there is no $1"
script=$(realpath "$1")
shift

# --- checks ----------------------------------------------------------------------------------------

site_environment
(read_keys) || exit 1
[[ -x $PTXBATCH_PROGRAM ]] || die "there is no $PTXBATCH_PROGRAM" \
  "Build it (cmake --preset release && cmake --build --preset release), or set PTXBATCH_PROGRAM."
command -v sbatch >/dev/null || [[ -n $dry_run ]] || die "there is no sbatch here: is this a login node?"
mkdir -p "$PTXBATCH_RESULTS/slurm" || die "PTXBATCH_RESULTS cannot be written: $PTXBATCH_RESULTS"

# In a shell of its own: sbatch stores this one's environment, where keys have no place, nor have
# addresses that may be others when the job starts.
ask_endpoints() (
  read_keys
  export_endpoints
  exec "$PTXBATCH_PROGRAM" doctor "$1"
)

listed=$(PTXBATCH_LIST=1 bash "$script" "$@") || die "${listed:-$script does not say what it runs}"
mapfile -t experiments < <(printf '%s' "$listed")
for experiment in "${experiments[@]}"; do
  printf '== plan: %s\n' "$experiment"
  "$PTXBATCH_PROGRAM" plan "$experiment" || die "this would not run; nothing was submitted"
  if [[ -n $doctor && ${#serve[@]} -eq 0 ]]; then
    printf '== doctor: %s\n' "$experiment"
    ask_endpoints "$experiment" ||
      die "an endpoint does not work; nothing was submitted" "--no-doctor submits all the same."
  fi
done
[[ ${#serve[@]} -eq 0 ]] || echo "== doctor: left out, since the server is not there yet"

# --- what sbatch is asked for ----------------------------------------------------------------------

add() { [[ -z $2 ]] || options+=("$1=$2"); }
read -ra further <<<"$PTXBATCH_SBATCH_OPTIONS"

# gpus NUMBER: words for so many GPUs of a node.
gpus() { (($1 == 0)) || echo "--gpus-per-node=${PTXBATCH_GPU_TYPE:+$PTXBATCH_GPU_TYPE:}$1"; }

# The job as a whole.
whole_job() {
  options+=("--signal=B:USR1@$PTXBATCH_STOP_LEAD_S" --requeue --open-mode=append
    "--output=$PTXBATCH_RESULTS/slurm/%x-%j.log" "--time=$PTXBATCH_TIME")
  add --account "$PTXBATCH_ACCOUNT"
  add --qos "$PTXBATCH_QOS"
}

# Nodes that judge, with so many tasks each.
gpu_nodes() {
  add --partition "$PTXBATCH_PARTITION"
  add --constraint "$PTXBATCH_CONSTRAINT"
  options+=("--nodes=$PTXBATCH_NODES" "--ntasks-per-node=$1" "--cpus-per-task=$PTXBATCH_CPUS_PER_RANK"
    "--mem=$PTXBATCH_MEMORY_PER_NODE")
  mapfile -t -O "${#options[@]}" options < <(gpus "$PTXBATCH_GPUS_PER_NODE")
  options+=("${further[@]}")
}

submit() {
  printf '== sbatch' >&2
  printf ' %q' "$@" >&2
  printf '\n' >&2
  if [[ -n $dry_run ]]; then echo JOB; else sbatch --parsable "$@"; fi
}

# A server is of no use without its run.
server=
cancel_server() {
  [[ -z $server || -n $dry_run ]] || { scancel "$server" && echo "its server, job $server, is cancelled" >&2; }
}
trap cancel_server EXIT

if ((${#serve[@]})); then
  options=(--job-name=ptxbatch-serve)
  whole_job
  add --partition "$PTXBATCH_SERVE_PARTITION"
  options+=("--nodes=$PTXBATCH_SERVE_NODES" --ntasks-per-node=1)
  mapfile -t -O "${#options[@]}" options < <(gpus "$PTXBATCH_SERVE_GPUS")
  options+=("${further[@]}")
  # Left by an earlier server that was killed; the run waits for the new one's.
  [[ -n $dry_run ]] || rm -f "${PTXBATCH_ENDPOINTS:?}/${serve[1]}"
  server=$(submit "${options[@]}" "$PTXBATCH_HOME/slurm/serve_model.sbatch" "${serve[@]}") || exit 1
  server=${server%%;*}
  export PTXBATCH_AWAIT=${serve[1]} PTXBATCH_SERVERS=$server
fi

ranks=${PTXBATCH_RANKS_PER_NODE:-$PTXBATCH_GPUS_PER_NODE}
options=("--job-name=ptxbatch-$(basename "$script" .sbatch)")
whole_job
[[ -z $server ]] || options+=("--dependency=after:$server")
if [[ -n $PTXBATCH_COORDINATOR_PARTITION ]]; then
  options+=("--partition=$PTXBATCH_COORDINATOR_PARTITION" --nodes=1 --ntasks=1
    "--cpus-per-task=$PTXBATCH_COORDINATOR_CPUS" :)
  gpu_nodes "$ranks"
else
  gpu_nodes $((ranks + 1)) # the coordinator is one more
fi
job=$(submit "${options[@]}" "$script" "$@") || die "the run was not submitted"
trap - EXIT
if [[ -n $dry_run ]]; then
  echo "dry run: nothing was submitted"
  exit 0
fi
job=${job%%;*}
echo "job $job; its log: $PTXBATCH_RESULTS/slurm/ptxbatch-$(basename "$script" .sbatch)-$job.log"
