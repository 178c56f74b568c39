#!/usr/bin/env bash
# Ends what start_cluster.sh started in FOLDER: its jobs first, then its daemons, each by its number.
# Does nothing when nothing runs. The folder stays, with the logs.
# usage: stop_cluster.sh FOLDER
set -uo pipefail
folder=$(cd "$1" 2>/dev/null && pwd) || exit 0
[[ -f $folder/pids ]] || exit 0
# shellcheck source=/dev/null
. "$folder/environment" 2>/dev/null

# A number may have been given to another process since: its command line must name the folder or,
# for a slurmd, carry the configuration in its environment.
ours() { grep -qzF "$folder/" "/proc/$1/cmdline" "/proc/$1/environ" 2>/dev/null; }

if command -v scancel >/dev/null && [[ -n $(timeout 5 squeue -h 2>/dev/null) ]]; then
  timeout 5 scancel --signal=KILL --full --state=RUNNING --user=root 2>/dev/null
  timeout 5 scancel --user=root 2>/dev/null
  for ((i = 0; i < 100; ++i)); do
    [[ -n $(timeout 5 squeue -h -t RUNNING,COMPLETING 2>/dev/null) ]] || break
    sleep 0.1
  done
fi

# The guard last: it may be what runs this.
mapfile -t pids < <(grep -v ' guard$' "$folder/pids" | tac | cut -d ' ' -f 1)
for pid in "${pids[@]}"; do ! ours "$pid" || kill -TERM "$pid" 2>/dev/null; done
for ((i = 0; i < 100; ++i)); do
  left=0
  for pid in "${pids[@]}"; do ! ours "$pid" || ((++left)); done
  ((left)) || break
  sleep 0.1
done
for pid in "${pids[@]}"; do ! ours "$pid" || kill -KILL "$pid" 2>/dev/null; done
guard=$(sed -n 's/ guard$//p' "$folder/pids")
rm -f "$folder/pids"
[[ -z $guard || $guard == "$PPID" || $guard == "$$" ]] || ! ours "$guard" || kill -TERM -- "-$guard" 2>/dev/null
exit 0
