#!/usr/bin/env bash
# Installs what PTXBatch is built from and says nothing when all of it is there:
#   1. Debian packages, through apt-get (as root, or with sudo);
#   2. PyPI wheels pinned by hash, unpacked into .deps/wheels inside the checkout;
#   3. the CUDA compiler, as wheels too, where the machine has none;
#   4. cuBLAS, cuDNN, CUPTI and NVRTC, as wheels, where there is a GPU and the toolkit lacks them.
# Both commands of the README call it. Made for Debian 12 on x86-64; Ubuntu 24.04 should do as well.
# Without a network, put the wheels themselves into .deps/download: they are taken from there.
# PTXBATCH_SKIP_PACKAGES=1 leaves packages alone, where libraries come from elsewhere (modules).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly deps=.deps
readonly wheels=$deps/wheels
readonly stamp=$wheels/.wheel_lists.sha256
readonly oldest_nvcc=12.8 # the first that knows sm_100a

# package, a program that may stand for it ("-": none), and what it is for
packages() {
  cat <<'END'
build-essential        g++       compiles PTXBatch, and candidates of the host target
binutils               objdump   disassembles candidates of the host target
cmake                  cmake     configures the build
ninja-build            ninja     builds
ccache                 ccache    makes the second build quick
pkg-config             pkg-config finds libraries
git                    git       records the commit in every results file
libopenmpi-dev         -         messages between coordinator and ranks
openmpi-bin            mpirun    starts the ranks
libhdf5-dev            -         results files
hdf5-tools             h5dump    tests: results open without our code
libcurl4-openssl-dev   -         model endpoints
libtomlplusplus-dev    -         experiment files
libspdlog-dev          -         the log
nlohmann-json3-dev     -         JSON and CBOR
libcli11-dev           -         the command line
libexpected-dev        -         tl::expected: errors as values
libssl-dev             -         SHA-256
zlib1g-dev             -         CRC-32 of the journal
libseccomp-dev         -         the sandbox of candidates
libpugixml-dev         -         reports of compute-sanitizer
libopenblas-dev        -         references of the host target
libgtest-dev           -         tests
libgmock-dev           -         tests
libbenchmark-dev       -         benchmarks
libcpp-httplib-dev     -         tests: a model server with faults
slurmctld              slurmctld tests: batch jobs on a Slurm of this machine alone
slurmd                 slurmd    tests: the same
slurm-client           sbatch    tests: the same
munge                  munged    tests: the same
openssl                openssl   tests: a certificate for that server
gnuplot-nox            gnuplot   figures
python3                python3   tests: results open in h5py; and pip
python3-h5py           -         tests: results open in h5py
python3-pip            -         downloads the wheels
unzip                  unzip     unpacks the wheels
END
}

say() { printf '[dependencies] %s\n' "$*"; }
die() {
  printf '[dependencies] error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '  %s\n' "$@" >&2
  exit 1
}

# --- Debian packages -----------------------------------------------------------------------------

missing_packages() {
  local installed package program
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  while read -r package program _; do
    grep -qxF "$package" <<<"$installed" && continue
    [[ $program != - ]] && command -v "$program" >/dev/null && continue
    echo "$package"
  done < <(packages)
}

# Sets `as_root`, the words that go before apt-get. Fails when there is no way to become root.
find_root() {
  as_root=()
  ((EUID == 0)) && return
  command -v sudo >/dev/null || return 1
  as_root=(sudo)
  sudo -n true 2>/dev/null || [[ -t 0 ]] # a password needs a terminal
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }

# Those of the given packages that apt knows no version of.
unknown_packages() {
  local package
  for package; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || echo "$package"
  done
}

# Runs a command while no installation may start a daemon: the tests start their own.
without_daemons() {
  local policy=/usr/sbin/policy-rc.d status=0
  if [[ -e $policy ]]; then
    "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  "$@" || status=$?
  "${as_root[@]}" rm -f "$policy"
  return "$status"
}

