#!/usr/bin/env bash
# Builds, tests and measures on a machine with an NVIDIA Hopper GPU:
#   bash tests/gpu/run.sh [BUILD_FOLDER] [RESULTS_FOLDER]
# Tests carry the label `gpu`; elsewhere they are skipped. The benchmarks' output, the quickstart's
# results file and its report go into RESULTS_FOLDER (default: gpu-results).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build}
results=${2:-gpu-results}
mkdir -p "$results"

[[ -e /dev/nvidiactl ]] || echo "there is no NVIDIA GPU on this machine: its tests will be skipped" >&2
bash install_dependencies.sh
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPTXBATCH_GPU=ON >"$results/configure.log"
cmake --build "$build" >"$results/build.log"

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit --format=csv || true
ctest --test-dir "$build" --label-regex '^gpu$' --output-on-failure | tee "$results/tests.log"

for what in aa rate standby defence kernels; do
  "$build"/tests/bin/gpu_judge_benchmark $what | tee "$results/$what.txt"
done

"$build"/bin/ptxbatch run experiments/quickstart_h100.toml --output "$results/quickstart_h100.h5"
"$build"/bin/ptxbatch tables "$results/quickstart_h100.h5" | tee "$results/tables.txt"
"$build"/bin/ptxbatch report "$results/quickstart_h100.h5" -o "$results/quickstart_h100.html"
