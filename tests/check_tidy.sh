#!/usr/bin/env bash
# clang-tidy over the product's sources, with the repository's .clang-tidy. A source is looked at
# again only when it or one of its headers has changed: its object file is newer then than the stamp
# beside it. Where clang-tidy 14 (Debian package clang-tidy-14) is missing it says so and does
# nothing: the package is large, and not needed to build or test.
# usage: bash tests/check_tidy.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export build=$1

command -v clang-tidy-14 >/dev/null || {
  echo "clang-tidy-14 is not installed: the sources are not linted"
  exit 0
}

# "SOURCE OBJECT" of every product source.
product_sources() {
  python3 - "$build" <<'END'
import json, os, shlex, sys
for entry in json.load(open(os.path.join(sys.argv[1], "compile_commands.json"))):
    source = os.path.relpath(entry["file"])
    words = shlex.split(entry["command"])
    if not source.startswith(("tests/", "..")) and not source.endswith(".cu"):
        print(source, os.path.join(entry["directory"], words[words.index("-o") + 1]))
END
}

lint() {
  local source=$1 object=$2 stamp=$2.tidy
  [[ $stamp -nt $object && $stamp -nt .clang-tidy ]] && return
  clang-tidy-14 --quiet -p "$build" "$source" 2>/dev/null || return 1
  touch "$stamp"
}
export -f lint

product_sources | xargs -P "$(nproc)" -L 1 bash -c 'lint "$@"' lint
