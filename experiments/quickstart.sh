#!/usr/bin/env bash
# From a fresh Debian 12 machine to judged trajectories, tables and Fast_p curves: installs what is
# missing, builds the programs, runs experiments/quickstart.toml on this machine's CPU and shows the
# results. Where there is a Hopper GPU it runs experiments/quickstart_h100.toml on that instead. Run
# again, it does only what is left to do.
# usage: bash experiments/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hopper_gpus() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -cx '9\.0' || true
}

gpus=$(hopper_gpus)
if ((gpus > 0)); then
  readonly name=quickstart_h100 ranks=$((1 + gpus)) # one that coordinates, and one a GPU
else
  readonly name=quickstart ranks=3
fi
readonly experiment=experiments/$name.toml
readonly results=results/$name.h5
readonly figures=results/figures
readonly ptxbatch=build/bin/ptxbatch

say() { printf '\n== %s\n' "$*"; }

# quietly LOG COMMAND...: the command's output goes into the log, and its end is shown on failure.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 && return
  tail -n 40 "$log" >&2
  printf '\nfailed: %s\nThe whole output is in %s\n' "$*" "$log" >&2
  return 1
}

mpirun_options() {
  ((EUID != 0)) || echo --allow-run-as-root # containers and CI: mpirun warns against it otherwise
  # mpirun counts cores, not hardware threads, and refuses to start more ranks than that.
  (($(lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l) >= ranks)) || echo --oversubscribe
}

say "dependencies"
bash install_dependencies.sh

say "build (log: build/quickstart-*.log)"
mkdir -p build
quietly build/quickstart-configure.log cmake --preset release
quietly build/quickstart-build.log cmake --build --preset release --target ptxbatch_programs

mapfile -t options < <(mpirun_options)
run=(mpirun "${options[@]}" -n "$ranks" "$ptxbatch" run "$experiment" -o "$results")
say "run: ${run[*]}"
status=0
"${run[@]}" || status=$?
if ((status == 75)); then
  say "stopped early; the same command goes on from here"
fi
((status == 0)) || exit "$status"

say "tables: $ptxbatch tables $results"
"$ptxbatch" tables "$results"

say "figures: $ptxbatch figures $results -o $figures"
"$ptxbatch" figures "$results" -o "$figures"

say "files"
ls -1 "$results" "$figures"/*