install_packages() {
  local missing unknown log=$deps/apt.log
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  find_root || die "these Debian packages are missing, and installing them needs root: ${missing[*]}" \
    "An administrator can install them with:" \
    "  apt-get install --no-install-recommends ${missing[*]}" \
    "If their libraries come from elsewhere (modules), set PTXBATCH_SKIP_PACKAGES=1."

  say "installing Debian packages: ${missing[*]} (log: $log)"
  apt update >"$log" 2>&1 || say "apt-get update failed; going on with the package lists there are"
  if ! without_daemons apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 15 "$log" >&2
    mapfile -t unknown < <(unknown_packages "${missing[@]}")
    ((${#unknown[@]} == 0)) ||
      die "apt-get cannot find: ${unknown[*]}" \
        "Check the network and the sources in /etc/apt; this is made for Debian 12."
    die "apt-get could not install: $(missing_packages | xargs)" "Its log is above and in $log."
  fi
}

check_packages() {
  [[ ${PTXBATCH_SKIP_PACKAGES:-0} != 1 ]] || return 0
  if command -v dpkg-query >/dev/null; then
    install_packages
  else
    say "this is not Debian or Ubuntu: install what CMake will report as missing by hand"
  fi
}

# --- wheels --------------------------------------------------------------------------------------

nvcc_version() { "$1" --version 2>/dev/null | grep -oP 'release \K[0-9]+\.[0-9]+'; }

# Whether the machine has a CUDA compiler that is new enough.
has_nvcc() {
  local nvcc version
  for nvcc in "${CUDA_HOME:-}/bin/nvcc" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    [[ -x $nvcc ]] || continue
    version=$(nvcc_version "$nvcc") || continue
    printf '%s\n' "$oldest_nvcc" "$version" | sort -VC && return
  done
  return 1
}

# Whether the programs of the GPU targets need libraries that this machine does not have.
lacks_gpu_libraries() {
  [[ -e /dev/nvidiactl ]] || return 1
  local header folders=("${CUDA_HOME:-/usr/local/cuda}"/{include,extras/CUPTI/include}
    /usr/local/cuda/include /usr/include /usr/include/x86_64-linux-gnu)
  for header in cupti.h cublasLt.h cudnn.h; do
    [[ -n $(find "${folders[@]}" -maxdepth 1 -name "$header" -print -quit 2>/dev/null) ]] || return 0
  done
  return 1
}

hash_of() { cat "$@" | sha256sum | cut -d ' ' -f 1; }

# Whether .deps/wheels holds what the given lists ask for.
unpacked() { [[ -f $stamp && $(<"$stamp") == "$(hash_of "$@")" ]]; }

# The downloaded files that the given lists ask for, by hash: a file cut short does not count.
downloaded() {
  local hash file
  for file in "$deps"/download/*.whl; do
    [[ -f $file ]] || continue
    hash=$(hash_of "$file")
    grep -qF "sha256:$hash" "$@" && echo "$file"
  done
  return 0
}

find_pip() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -m pip --version >/dev/null 2>&1 && echo "$python" && return
  done
  return 1
}

# Downloads each wheel of the given lists that is not there yet. The tags name one build of each,
# whatever Python the machine has.
download() {
  local python requirement log=$deps/pip.log tags=(
    --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64
    --platform manylinux_2_27_x86_64 --platform manylinux_2_24_x86_64
    --platform manylinux2014_x86_64 --platform manylinux_2_12_x86_64
    --platform manylinux2010_x86_64)
  python=$(find_pip) || die "pip is missing (Debian package python3-pip), which downloads wheels"
  say "downloading wheels into $deps/download: $(grep -hoP '^[a-z].*(?= \\)' "$@" | xargs)"
  : >"$log"
  while read -r requirement; do
    PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip download --quiet --disable-pip-version-check \
      --no-deps --only-binary=:all: --require-hashes "${tags[@]}" --dest "$deps/download" \
      --requirement <(echo "$requirement") >>"$log" 2>&1 || {
      tail -n 5 "$log" >&2
      die "this wheel could not be downloaded from the Python package index: ${requirement%% *}" \
        "pip's log is $log. Without a network, put the wheels into $deps/download."
    }
  done < <(cat "$@" | sed -e '/^#/d' -e ':a;/\\$/{N;s/\\\n *//;ba}')
}

# Unpacks beside the final folder and renames, so that an interrupted run leaves nothing half done.
unpack() {
  local file fresh=$deps/wheels.new old=$deps/wheels.old
  rm -rf "$fresh" "$old"
  mkdir -p "$fresh"
  while read -r file; do
    unzip -q -o "$file" -d "$fresh" || die "cannot unpack $file" "Remove it and run this again."
  done < <(downloaded "$@")
  chmod -R a+rX "$fresh"
  [[ ! -x $fresh/nvidia/cu13/bin/nvcc ]] || bash cmake/cuda_driver_stub.sh "$fresh/nvidia/cu13"
  hash_of "$@" >"$fresh/$(basename "$stamp")"
  [[ ! -d $wheels ]] || mv "$wheels" "$old"
  mv "$fresh" "$wheels"
  rm -rf "$old"
}

check_wheels() {
  local lists=(cmake/wheels.txt) with_cuda=(cmake/wheels.txt cmake/cuda_wheels.txt) wanted
  if lacks_gpu_libraries; then
    with_cuda+=(cmake/gpu_library_wheels.txt)
    lists=("${with_cuda[@]}")
  fi
  unpacked "${with_cuda[@]}" && return
  has_nvcc || lists=("${with_cuda[@]}")
  unpacked "${lists[@]}" && return
  [[ $(uname -m) == x86_64 ]] || die "the pinned wheels are for x86-64, and this is $(uname -m)"

  mkdir -p "$deps/download"
  wanted=$(cat "${lists[@]}" | grep -c -- "--hash=")
  (($(downloaded "${lists[@]}" | wc -l) == wanted)) || download "${lists[@]}"
  say "unpacking wheels into $wheels"
  unpack "${lists[@]}"
}

mkdir -p "$deps"
exec 9>"$deps/lock"
flock 9 # two commands at once take turns
check_packages
check_wheels
