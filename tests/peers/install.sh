#!/usr/bin/env bash
# Installs real model servers for the tests labelled `peers`, from PyPI wheels, into virtual
# environments: llama.cpp's server (xllamacpp) with a tiny random model, and LiteLLM's proxy.
#   bash tests/peers/install.sh            into .deps/peers
#   ctest --test-dir build -L peers
# What cannot be had is left out, and its tests are skipped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/../../.deps/peers}
mkdir -p "$folder"

install_into() {
  local venv=$folder/$1
  shift
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: "$@"
}

if install_into llama xllamacpp==2026.10.11549 gguf; then
  "$folder/llama/bin/python" "$here/tiny_gguf.py" "$folder/tiny.gguf"
else
  echo "[peers] llama.cpp's server cannot be had" >&2
fi
install_into litellm 'litellm[proxy]' || echo "[peers] LiteLLM cannot be had" >&2
