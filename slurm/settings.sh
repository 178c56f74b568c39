# shellcheck shell=bash
# What submit.sh and the batch scripts both need: the site's profile, its keys, the addresses of
# models that the cluster serves. Sourced by them when PTXBATCH_HOME and `die` are there.

PTXBATCH_PROFILE=${PTXBATCH_PROFILE:-$PTXBATCH_HOME/slurm/profile.sh}
[[ -f $PTXBATCH_PROFILE && -r $PTXBATCH_PROFILE ]] || die "there is no profile $PTXBATCH_PROFILE (PTXBATCH_PROFILE)"
PTXBATCH_PROFILE=$(realpath "$PTXBATCH_PROFILE") # a job may start in another folder
export PTXBATCH_PROFILE
# shellcheck source=slurm/profile.sh
. "$PTXBATCH_PROFILE"
declare -F site_environment >/dev/null ||
  die "$PTXBATCH_PROFILE is no profile: it has no site_environment; begin with a copy of slurm/profile.sh"

read_keys() {
  [[ -n $PTXBATCH_KEYS_FILE ]] || return 0
  # shellcheck source=/dev/null
  . "$PTXBATCH_KEYS_FILE" || die "PTXBATCH_KEYS_FILE cannot be read: $PTXBATCH_KEYS_FILE"
}

is_variable() { [[ $1 =~ ^[A-Z][A-Z0-9_]*$ ]]; }

# Sets the address of each model that is served: serve_model.sbatch writes it into a file that is
# named after the variable.
export_endpoints() {
  local file
  for file in "$PTXBATCH_ENDPOINTS"/*; do
    if is_variable "${file##*/}" && [[ -s $file ]]; then export "${file##*/}=$(<"$file")"; fi
  done
}
