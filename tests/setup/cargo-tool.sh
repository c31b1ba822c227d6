#!/usr/bin/env bash
# Prints the path of a cargo tool, building that version into target/tools at first.
# cargo-tool.sh cargo-NAME VERSION "what it is needed for"
set -euo pipefail
name=$1 version=$2 purpose=$3
root=$(cd "$(dirname "$0")/../.." && pwd)/target/tools/$name-$version
binary=$root/bin/$name
if [ ! -x "$binary" ]; then
  # A debug build, because it compiles faster than the tool then runs.
  cargo install "$name" --version "$version" --locked --debug --quiet --root "$root" >&2 ||
    { echo "$name is needed $purpose: let cargo reach crates.io." >&2; exit 1; }
fi
echo "$binary"
