#!/usr/bin/env bash
# Installs what is missing, builds everything, checks the style and runs every test. Arguments go on
# to ctest:
#   bash tests/run.sh -R journal      only tests with "journal" in their names
# Tests that must not share the machine are marked RUN_SERIAL where they are added.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check_format() {
  local sources
  mapfile -t sources < <(find . \( -path './build*' -o -path ./.deps -o -path ./.git \) -prune \
    -o -regex '.*\.\(h\|cpp\|cu\)' -print)
  .deps/wheels/clang_format/data/bin/clang-format --dry-run -Werror "${sources[@]}" || {
    echo "error: the lines above are not formatted; clang-format -i FILE puts that right" >&2
    return 1
  }
}

bash install_dependencies.sh
check_format
cmake --preset release
cmake --build --preset release
bash tests/check_tidy.sh build
exec ctest --preset release --no-tests=error --parallel "${CTEST_PARALLEL_LEVEL:-2}" "$@"
